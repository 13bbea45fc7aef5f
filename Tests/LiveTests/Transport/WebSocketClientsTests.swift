import Core
import Foundation
import LiveSupport
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

/// The server of websocket_server.py, with PyPI's websockets.
final class WebSocketServer {
  let process: RunningProcess
  let address: String

  init(_ arguments: [String] = []) async throws {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/websocket_server.py")
    process = try RunningProcess(PythonScript.python, [script.path, "--stay"] + arguments)
    try await process.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    address = String(process.text.dropFirst("listening on ".count).prefix { $0 != "\n" })
  }

  deinit { process.signal(SIGKILL) }

  func caller(
    _ path: String = "/", _ change: (inout WebSocketSettings) -> Void = { _ in }
  ) throws -> WebSocketCaller {
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    var settings = WebSocketSettings(server: Endpoint(host: "127.0.0.1", port: port))
    change(&settings)
    return try WebSocketCaller(settings) { _ in WebSocketOpening(path: path) }
  }
}

@Suite("WebSockets with PyPI's websockets", .live, .timeLimit(.minutes(10)), .needs(.websockets))
struct WebSocketClientsTests {
  @Test("messages arrive unchanged, as text and binary, and each phone keeps its connection")
  func echo() async throws {
    let server = try await WebSocketServer(["--answers", "echo"])
    let caller = try server.caller { $0.subprotocol = "positions.v1" }
    defer { caller.close() }
    let texts = ["", "hello", "\u{e9}\u{1F4CD}", String(repeating: "x", count: 200_000)]
    for round in 0..<3 {
      for (index, text) in texts.enumerated() {
        let messages = (0..<20).map {
          WebSocketMessage(Array("\($0)\(text)".utf8), isBinary: index % 2 == 1)
        }
        let ends = caller.call(messages, of: (0..<20).map { $0 })
        for (message, end) in zip(messages, ends) {
          #expect(try end.result.get().body == message.body)
          #expect(end.connections == (round + index == 0 ? 1 : 0))
        }
      }
    }
    let counters = caller.counters
    #expect(counters[.connects] == 20 && counters[.openConnections] == 20)
    #expect(counters[.inFlight] == 0 && counters[.connectionsLost] == 0)
  }

  @Test("one connection per upload: each message connects and closes")
  func perUpload() async throws {
    let server = try await WebSocketServer(["--answers", "echo"])
    let caller = try server.caller { $0.keepsConnections = false }
    defer { caller.close() }
    for round in 0..<5 {
      let end = caller.call(WebSocketMessage(Array("\(round)".utf8)))
      #expect(end.failure == nil && end.connections == 1, "\(end.result)")
    }
    #expect(caller.counters[.connects] == 5 && caller.counters[.openConnections] == 0)
  }

  @Test("pings keep an idle connection, and a server that dies ends it")
  func pings() async throws {
    let server = try await WebSocketServer(["--answers", "echo"])
    let caller = try server.caller { $0.keepalive = .seconds(1) }
    defer { caller.close() }
    #expect(caller.call(WebSocketMessage([1])).failure == nil)
    Waiter.shared.pause(.seconds(3))
    #expect(caller.call(WebSocketMessage([2])).connections == 0)
    server.process.signal(SIGKILL)
    let end = caller.call(WebSocketMessage([3]))
    #expect(
      ["connection closed", "connection refused"].contains(end.failure?.kind), "\(end.result)")
  }

  @Test("over TLS only a server with a trusted CA and the right name gets the message")
  func trust() async throws {
    let certificates = try Certificates()
    let files = certificates.files
    let server = try await WebSocketServer([
      "--answers", "echo", "--cert", files.certificate, "--key", files.key,
    ])
    func end(_ change: (inout ServerTrust) -> Void) throws -> WebSocketExchange {
      var trust = ServerTrust()
      change(&trust)
      let caller = try server.caller { $0.security = trust }
      defer { caller.close() }
      return caller.call(WebSocketMessage(Array("hello".utf8)))
    }
    let trusted = try end { $0.authorities = certificates.authority }
    #expect(trusted.failure == nil && trusted.times.securing > .zero, "\(trusted.result)")
    let other = try Certificates { $0.hosts = ["other.example"] }
    let unknown = try end { $0.authorities = other.authority }
    #expect(
      unknown.failure == .insecure(reason: "\(TLSError.unknownAuthority)"), "\(unknown.result)")
    let misnamed = try await WebSocketServer([
      "--answers", "echo", "--cert", other.files.certificate, "--key", other.files.key,
    ])
    var trust = ServerTrust()
    trust.authorities = other.authority
    let named = try misnamed.caller { $0.security = trust }
    defer { named.close() }
    let refused = named.call(WebSocketMessage([1])).failure
    #expect(refused == .insecure(reason: "\(TLSError.wrongName)"), "\(String(describing: refused))")
    let careless = try end { ($0.verifies, $0.needsTLS13) = (false, true) }
    #expect(careless.failure == nil, "\(careless.result)")
    let plain = try server.caller()
    defer { plain.close() }
    #expect(plain.call(WebSocketMessage([1])).failure != nil)
  }

  @Test("each phone presents its certificate, and resumes its session")
  func identities() async throws {
    let certificates = try Certificates()
    let phone = try Certificates { $0.name = "jane" }
    let server = try await WebSocketServer([
      "--answers", "echo", "--cert", certificates.files.certificate, "--key",
      certificates.files.key, "--client-ca", phone.authority,
    ])
    let identity = HTTPIdentity(
      certificate: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.certificate))),
      key: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.key))))
    let port = try #require(server.address.split(separator: ":").last.flatMap { UInt16($0) })
    var settings = WebSocketSettings(server: Endpoint(host: "127.0.0.1", port: port))
    settings.keepsConnections = false
    settings.security = ServerTrust()
    settings.security?.authorities = certificates.authority
    let caller = try WebSocketCaller(settings) { phone in
      var opening = WebSocketOpening(path: "/")
      if phone == 0 { opening.identity = identity }
      opening.resumes = true
      return opening
    }
    defer { caller.close() }
    for round in 0..<3 {
      let end = caller.call(WebSocketMessage([1]))
      #expect(end.failure == nil, "\(end.result)")
      #expect(end.isResumed == (round > 0))
    }
    #expect(caller.call(WebSocketMessage([1]), of: 1).failure != nil)
    #expect(caller.counters[.handshakesResumed] == 2)
  }

  @Test("5,000 phones have a connection each")
  func many() async throws {
    let server = try await WebSocketServer(["--answers", "echo"])
    let caller = try server.caller {
      $0.connectTimeout = .minutes(2); $0.timeout = .minutes(2)
    }
    defer { caller.close() }
    for _ in 0..<2 {
      let ends = caller.call(
        (0..<5_000).map { WebSocketMessage(Array("\($0)".utf8)) }, of: (0..<5_000).map { $0 })
      #expect(ends.allSatisfy { $0.failure == nil })
    }
    #expect(caller.counters[.openConnections] == 5_000 && caller.counters[.connects] == 5_000)
  }
}

extension WebSocketExchange {
  var failure: WebSocketError? {
    if case .failure(let failure) = result { failure } else { nil }
  }
}
