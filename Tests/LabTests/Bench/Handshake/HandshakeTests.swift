import Core
import Foundation
import TestSupport
import Testing
import Transport
@testable import flotilla_lab

@Suite("Handshake benchmark", .quick)
struct HandshakeTests {
  private static func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("handshakes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  @Test("TLS may add 3.5 µs to a call, per side")
  func added() throws {
    try Self.withFolder { folder in
      var bench = try SecuredCallBench(.grpc, calls: 64, folder: folder, shouldStop: { false })
      #expect(bench.bars.map(\.limit) == [.atMost(3.5), .atMost(3.5)])
      let figures = try bench.round { MonotonicClock.now }
      let failed = figures.first { $0.figure == "failed" }?.samples.first
      #expect(failed == 0)
      #expect(figures.count == 5)
    }
  }

  @Test("the output of the plain program has the cost of each side")
  func bare() {
    let line = """
      net p256 full membio=1 release=1 tickets=1 verify=1 conns=2000 x 1 req: 1645 conn/s 1645 \
      req/s; server 384.1 us client 607.0 us a connection; reused 0
      """
    let cost = BareTLS.Cost(line)
    #expect(cost?.server == 384.1)
    #expect(cost?.client == 607)
    #expect(BareTLS.Cost("bind: Address already in use") == nil)
  }
}
