import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Requests after a server's GOAWAY", .quick)
struct HTTPGoAwayTests {
  /// Client and server on one loop, whose turns order what they do. Answers at once, but `/held`:
  /// it says GOAWAY first, and answers when the client has read that and has begun more requests.
  ///
  /// `@unchecked Sendable`: its state is used on its loop's thread only.
  private final class Rig: HTTPHandler, @unchecked Sendable {
    let loop = EventLoop(name: "both")
    let ends: Awaited<HTTPExchange>
    private let count: Int
    private var server: HTTPServer?
    private var client: HTTPClient?
    private var url = ""

    init(_ certificates: Certificates, lateRequests count: Int) throws {
      self.count = count
      ends = Awaited(count + 2)
      let server = HTTPServer(loop: loop, tls: try certificates.server(), handler: self)
      let port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
      self.server = server
      url = "https://127.0.0.1:\(port)"
      var settings = HTTPSettings()
      (settings.version, settings.use) = (.negotiated, .pooled(1))
      settings.trust.authorities = certificates.authority
      client = HTTPClient(on: loop, settings) { [unowned self] in ended($0, $1) }
    }

    func begin() {
      loop.start()
      loop.post { [self] in send("/first", as: 0) }
    }

    func close() {
      loop.sync { [self] in client?.close() }
      loop.stopAndWait()
    }

    private func send(_ path: String, as number: UInt64) {
      client?.send(HTTPRequest(method: "POST", url: url + path, body: [1]), as: number, of: 0)
    }

    private func ended(_ number: UInt64, _ end: HTTPExchange) {
      ends.set(end, at: Int(number))
      if number == 0 { send("/held", as: 1) }
    }

    /// Does it some turns of the loop later: what is on its way has been read by then.
    private func later(_ turns: Int = 10, _ work: @escaping @Sendable () -> Void) {
      loop.post { [self] in if turns == 0 { work() } else { later(turns - 1, work) } }
    }

    func received(_ request: ServedRequest) {
      guard request.fields.value(of: ":path")?.elementsEqual("/held".utf8) == true else {
        return request.answer(200, HTTPFields())
      }
      request.client.goAway("enough")
      held = request
      later { [self] in
        for number in 0..<count { send("/late", as: UInt64(number + 2)) }
        later(1) { [self] in held?.answer(200, HTTPFields()) }
      }
    }

    private var held: ServedRequest?

    func opened(_ client: HTTPPeer) {}
    func cancelled(_ request: ServedRequest) {}
    func ended(_ client: HTTPPeer) {}
  }

  @Test("a request put on a connection after its GOAWAY is sent on another", arguments: [1, 10])
  func late(count: Int) throws {
    let certificates = try Certificates()
    let rig = try Rig(certificates, lateRequests: count)
    rig.begin()
    for end in rig.ends.wait() { #expect(end.answer?.status == 200, "\(end.result)") }
    rig.close()
  }
}
