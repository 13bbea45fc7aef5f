import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("HTTP/2 with nginx", .live, .timeLimit(.minutes(10)), .needs(.nginx))
struct HTTP2Tests {
  @Test("many requests share one connection over TLS")
  func shared() throws {
    let nginx = try NginxServer()
    let caller = caller(.negotiated, nginx)
    defer { caller.close() }
    let request = request(to: nginx.secured)
    #expect(nginx.isUp { caller.call(request).answer?.status == 200 })
    let ends = caller.call((0..<200).map { _ in request }, of: Array(0..<200))
    for end in ends {
      #expect(end.answer?.version == 20 && end.text == #"{"result":"ok"}"#, "\(end.result)")
      #expect(end.connections == 0)
    }
    #expect(caller.counters[.openConnections] == 1)
  }

  @Test("requests that a server refuses unread are sent again")
  func refused() throws {
    let nginx = try NginxServer(keepsRequests: 40)
    let caller = caller(.negotiated, nginx)
    defer { caller.close() }
    let request = request(to: nginx.secured)
    #expect(nginx.isUp { caller.call(request).answer?.status == 200 })
    let ends = caller.call((0..<400).map { _ in request }, of: Array(0..<400))
    let failures = ends.filter { $0.answer?.status != 200 }
    #expect(failures.isEmpty, "\(failures.map(\.result))")
    #expect(caller.counters[.connects] >= 10)
  }

  @Test("without TLS, each request has its own connection")
  func clear() throws {
    let nginx = try NginxServer()
    let caller = caller(.http2, nginx)
    defer { caller.close() }
    let request = request(to: nginx.plain)
    #expect(nginx.isUp { caller.call(request).answer?.status == 200 })
    let ends = caller.call((0..<20).map { _ in request }, of: Array(0..<20))
    for end in ends {
      #expect(end.answer?.version == 20 && end.connections == 1, "\(end.result)")
    }
  }

  private func caller(_ version: HTTPSettings.Version, _ nginx: NginxServer) -> HTTPCaller {
    var settings = HTTPSettings()
    settings.version = version
    settings.use = .pooled(1)
    settings.trust.authorities = nginx.certificates.authority
    return HTTPCaller(settings)
  }

  private func request(to url: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", url: url, headers: ["Content-Type: application/json"],
      body: Array(repeating: 0x20, count: 2_000))
  }

  @Test("a server without HTTP/2 gets HTTP/1.1, on one connection")
  func fallback() throws {
    let nginx = try NginxServer(speaksHTTP2: false)
    let caller = caller(.negotiated, nginx)
    defer { caller.close() }
    let request = HTTPRequest(method: "GET", url: nginx.secured)
    #expect(nginx.isUp { caller.call(request).answer?.status == 200 })
    let ends = caller.call((0..<20).map { _ in request }, of: Array(0..<20))
    #expect(ends.allSatisfy { $0.answer?.version == 11 && $0.connections == 0 })
    #expect(caller.counters[.openConnectionsPeak] == 1)
  }
}

/// nginx that answers everything at once, with two ports: in the clear and over TLS.
final class NginxServer {
  let certificates: Certificates
  private let process = Process()
  private let ports: [UInt16]
  var plain: String { "http://127.0.0.1:\(ports[0])/fixes" }
  var secured: String { "https://127.0.0.1:\(ports[1])/fixes" }

  init(
    speaksHTTP2: Bool = true, keepsIdleSeconds: Int = 75, keepsRequests: Int = 1_000
  ) throws {
    certificates = try Certificates()
    ports = [try FreePort.next(), try FreePort.next()]
    let place = certificates.folder
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(place)/\($0);" }
    let version = speaksHTTP2 ? "http2" : ""
    let user = getuid() == 0 ? "user root;" : ""
    try Data(
      """
      \(user) pid \(place)/pid; error_log \(place)/error.log; worker_processes 1;
      events { worker_connections 1024; }
      http {
        access_log off; keepalive_timeout \(keepsIdleSeconds)s;
        keepalive_requests \(keepsRequests);
        \(temporary.joined(separator: " "))
        server {
          listen 127.0.0.1:\(ports[0]) \(version);
          listen 127.0.0.1:\(ports[1]) ssl \(version);
          ssl_certificate \(certificates.files.certificate);
          ssl_certificate_key \(certificates.files.key);
          location / { return 200 '{"result":"ok"}'; }
        }
      }
      """.utf8
    ).write(to: URL(fileURLWithPath: "\(place)/nginx.conf"))
    process.executableURL = URL(fileURLWithPath: Oracle.nginx.path ?? "nginx")
    process.arguments = ["-p", place, "-c", "nginx.conf", "-g", "daemon off;"]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Its master ends the worker.
  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Waits until it answers.
  func isUp(_ answers: () -> Bool) -> Bool {
    for _ in 0..<6_000 {
      if answers() { return true }
      usleep(20_000)
    }
    return false
  }
}
