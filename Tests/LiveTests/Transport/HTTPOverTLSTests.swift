import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("HTTP over TLS", .live, .timeLimit(.minutes(10)), .needs(.pythonPackages))
struct HTTPOverTLSTests {
  @Test("a server with an untrusted CA or another host name gets no request")
  func trust() throws {
    let certificates = try Certificates()
    let server = try HTTPServers(certificates)
    let untrusted = server.call([server.post("/ok")])[0]
    #expect(untrusted.failure?.kind == "TLS failed", "\(untrusted.result)")
    let trusted = server.call([server.post("/ok")]) {
      $0.trust.authorities = certificates.authority
    }[0]
    #expect(trusted.answer?.status == 200, "\(trusted.result)")
    #expect(trusted.times.securing > .zero && !trusted.isResumed)
    let other = try Certificates { $0.hosts = ["other.example"] }
    let misnamed = try HTTPServers(other)
    let refused = misnamed.call([misnamed.post("/ok")]) { $0.trust.authorities = other.authority }[
      0]
    #expect(refused.failure?.kind == "TLS failed", "\(refused.result)")
    let taken = misnamed.call([misnamed.post("/ok")]) {
      ($0.trust.verifies, $0.trust.needsTLS13) = (false, true)
    }[0]
    #expect(taken.answer?.status == 200, "\(taken.result)")
  }

  @Test("each phone presents its certificate; without one, it is rejected in one line")
  func identities() throws {
    let certificates = try Certificates()
    let phones = try ["jane", "john"].map { name in try Certificates { $0.name = name } }
    let authorities = "\(certificates.folder)/clients.pem"
    try phones.map { try String(contentsOfFile: $0.authority, encoding: .utf8) }.joined()
      .write(toFile: authorities, atomically: true, encoding: .utf8)
    let server = try HTTPServers(certificates, clients: authorities)
    var requests = (0..<5).map { _ in server.post("/ok") }
    for place in 0..<4 { requests[place].identity = try identity(of: phones[place % 2]) }
    let ends = server.call(requests, of: [0, 1, 0, 1, 2]) {
      ($0.trust.authorities, $0.use) = (certificates.authority, .pooled(1))
    }
    #expect(
      ends.prefix(4).map { $0.answer?.header("x-peer") } == ["jane", "john", "jane", "john"])
    #expect(ends[4].failure?.kind == "TLS failed", "\(ends[4].result)")
  }

  @Test("sessions resume only if allowed, and only for the same phone")
  func resumption() throws {
    let certificates = try Certificates()
    let server = try HTTPServers(certificates)
    var settings = HTTPSettings()
    settings.trust.authorities = certificates.authority
    let caller = HTTPCaller(settings)
    defer { caller.close() }
    func call(of phone: UInt32, resumes: Bool) -> Bool? {
      var request = server.post("/ok")
      request.resumes = resumes
      let end = caller.call(request, of: phone)
      #expect(end.answer?.header("x-resumed") == (end.isResumed ? "True" : "False"))
      return end.isResumed
    }
    #expect(call(of: 1, resumes: true) == false)
    #expect(call(of: 1, resumes: true) == true)
    #expect(call(of: 2, resumes: true) == false)
    #expect(call(of: 1, resumes: false) == false)
    let counters = caller.counters
    #expect(counters[.handshakesFull] == 3 && counters[.handshakesResumed] == 1)
  }

  private func identity(of certificates: Certificates) throws -> HTTPIdentity {
    func bytes(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    return HTTPIdentity(
      certificate: try bytes(certificates.files.certificate),
      key: try bytes(certificates.files.key))
  }
}
