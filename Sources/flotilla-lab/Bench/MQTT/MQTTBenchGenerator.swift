internal import Core
internal import Foundation
internal import Transport

/// A process of `flotilla-lab bench mqtt` that publishes as many clients.
package enum MQTTBenchGenerator {
  package struct Part: Equatable, Sendable {
    package var port: UInt16
    package var first: Int
    package var clients: Int
    package var rate: Double
    package var seconds: Int

    var text: String { "\(port),\(first),\(clients),\(rate),\(seconds)" }
  }

  /// The final output of the process, written as one line of JSON.
  struct Figures: Codable {
    var clients: Int
    var acknowledged: Int
    var failed: Int
    var seconds: Double
    var cpuMicroseconds: Double
    var bareBytes: Int
    var residentBytes: Int
    var lagP99Microseconds: Double
    var responseP99Microseconds: Double
  }

  /// Connects and prints the number of clients, then after a line of input publishes and reports.
  package static func run(
    _ part: Part, say: (String) -> Void, nextLine: () -> String?, shouldStop: () -> Bool
  ) {
    let bare = ProcessMetrics.current().residentBytes
    let phones = UInt32(part.first)..<UInt32(part.first + part.clients)
    let offerer = Offerer<MQTTClients>(Endpoint(host: "127.0.0.1", port: part.port), of: phones)
    defer { offerer.stop() }
    say("\(offerer.connect(phones, shouldStop))")
    guard nextLine() != nil else { return }
    offerer.offer(part.rate, from: MonotonicClock.now + .milliseconds(50))
    Waiter.shared.pause(.seconds(1), unless: shouldStop)
    _ = offerer.take()
    let (began, cpu) = (MonotonicClock.now, ProcessMetrics.current().cpuMicroseconds)
    Waiter.shared.pause(.seconds(Int64(part.seconds)), unless: shouldStop)
    let tally = offerer.take()
    let now = ProcessMetrics.current()
    let figures = Figures(
      clients: offerer.withClient { $0?.counters[.openConnections] ?? 0 },
      acknowledged: tally.answered, failed: tally.failed,
      seconds: (MonotonicClock.now - began).seconds,
      cpuMicroseconds: Double(now.cpuMicroseconds - cpu), bareBytes: bare,
      residentBytes: now.residentBytes, lagP99Microseconds: p99(tally.lag),
      responseP99Microseconds: p99(tally.response))
    // Encoding cannot fail, as the figures are finite numbers.
    guard let line = try? JSONEncoder().encode(figures) else { return }
    // swift-format-ignore: it is JSON.
    say(String(decoding: line, as: UTF8.self))
  }

  /// Returns the p99 in microseconds, or 10^12 with too few samples, so that no bar is met.
  private static func p99(_ histogram: Histogram) -> Double {
    histogram.percentile(0.99).microseconds.map { Double($0) } ?? 1e12
  }
}

extension MQTTBenchGenerator.Part {
  package init?(_ text: String) {
    let words = text.split(separator: ",").compactMap { Double($0) }
    guard words.count == 5, let port = UInt16(exactly: words[0]),
      let first = Int(exactly: words[1]), let clients = Int(exactly: words[2]), clients > 0,
      words[3] > 0, let seconds = Int(exactly: words[4])
    else { return nil }
    self.init(port: port, first: first, clients: clients, rate: words[3], seconds: seconds)
  }
}
