package import Core
internal import Figures
package import Foundation
internal import Synchronization
internal import Transport

/// Runs a load twice per round: with nobody on its live page, and with two readers of the page.
package struct WebBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var phones = 10_000
    package var seconds = 30
    package var folder: URL
  }

  package let name = "web"
  private let plan: Plan
  private var roundsDone = 0
  private static let speed = 60
  private static let readers = 2

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("phones", .count(plan.phones)), ("seconds", .count(plan.seconds)),
      ("readers", .count(Self.readers)),
    ]
  }

  /// The bars: no missing row, and an added lag of at most 10 % of the lag that invalidates a run.
  package var bars: [BenchBar] {
    [
      BenchBar("moreLagP99Microseconds", .atMost(100)), BenchBar("rowsMissing", .atMost(0)),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let opensFirst = roundsDone % 2 == 1
    roundsDone += 1
    guard let first = try run(isOpen: opensFirst), let second = try run(isOpen: !opensFirst) else {
      return []
    }
    let (open, closed) = opensFirst ? (first, second) : (second, first)
    return [
      ("closedLagP99Microseconds", [closed.lag]), ("openLagP99Microseconds", [open.lag]),
      ("moreLagP99Microseconds", [open.lag - closed.lag]),
      ("closedGeneratorCores", [closed.cores]), ("openGeneratorCores", [open.cores]),
      ("rowsMissing", [open.rowsMissing]),
    ]
  }

  private struct Outcome {
    var lag: Double
    var cores: Double
    var rowsMissing: Double
  }

  /// Returns nil if the user interrupted the run.
  private func run(isOpen: Bool) throws(ProgramError) -> Outcome? {
    let folder = plan.folder.appendingPathComponent("web")
    defer { try? FileManager.default.removeItem(at: folder) }
    let port = isOpen ? try Self.freePort() : nil
    let readers = port.map { port in (0..<Self.readers).map { _ in PageReader(port: port) } } ?? []
    defer { for reader in readers { reader.stop() } }
    let record = try RunProgram(executable: plan.executable, folder: folder).run(
      "load",
      [
        "city", "--phones", "\(plan.phones)", "--speed", "\(Self.speed)",
        "--duration", "\(plan.seconds * Self.speed)s", "--set", "warmStart=1h",
        "--set", "phases.ramp=2min",
      ] + (port.map { ["--web", "127.0.0.1:\($0)"] } ?? []))
    guard let record else { return nil }
    let timeline = try? String(
      contentsOf: folder.appendingPathComponent("timeline.csv"), encoding: .utf8)
    let rows = (timeline?.split(separator: "\n").count ?? 1) - 1
    return Outcome(
      lag: Double(record.latency.generatorLag.p99 ?? 0),
      cores: record.machine.processes["generator"]?.coresUsed ?? 0,
      rowsMissing: Double(readers.map { max(0, rows - $0.stop()) }.max() ?? 0))
  }

  /// Returns a port that was free a moment ago, and may still be free.
  private static func freePort() throws(ProgramError) -> UInt16 {
    do throws(TransportError) {
      let socket = try ListeningSocket(Endpoint(host: "127.0.0.1", port: 0))
      close(socket.descriptor)
      return socket.port
    } catch {
      throw .cannotStart(program: "flotilla load", why: error.description)
    }
  }
}

/// Reads the events of a live page from start to end, on a separate thread.
private final class PageReader: Sendable {
  private let isStopped = Mutex(false)
  private let rows = Mutex<Int?>(nil)
  private let waiter = Waiter()

  init(port: UInt16) {
    Thread.detachNewThread { [self] in
      var settings = HTTPSettings()
      settings.timeout = .seconds(600)
      settings.answerBytesMax = 64 << 20
      let caller = HTTPCaller(settings)
      defer { caller.close() }
      let request = HTTPRequest(
        method: "GET", url: "http://127.0.0.1:\(port)/events", headers: [])
      while !isStopped.withLock({ $0 }) {
        if case .success(let answer) = caller.call(request).result {
          let lines = PlainText.repaired(answer.body).split(separator: "\n")
          // The data of a row begins with its second, and the data of a state with a brace.
          rows.withLock { $0 = lines.count { $0.hasPrefix("data: ") && !$0.hasPrefix("data: {") } }
          break
        }
        // Tries again, as the program may not listen yet.
        waiter.pause(.milliseconds(50)) { self.isStopped.withLock { $0 } }
      }
      waiter.wake()
    }
  }

  /// Returns the number of received rows. Waits at most five seconds for the end of the events.
  @discardableResult
  func stop() -> Int {
    waiter.wait(until: MonotonicClock.now + .seconds(5)) { rows.withLock { $0 != nil } }
    isStopped.withLock { $0 = true }
    waiter.wake()
    return rows.withLock { $0 } ?? 0
  }
}
