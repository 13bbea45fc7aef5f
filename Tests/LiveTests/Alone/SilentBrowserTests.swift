import Core
import Foundation
import LiveSupport
import TestSupport
import Testing
import Transport

extension Alone {
  /// What browsers cost that read slowly or not at all.
  @Suite("Browsers that do not read", .live, .timeLimit(.minutes(10)))
  struct SilentBrowserTests {
    @Test("a browser that never reads costs neither time nor memory, and others get everything")
    func silent() async throws {
      let server = try PageServer(
        Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page")
      let port = try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
      let silent = try (0..<8).map { _ in try Socket(port: port) }
      for socket in silent {
        socket.send(Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
      }
      try await eventually("they are served") { server.browsers == silent.count }
      let before = ProcessMetrics.current().residentBytes
      let row = String(repeating: "7", count: 1_000)
      let state = String(repeating: "s", count: 4_000)
      let clock = ContinuousClock()
      var slowest = Duration.zero
      for _ in 0..<40_000 {
        slowest = max(slowest, clock.measure { server.send(row: row, state: state) })
      }
      // 200 MB were sent to each; the history has 7,200 rows of 1 kB.
      #expect(ProcessMetrics.current().residentBytes - before < 100 << 20)
      // Needs: a processor within a second.
      #expect(slowest < .seconds(1), "\(slowest)")
      let reader = Task.detached { try Page("/events", port: port) }
      try await eventually("another reads") { server.browsers == silent.count + 1 }
      server.end("{}", within: .milliseconds(200))
      server.close()
      let page = try await reader.value
      #expect(page.code == 200)
      #expect(page.head.contains("Content-Type: text/event-stream"))
      #expect(page.body.components(separatedBy: "data: 7").count - 1 > 3_600)
      #expect(page.body.hasSuffix("event: end\ndata: {}\n\n"))
    }
  }
}
