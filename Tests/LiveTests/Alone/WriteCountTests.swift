import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("System calls of a collector", .live, .timeLimit(.minutes(10)))
  struct WriteCountTests {
    /// Reads and writes of one descriptor, as strace counts them.
    private struct Calls {
      var reads = 0
      var writes = 0
    }

    /// `14817 write(28, …) = 432`, by descriptor. Reads that found nothing count as none.
    private func calls(in trace: String) -> [Substring: Calls] {
      var calls: [Substring: Calls] = [:]
      for line in trace.split(separator: "\n") {
        guard let found = line.firstMatch(of: #/(read|write)\((\d+),.* = (-?\d+)/#),
          let bytes = Int(found.3), bytes > 0
        else { continue }
        if found.1 == "read" {
          calls[found.2, default: Calls()].reads += 1
        } else {
          calls[found.2, default: Calls()].writes += 1
        }
      }
      return calls
    }

    @Test(
      "the responses of a loop turn are one write per connection, also over gRPC",
      .needs(.optimisedProgram), .needs(.h2load), .needs(.strace))
    func writes() async throws {
      let folder = try TemporaryFolder()
      // A Health call: an empty message after its prefix.
      try Data([0, 0, 0, 0, 0]).write(to: folder["body"])
      let program = try #require(Oracle.optimisedProgram.path)
      let collector = try RunningProcess(
        URL(fileURLWithPath: try #require(Oracle.strace.path)),
        [
          // strace as a grandchild: a signal to the process started here goes to the program.
          "-D", "-f", "-qq", "-e", "trace=read,write", "-e", "signal=none",
          "-o", folder["trace"].path, program, "collect", "--listen", "127.0.0.1:0", "--store",
          "none", "--ui", "plain",
        ])
      try await collector.says("its port") { $0.contains(#/listening on .*:\d+\n/#) }
      let port = try #require(collector.text.firstMatch(of: #/listening on .*:(\d+)\n/#)).1
      let load = try RunningProcess(
        URL(fileURLWithPath: try #require(Oracle.h2load.path)),
        [
          "-t", "1", "-n", "8000", "-c", "10", "-m", "8", "-d", folder["body"].path,
          "-H", "content-type: application/grpc", "-H", "te: trailers",
          "http://127.0.0.1:\(port)/flotilla.v1.Collector/Health",
        ])
      let ended = try await load.end()
      #expect(ended.text.contains("8000 succeeded, 0 failed"), "\(ended.text)")
      collector.signal(SIGTERM)
      _ = try await collector.end()
      let trace = try String(contentsOf: folder["trace"], encoding: .utf8)
      // Those of the ten connections: others have a handful each.
      let sockets = calls(in: trace).values.filter { $0.writes > 50 }
      #expect(sockets.count == 10)
      for socket in sockets { #expect(socket.writes <= socket.reads) }
      let writes = sockets.map(\.writes).reduce(0, +)
      #expect(writes <= 8_000 / 4, "\(writes) writes for 8,000 answers")
    }
  }
}
