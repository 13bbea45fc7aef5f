import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("WebSockets of strange servers", .quick)
struct StrangeServerTests {
  private func send(
    to server: StrangeServer, count: Int = 1, opening: WebSocketOpening = .init(path: "/positions"),
    _ change: (inout WebSocketSettings) -> Void = { _ in }
  ) throws -> (ends: [WebSocketExchange], counters: Sheet) {
    var settings = WebSocketSettings(server: Endpoint(host: "127.0.0.1", port: server.port))
    // For tests without a time limit of their own, next to tests that compute on every core.
    (settings.connectTimeout, settings.timeout) = (.minutes(2), .minutes(2))
    change(&settings)
    let caller = try WebSocketCaller(settings) { _ in opening }
    defer { caller.close() }
    let ends = caller.call((0..<count).map { WebSocketMessage(Array("message \($0)".utf8)) })
    return (ends, caller.counters)
  }

  private func answer(_ conduct: StrangeServer.Conduct) throws -> WebSocketExchange {
    let server = StrangeServer(conduct)
    return try send(to: server).ends[0]
  }

  @Test("a message in one frame or several is the answer, and control frames between are not")
  func fragments() throws {
    for answer in [
      [UInt8].frame(1, "hello"),
      .frame(1, "he", isLast: false) + .frame(9, "ping") + .frame(0, "l", isLast: false)
        + .frame(0, "lo"),
    ] {
      let end = try self.answer(.opens(answering: answer))
      #expect(try end.result.get().body == Array("hello".utf8), "\(end.result)")
      #expect(end.isWritten && end.connections == 1 && end.bytesSent == 6 + 9)
      #expect(end.times.whole > .zero)
    }
  }

  @Test("a server that accepts the connection and sends nothing ends in the time for it")
  func silent() throws {
    for conduct in [StrangeServer.Conduct.silent, .says("SSH-2.0-OpenSSH_9.2\r\n")] {
      let server = StrangeServer(conduct)
      let (ends, counters) = try send(to: server, count: 3) {
        $0.connectTimeout = .milliseconds(200)
      }
      for end in ends {
        #expect(end.failure == .connectTimedOut(.acknowledgement), "\(end.result)")
        #expect(!end.isWritten && end.times.whole >= .milliseconds(199))
      }
      #expect(counters[.openConnections] == 0 && counters[.inFlight] == 0)
    }
  }

  @Test("a server that never answers: the first message times out, the others go with it")
  func neverAnswers() throws {
    let server = StrangeServer(.opens())
    let (ends, counters) = try send(to: server, count: 3) { $0.timeout = .milliseconds(200) }
    #expect(ends[0].failure == .timedOut && ends[0].isWritten, "\(ends[0].result)")
    #expect(ends.allSatisfy { $0.failure != nil })
    #expect(counters[.openConnections] == 0 && counters[.connectionsLost] == 1)
  }

  @Test("an answer that is no upgrade is named with its status, and no redirect is followed")
  func noUpgrade() throws {
    let other = StrangeServer(.silent)
    let head =
      "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
      + "Location: ws://127.0.0.1:\(other.port)/\r\n\r\n"
    for (text, status) in [
      ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401), (head, 302),
      ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 3\r\n\r\nabc", 503),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 200),
    ] {
      let end = try answer(.says(text))
      #expect(
        end.failure == .rejected(reason: "it answered with status \(status) instead of 101"),
        "\(end.result)")
      #expect(!end.isWritten)
    }
    #expect(other.requests.isEmpty)
    #expect(try answer(.wrongAccept).failure?.kind == "client rejected")
    let binary = try answer(.says("\u{1}\u{2}\r\n\r\n"))
    #expect(binary.failure?.kind == "connection closed", "\(binary.result)")
  }

  @Test("a server that closes is one line, with its status and reason if it gave any")
  func closes() throws {
    let early = try answer(.closesAtOnce)
    #expect(early.failure?.kind == "connection closed" && !early.isWritten, "\(early.result)")
    let polite = try answer(
      .opens(answering: [0x88, 14, 3, 0xF0] + Array("policy \u{1b}[31m".utf8)))
    #expect(
      polite.failure
        == .closed(reason: #"the server closed it with status 1008: policy \u{1b}[31m"#),
      "\(polite.result)")
    #expect(polite.isWritten)
  }

  @Test(
    "bytes that are no frames end the connection",
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF], .frame(3, "x"), .frame(0, "x"), .frame(9, "x", isLast: false),
      [0x89, 0x7E, 0, 0x80] + [UInt8](repeating: 0x61, count: 128),
    ] as [[UInt8]])
  func noFrames(bytes: [UInt8]) throws {
    let end = try answer(.opens(answering: bytes + bytes))
    #expect(end.failure?.kind == "connection closed", "\(end.result)")
  }

  @Test("a message above the limit is cut off, announced as huge or endless in small frames")
  func huge() throws {
    let announced: [UInt8] = [0x82, 0x7F, 0, 0, 1, 0, 0, 0, 0, 0]
    let endless = [UInt8].frame(0, "more", isLast: false)
    for bytes in [announced, [UInt8].frame(1, "x", isLast: false) + endless] {
      let server = StrangeServer(
        .opens(answering: bytes + (0..<80_000).flatMap { _ in endless }))
      let (ends, counters) = try send(to: server)
      #expect(ends[0].failure == .tooLarge(limit: 262_144), "\(ends[0].result)")
      #expect(counters[.openConnections] == 0)
    }
  }

  @Test("messages and pings that nobody asked for do not stop the timeout")
  func floods() throws {
    for frame in [[UInt8].frame(9, "ping"), .frame(1, "news")] {
      let server = StrangeServer(.floods(frame))
      let (ends, _) = try send(to: server) {
        $0.timeout = .milliseconds(300)
        $0.matching = .id { _ in nil }
      }
      #expect(ends[0].failure == .timedOut, "\(ends[0].result)")
    }
  }

  @Test("the opening sends its messages in order, and an unexpected message ends it")
  func opening() throws {
    var opening = WebSocketOpening(path: "/api/websocket")
    opening.headers = [("X-Key", "abc")]
    opening.steps = [
      .init(sends: nil, expects: { $0 == Array("who".utf8) }),
      .init(sends: Array("me".utf8), expects: { $0 == Array("fine".utf8) }),
    ]
    let right = StrangeServer(.opens(saying: .frame(1, "who"), answering: .frame(1, "fine")))
    let (ends, counters) = try send(to: right, opening: opening) { $0.matching = .none }
    #expect(ends[0].failure == nil && ends[0].isWritten, "\(ends[0].result)")
    #expect(counters[.connectionsTaken] == 1)
    let request = try #require(right.requests.first)
    #expect(request.hasPrefix("GET /api/websocket HTTP/1.1\r\n"))
    #expect(request.contains("\r\nX-Key: abc\r\n"))
    #expect(request.contains("\r\nHost: 127.0.0.1:\(right.port)\r\n"))
    let authority = "127.0.0.1:\(right.port)"
    let handshake = opening.bytes(to: authority, subprotocol: "")
    #expect(request.utf8.count + WebSocketMessage.frameBytes(2, isMasked: true) == handshake)
    #expect(counters[.bytesSent] == handshake + ends[0].bytesSent)
    let wrong = StrangeServer(.opens(saying: .frame(1, "who"), answering: .frame(1, "no\n")))
    let refused = try send(to: wrong, opening: opening).ends[0]
    #expect(
      refused.failure == .rejected(reason: "it sent 'no ', which the opening does not expect"),
      "\(refused.result)")
  }

  @Test("a name that does not resolve, a port without a listener and a header with a line break")
  func unreachable() throws {
    func end(
      _ host: String, _ opening: WebSocketOpening = .init(path: "/")
    ) throws -> WebSocketError? {
      let settings = WebSocketSettings(server: Endpoint(host: host, port: 1))
      let caller = try WebSocketCaller(settings) { _ in opening }
      defer { caller.close() }
      return caller.call(WebSocketMessage([])).failure
    }
    #expect(try end("no-such-name.invalid") == .unresolved(host: "no-such-name.invalid"))
    #expect(try end("localhost")?.kind == "connection refused")
    var opening = WebSocketOpening(path: "/")
    opening.headers = [("X", "a\r\nB: c")]
    #expect(try end("localhost", opening)?.kind == "malformed message")
  }

  @Test("the end of a loop closes no descriptor that another thread has opened")
  func endOfLoop() throws {
    let isOver = Atomic(false)
    let lost = Atomic(0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Each new descriptor has the lowest free number, and so that of one just closed.
      while !isOver.load(ordering: .relaxed) {
        let opened = (0..<8).map { _ in dup(2) }
        for descriptor in opened where close(descriptor) != 0 {
          lost.wrappingAdd(1, ordering: .relaxed)
        }
      }
      done.signal()
    }
    for _ in 0..<200 {
      let loop = EventLoop(name: "test")
      loop.start()
      loop.sync { _ = loop.webSockets }
      loop.stopAndWait()
    }
    isOver.store(true, ordering: .relaxed)
    done.wait()
    #expect(lost.load(ordering: .relaxed) == 0)
  }

  @Test("any bytes after the upgrade end the request, and never the process")
  func anyBytes() throws {
    var random = SystemRandomNumberGenerator()
    let frames = [UInt8].frame(1, "hello") + .frame(9, "") + .frame(8, "\u{3}\u{E8}bye")
    for round in 0..<100 {
      var bytes = frames
      for _ in 0...(round % 8) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if round % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      let server = StrangeServer(.opens(answering: bytes))
      let (ends, counters) = try send(to: server) { $0.timeout = .milliseconds(20) }
      #expect(ends.count == 1 && counters[.inFlight] == 0, "\(bytes)")
    }
  }
}

extension WebSocketExchange {
  var failure: WebSocketError? {
    if case .failure(let failure) = result { failure } else { nil }
  }
}
