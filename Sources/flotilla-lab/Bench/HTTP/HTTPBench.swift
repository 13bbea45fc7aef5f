package import Core
internal import Foundation
internal import Transport
internal import Uploads

/// The HTTP/1.1 throughput of one core on kept connections: batches of 100 fixes as JSON.
///
///     core 0: generator's loop ──kept connections──▶ core 1: a process that only responds
///
/// Each round saturates the server, then sends at half of that rate to measure the lag.
package struct HTTPBench: Benchmark {
  package let name = "http"
  private let executable: String
  private let connections: Int
  private let seconds: Int
  private let requests: [String]
  private let isPinned: Bool
  private let wakeful = WakefulCores()
  private let shouldStop: () -> Bool

  package static let fixes = 100

  /// - Parameter executable: The program that serves. `seconds` is the length of half a round.
  package init(
    executable: String, connections: Int, seconds: Int, shouldStop: @escaping () -> Bool
  ) {
    self.executable = executable
    self.connections = connections
    self.seconds = seconds
    self.shouldStop = shouldStop
    requests = (0..<64).map(Self.body)
    ProcessTuning.raiseOpenFiles()
    isPinned = CorePin.pinThisProcess(to: 0)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("connections", .count(connections)), ("fixes", .count(Self.fixes)),
      ("bodyBytes", .count(requests[0].utf8.count)), ("pinned", .word(isPinned ? "yes" : "no")),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("requestsPerSecond", .atLeast(8_000)),
      BenchBar("generatorLagP99Microseconds", .atMost(1_000)),
    ]
  }

  /// Measures both halves of a round, each after one second of warm-up.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let server = try LineProcess(executable, ["bench", "http", "--serve"], core: 1)
    defer { server.stop() }
    let port = try server.next(UInt16.init)
    guard let (most, rate) = mostRate(port: port, clock) else { return [] }
    guard most.answered > 0 else { throw .wrongAnswer(program: "the server over HTTP") }
    let half = halfRate(rate / 2, port: port, clock)
    guard let half else { return [] }
    return [
      ("requestsPerSecond", [rate]),
      (
        "generatorCpuMicroseconds", [Double(most.threadNanoseconds) / 1e3 / Double(most.answered)]
      ),
      ("halfRequestsPerSecond", [Double(half.answered) / Double(seconds)]),
      (
        "halfCpuMicroseconds",
        [Double(half.threadNanoseconds) / 1e3 / Double(max(1, half.answered))]
      ),
      ("generatorLagP99Microseconds", Self.sample(half.lag)),
      ("responseP99Microseconds", Self.sample(half.response)),
      ("failed", [Double(most.failed + half.failed)]),
    ]
  }

  /// Measures the rate at which the server is saturated, with a generator that stops afterwards.
  private func mostRate(
    port: UInt16, _ clock: () -> WallInstant
  ) -> (tally: Offerer<HTTPClient>.Tally, perSecond: Double)? {
    let offerer = Offerer<HTTPClient>(
      requests.map { Self.request($0, port: port) }, connections: connections)
    defer { offerer.stop() }
    offerer.saturate()
    guard wait(.seconds(1)) else { return nil }
    _ = offerer.take()
    let began = clock()
    guard wait(.seconds(Int64(seconds))) else { return nil }
    let most = offerer.take()
    return (most, Double(most.answered) / (clock() - began).seconds)
  }

  private func halfRate(
    _ rate: Double, port: UInt16, _ clock: () -> WallInstant
  ) -> Offerer<HTTPClient>.Tally? {
    let offerer = Offerer<HTTPClient>(
      requests.map { Self.request($0, port: port) }, connections: connections)
    defer { offerer.stop() }
    offerer.offer(rate, from: clock() + .milliseconds(50))
    guard wait(.seconds(1)) else { return nil }
    _ = offerer.take()
    guard wait(.seconds(Int64(seconds))) else { return nil }
    return offerer.take()
  }

  private static func sample(_ histogram: Histogram) -> [Double] {
    histogram.percentile(0.99).microseconds.map { [Double($0)] } ?? []
  }

  private func wait(_ duration: WallDuration) -> Bool {
    Waiter.shared.pause(duration, unless: shouldStop)
    return !shouldStop()
  }

  private static func request(_ body: String, port: UInt16) -> HTTPRequest {
    HTTPRequest(
      method: "POST", url: "http://127.0.0.1:\(port)/fixes",
      headers: ["Content-Type: application/json"], body: Array(body.utf8))
  }

  /// Returns a batch in a typical JSON format: one object per fix.
  private static func body(_ phone: Int) -> String {
    let fixes = (0..<fixes).map { fix in
      """
      {"at":\(1_795_265_539 + fix * 30),"lat":52.\(500_000 + phone * 997 + fix * 13),\
      "lon":13.\(400_000 + phone * 991 + fix * 17),"acc":\(5 + fix % 40),"vel":\(fix % 27)}
      """
    }
    return #"{"device":"a\#(phone)","locations":[\#(fixes.joined(separator: ","))]}"#
  }
}
