import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// Who trusts whom, and the error otherwise.
@Suite("Trust between client and server", .quick)
struct TrustTests {
  /// The error of a client's call, and the server's count.
  private func failure(
    _ server: TLSServer?, _ client: TLSClient?, host: String = "127.0.0.1"
  ) throws -> (text: String, counters: TLSCounters) {
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: server)
      let endpoint = Endpoint(host: host, port: collector.port)
      let rpc = RPCClient(loop: world.loop, to: endpoint, tls: client)
      do throws(RPCClient.CallError) {
        _ = try world.call(rpc, .health)
        return ("", collector.handshakes)
      } catch {
        world.settle()
        #expect(error.status.code == .unavailable)
        return (error.status.text, collector.handshakes)
      }
    }
  }

  @Test(
    "a server with an unknown CA is refused, and the client says how to trust it")
  func wrongAuthority() throws {
    let (ours, other) = (try Certificates(), try Certificates())
    let (text, counters) = try failure(ours.server(), other.client())
    #expect(text.contains("no trusted CA signed") && text.contains("--ca"))
    #expect(counters.failed(.refused) == 1)
  }

  @Test("an expired certificate is refused, and so is one that is not valid yet")
  func expired() throws {
    let old = try Certificates { $0.validUntil = -60 }
    #expect(try failure(old.server(), old.client()).text.contains("has expired"))
    let young = try Certificates { $0.validFrom = 86_400 }
    #expect(try failure(young.server(), young.client()).text.contains("not valid yet"))
  }

  @Test(
    "a certificate is valid for the hosts that it names",
    arguments: [
      (["127.0.0.1"], "127.0.0.1", true), (["127.0.0.2"], "127.0.0.1", false),
      (["localhost"], "localhost", true), (["example.org"], "localhost", false),
      (["localhost"], "127.0.0.1", false),
    ])
  func names(hosts: [String], host: String, isGood: Bool) throws {
    let certificates = try Certificates { $0.hosts = hosts }
    let text = try failure(certificates.server(), certificates.client(), host: host).text
    #expect(text.contains("for another name") == !isGood)
    #expect(text.isEmpty == isGood)
  }

  @Test("a server with a client CA accepts its clients, and tells others what is missing")
  func clientCertificates() throws {
    let certificates = try Certificates()
    let clients = try Certificates { $0.hosts = ["phone"] }
    let server = try certificates.server { $0.clientAuthorities = clients.authority }
    let without = try failure(server, certificates.client())
    #expect(without.text.contains("--client-cert"))
    #expect(without.counters.failed(.noClientCertificate) > 0)
    let known = try certificates.client {
      $0.certificate = clients.files.certificate
      $0.key = clients.files.key
    }
    #expect(try failure(server, known).text.isEmpty)
    let unknown = try certificates.client {
      $0.certificate = certificates.files.certificate
      $0.key = certificates.files.key
    }
    let refused = try failure(server, unknown)
    #expect(refused.text.contains("unknown ca"))
    #expect(refused.counters.failed(.badCertificate) == 1)
  }

  @Test("a client in the clear is told that the port uses TLS, and the server counts it")
  func plainClient() throws {
    let (text, counters) = try failure(Certificates().server(), nil)
    #expect(text.contains("the peer uses TLS") && text.contains("--tls"))
    #expect(counters.failed(.notTLS) == 1)
  }

  @Test("a TLS client is told that the port may be in the clear")
  func plainServer() throws {
    let (text, _) = try failure(nil, Certificates().client())
    #expect(text.contains("it may not use TLS"))
  }

  @Test("unusable files are named, with what to do")
  func files() throws {
    let (one, two) = (try Certificates(), try Certificates())
    #expect(throws: TLSSetupError.otherKey(certificate: one.files.certificate, key: two.files.key))
    {
      try one.server { $0.key = two.files.key }
    }
    let missing = "\(one.folder)/none.pem"
    #expect("\(error { _ = try one.server { $0.certificate = missing } })".hasPrefix(missing))
    #expect("\(error { _ = try one.server { $0.key = one.authority } })".hasPrefix(one.authority))
    #expect("\(error { _ = try one.client { $0.authorities = missing } })".hasPrefix(missing))
    #expect(throws: TLSSetupError.badTicketKeys(path: one.files.key, bytes: try one.keyBytes)) {
      try one.server { $0.ticketKeys = one.files.key }
    }
  }

  private func error(_ body: () throws -> Void) -> any Error {
    do { try body() } catch { return error }
    return CancellationError()
  }
}

extension Certificates {
  fileprivate var keyBytes: Int {
    get throws { try Data(contentsOf: URL(fileURLWithPath: files.key)).count }
  }
}
