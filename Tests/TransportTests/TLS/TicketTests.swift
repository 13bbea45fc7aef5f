import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// Replacements while a server runs: certificates, and ticket keys.
@Suite("Tickets and reloads", .quick)
struct TicketTests {
  /// Uploads of one phone, a connection each, after which it has a ticket.
  private func upload(
    _ count: Int, by fleet: TestFleet, in world: World, ended: inout Int
  ) throws -> [Bool] {
    fleet.dispatcher.submit(
      try TestFleet.jobs(count, from: world.now, over: .seconds(1), phones: 1))
    let report = fleet.wait(for: ended + count, in: world)
    defer { ended += count }
    #expect(report.acknowledged == ended + count)
    return report.completions[ended...].map { $0.handshake?.isResumed == true }
  }

  private func fleet(
    in world: World, to collector: TestCollector, _ certificates: Certificates
  ) throws -> TestFleet {
    let client = try certificates.client()
    return try TestFleet(in: world, to: collector.endpoint, .perUpload) {
      $0.tls = client
      $0.resumedShare = 1
    }
  }

  @Test("tickets survive a key rotation, and end with their key")
  func rotation() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let path = try certificates.ticketKeys(1)
      let server = try certificates.server { $0.ticketKeys = path }
      let collector = try TestCollector(in: world, tls: server)
      let fleet = try fleet(in: world, to: collector, certificates)
      var ended = 0
      #expect(try upload(2, by: fleet, in: world, ended: &ended) == [false, true])
      _ = try certificates.ticketKeys(2, 1)
      try server.reload()
      #expect(try upload(1, by: fleet, in: world, ended: &ended) == [true])
      // The ticket issued with it has the new key.
      _ = try certificates.ticketKeys(2)
      try server.reload()
      #expect(try upload(1, by: fleet, in: world, ended: &ended) == [true])
      _ = try certificates.ticketKeys(3)
      try server.reload()
      #expect(try upload(2, by: fleet, in: world, ended: &ended) == [false, true])
    }
  }

  @Test(
    "tickets survive a server restart only if the keys are in a file", arguments: [true, false])
  func restart(hasFile: Bool) throws {
    let certificates = try Certificates()
    try inWorld { world in
      let path = try certificates.ticketKeys(1)
      func start(on port: UInt16) throws -> TestCollector {
        let server = try certificates.server { $0.ticketKeys = hasFile ? path : nil }
        return try TestCollector(in: world, port: port, tls: server)
      }
      let first = try start(on: 0)
      let fleet = try fleet(in: world, to: first, certificates)
      var ended = 0
      #expect(try upload(2, by: fleet, in: world, ended: &ended) == [false, true])
      world.network.cut(port: first.port)
      world.settle()
      _ = try start(on: first.port)
      #expect(try upload(2, by: fleet, in: world, ended: &ended) == [hasFile, true])
    }
  }

  @Test("a reload does not affect open connections, and new ones get the new certificate")
  func reload() throws {
    let (old, new) = (try Certificates(), try Certificates())
    try inWorld { world in
      let server = try old.server()
      let collector = try TestCollector(in: world, tls: server)
      let before = RPCClient(loop: world.loop, to: collector.endpoint, tls: try old.client())
      _ = try world.call(before, .health)
      for (from, to) in [
        (new.files.certificate, old.files.certificate), (new.files.key, old.files.key),
      ] {
        try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
      }
      try server.reload()
      _ = try world.call(before, .health)
      let after = RPCClient(loop: world.loop, to: collector.endpoint, tls: try new.client())
      _ = try world.call(after, .health)
      #expect(collector.counters[.accepted] == 2)
    }
  }

  @Test("a reload of unusable files changes nothing")
  func badReload() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let server = try certificates.server()
      let collector = try TestCollector(in: world, tls: server)
      try Data("no key".utf8).write(to: URL(fileURLWithPath: certificates.files.key))
      #expect(throws: TLSSetupError.self) { try server.reload() }
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, tls: try certificates.client())
      _ = try world.call(client, .health)
    }
  }
}
