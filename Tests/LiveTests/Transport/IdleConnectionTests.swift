import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "Idle connections closed by the server", .live, .timeLimit(.minutes(10)),
  .needs(.pythonPackages), .needs(.nginx))
struct IdleConnectionTests {
  @Test("a connection closed by the server is closed, even without traffic")
  func clear() throws {
    let server = try HTTPServers()
    let caller = caller { $0.use = .perPhone }
    defer { caller.close() }
    let ends = caller.call((0..<40).map { _ in server.post("/last") }, of: Array(0..<40))
    #expect(ends.allSatisfy { $0.answer?.status == 200 && $0.connections == 1 })
    let kept = caller.call(server.post("/ok"), of: 40)
    #expect(settles(caller, at: 1))
    #expect(caller.counters[.connects] == 41)
    let again = caller.call((0..<41).map { _ in server.post("/ok") }, of: Array(0..<41))
    #expect(again.allSatisfy { $0.answer?.status == 200 })
    #expect(again.map(\.connections) == Array(repeating: 1, count: 40) + [0])
    #expect(again[40].connection == kept.connection)
  }

  @Test("the phone resumes its TLS session when it reconnects")
  func secured() throws {
    let certificates = try Certificates()
    let server = try HTTPServers(certificates)
    let caller = caller { ($0.use, $0.trust.authorities) = (.perPhone, certificates.authority) }
    defer { caller.close() }
    var request = server.post("/last")
    request.resumes = true
    #expect(caller.call(request, of: 7).isResumed == false)
    #expect(settles(caller, at: 0))
    let again = caller.call(request, of: 7)
    #expect(again.connections == 1 && again.isResumed)
  }

  @Test("HTTP/2 with nginx, whose GOAWAY comes before the end")
  func http2() throws {
    let nginx = try NginxServer(keepsIdleSeconds: 1)
    let caller = caller {
      ($0.version, $0.use, $0.trust.authorities) = (
        .negotiated, .perPhone, nginx.certificates.authority
      )
    }
    defer { caller.close() }
    let request = HTTPRequest(method: "GET", url: nginx.secured)
    #expect(nginx.isUp { caller.call(request).answer?.version == 20 })
    #expect(settles(caller, at: 0))
    #expect(caller.call(request).connections == 1)
  }

  private func caller(_ change: (inout HTTPSettings) -> Void) -> HTTPCaller {
    var settings = HTTPSettings()
    change(&settings)
    return HTTPCaller(settings)
  }

  /// Whether that many connections are open after a while; no limit but the suite's.
  private func settles(_ caller: HTTPCaller, at count: Int) -> Bool {
    while caller.counters[.openConnections] != count { usleep(20_000) }
    return true
  }
}
