import Collector
import Core
import Dispatch
import Figures
import Fleet
import Foundation
import Synchronization
import Testing
import Transport
import Uploads
import Targets

@testable import Run
@testable import Scenarios

/// Runs a collector on a separate thread while `body` uses it.
enum RunningCollector {
  private final class Port: Sendable {
    let number = Mutex<UInt16>(0)
  }

  static func use<Result>(_ body: (LoadRun.Target) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appending(path: "run.db").path
    let server = try CollectorServer(CollectorConfiguration(store: .sqlite(path: store)))
    let (listening, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let port = Port()
    Thread.detachNewThread {
      try? server.run { number in
        port.number.withLock { $0 = number }
        listening.signal()
      }
      ended.signal()
    }
    defer {
      server.stop()
      #expect(ended.wait(timeout: .now() + 60) == .success)
    }
    try #require(listening.wait(timeout: .now() + 60) == .success)
    return try body(
      .existing([Endpoint(host: "127.0.0.1", port: port.number.withLock { $0 })], token: nil))
  }
}

/// Work of each process of a live run.
enum LiveShares {
  static let plan = RunPlan.fourSecondsLive { MonotonicClock.now }

  /// - Parameters:
  ///   - limit: time after its warm start at which the process is interrupted; nil: never.
  ///   - show: receives the phones of every interval that the process shows.
  static func load(
    _ link: any ShareLink, _ target: LoadRun.Target, interruptedAfter limit: WallDuration? = nil,
    show: @escaping (Int) -> Void = { _ in }
  ) -> Result<RunOutcome, CollectorRunError> {
    var plan = plan
    plan.link = link
    var end: WallInstant?
    let run = LoadRun(
      plan, target: link.place.isFirst ? target : nil,
      progress: { progress in
        if case .live(let interval) = progress { show(interval.snapshot.phones?.installed ?? 0) }
        guard case .note(let text) = progress, text.hasPrefix("warm start") else { return }
        end = limit.map { MonotonicClock.now + $0 }
      }, shouldStop: { end.map { MonotonicClock.now > $0 } ?? false })
    do throws(CollectorRunError) { return .success(try run.run()) } catch { return .failure(error) }
  }
}
