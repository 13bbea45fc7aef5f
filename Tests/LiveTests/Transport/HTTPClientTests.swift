import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "HTTP with correct and faulty servers", .live, .timeLimit(.minutes(10)), .needs(.pythonPackages))
struct HTTPClientTests {
  private let server: HTTPServers

  init() throws { server = try HTTPServers() }

  @Test("requests arrive unchanged: method, headers and body, without additions")
  func echo() {
    let ends = server.call(
      ["GET", "POST", "PUT", "PATCH", "DELETE"].map { method in
        var request = server.post("/echo", headers: ["Authorization: Bearer t", "X-Limit-U: jane"])
        request.method = method
        if method == "GET" { request.body = [] }
        return request
      })
    let seen = ends.map { $0.text.split(separator: "\n").map(String.init) }
    #expect(seen.map(\.first) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
    for (place, lines) in seen.enumerated() {
      #expect(lines.contains("authorization: Bearer t") && lines.contains("x-limit-u: jane"))
      #expect(!lines.contains { $0.hasPrefix("expect:") || $0.hasPrefix("content-type:") })
      #expect(!lines.contains { $0.hasPrefix("accept-encoding:") })
      #expect(lines.contains("host: \(server.root.dropFirst(7))"))
      #expect((lines.last == "{}") == (place > 0))
    }
  }

  @Test("valid but unusual responses are read completely")
  func rare() throws {
    let paths = ["/ok", "/http10", "/chunked", "/continue", "/gzip"]
    var requests = paths.map { server.post($0) }
    requests[4].acceptsCompressed = true
    let ends = server.call(requests)
    for (path, end) in zip(paths, ends) {
      #expect(end.text == #"{"result":"ok"}"#, "\(path): \(end.result)")
      #expect(end.answer?.status == 200, "\(path)")
    }
    #expect(ends.map { $0.answer?.version } == [11, 10, 11, 11, 11])
    #expect(ends[2].answer?.header("X-Sum") == "15")
    #expect(ends[3].answer?.header("X-Early") == nil)
  }

  @Test("a compressed response is decompressed, and a custom header is sent")
  func packed() {
    let paths = ["/gzip", "/deflate", "/br"]
    for headers in [[], ["Accept-Encoding: gzip, deflate, br"]] {
      for (path, end) in zip(paths, server.call(paths.map { server.post($0, headers: headers) })) {
        #expect(end.text == #"{"result":"ok"}"#, "\(path): \(end.result)")
      }
    }
    let line = "Accept-Encoding: gzip;q=0.5"
    #expect(
      server.call([server.post("/echo", headers: [line])])[0].text
        .contains("\naccept-encoding: gzip;q=0.5\n"))
    let ends = server.call([server.post("/torn"), server.post("/coded")])
    #expect(ends[0].failure?.kind == "not HTTP", "\(ends[0].result)")
    #expect(ends[1].answer?.status == 200 && ends[1].answer?.isCut == true, "\(ends[1].result)")
  }

  @Test("a redirect is a response, and is not followed")
  func redirect() {
    let end = server.call([server.post("/redirect")])[0]
    #expect(end.answer?.status == 302)
    #expect(end.answer?.header("location") == "/ok")
  }

  @Test("a response before the end of the body is accepted")
  func early() {
    var request = server.post("/early")
    request.body = [UInt8](repeating: 0x78, count: 8_000_000)
    let end = server.call([request])[0]
    #expect(end.answer?.status == 413, "\(end.result)")
  }

  @Test("a response that is too large is aborted, announced or not, compressed or not")
  func large() {
    let paths = ["/large", "/endless", "/heads", "/bomb"]
    var requests = paths.map { server.post($0) }
    requests[3].acceptsCompressed = true
    let ends = server.call(requests) { $0.answerBytesMax = 50_000 }
    for (path, end) in zip(paths, ends) {
      #expect(end.failure == .tooLarge(limit: 50_000), "\(path): \(end.result)")
      #expect(end.bytesReceived < 2_000_000, "\(path)")
    }
  }

  @Test("a long response may be truncated, by a setting")
  func cut() {
    let paths = ["/large", "/endless", "/bomb", "/heads", "/gzip"]
    let ends = server.call(paths.map { server.post($0) }) {
      ($0.answerBytesMax, $0.cutsAnswers) = (50_000, true)
    }
    for (path, end) in zip(paths, ends).prefix(3) {
      #expect(end.answer?.status == 200 && end.answer?.isCut == true, "\(path): \(end.result)")
      #expect(end.answer?.body.count == 50_000, "\(path)")
    }
    #expect(ends[3].failure == .tooLarge(limit: 50_000))
    #expect(ends[4].answer?.isCut == false)
  }

  @Test("a size limit of one request does not apply to the next")
  func ownBound() {
    var small = server.post("/ok")
    small.answerBytesMax = 1
    let caller = HTTPCaller(HTTPSettings())
    defer { caller.close() }
    let ends = [small, server.post("/ok")].map { caller.call($0) }
    #expect(ends[0].failure == .tooLarge(limit: 1), "\(ends[0].result)")
    #expect(ends[1].answer?.status == 200, "\(ends[1].result)")
  }

  @Test("a slow or missing response ends at the timeout")
  func late() {
    let ends = server.call([server.post("/slow"), server.post("/never")]) {
      $0.timeout = .milliseconds(300)
    }
    for end in ends {
      #expect(end.failure == .timedOut, "\(end.result)")
      // The server is silent for half a minute.
      #expect(end.times.whole >= .milliseconds(299) && end.times.whole < .seconds(25))
    }
  }

  @Test("each kind of failure is one clear line")
  func failures() {
    let ends = server.call([
      server.post("/close"), server.post("/half"), server.post("/garbage"),
      HTTPRequest(method: "GET", url: "http://no-such-name.invalid/"),
      HTTPRequest(method: "GET", url: "http://127.0.0.1:1/"),
      HTTPRequest(method: "GET", url: "ftp://127.0.0.1/"),
      HTTPRequest(method: "GET", url: server.root, headers: ["X-A: b\r\nX-C: d"]),
    ])
    let kinds = ends.map { $0.failure?.kind }
    #expect(
      kinds == [
        "connection closed", "connection closed", "not HTTP", "name not resolved",
        "connection refused", "malformed request", "malformed request",
      ])
    #expect(ends[3].failure?.description == "the name 'no-such-name.invalid' does not resolve")
    for end in ends {
      let text = "\(end.failure.map(\.description) ?? "")"
      #expect(!text.isEmpty && !text.contains("\n"))
    }
  }

  @Test("a server without a TLS response counts as not connected")
  func silent() {
    let url = server.root.replacing("http:", with: "https:")
    let end = server.call([HTTPRequest(method: "GET", url: url)]) {
      $0.connectTimeout = .milliseconds(300)
    }[0]
    #expect(end.failure == .connectTimedOut, "\(end.result)")
  }

  @Test("the parts of a response time add up, and bytes match the server's count")
  func parts() {
    let caller = HTTPCaller(with(.perPhone))
    defer { caller.close() }
    let first = caller.call(server.post("/bytes", "0123456789"))
    let second = caller.call(server.post("/late", "0123456789"))
    #expect(first.text == "\(first.bytesSent)")
    #expect(first.connections == 1 && second.connections == 0)
    #expect(first.times.connecting > .zero && second.times.connecting == .zero)
    #expect(first.times.securing == .zero)
    #expect(second.times.answering >= .milliseconds(190))
    #expect(second.times.reading < second.times.answering)
    let counters = caller.counters
    #expect(counters[.connects] == 1 && counters[.openConnections] == 1 && counters[.inFlight] == 0)
    #expect(counters[.bytesSent] == UInt64(first.bytesSent + second.bytesSent))
  }

  @Test("one connection per upload")
  func perUpload() {
    let ends = server.call((0..<6).map { _ in server.post("/ok") })
    #expect(Set(ends.map(\.connection)).count == 6)
    #expect(ends.allSatisfy { $0.connections == 1 })
  }

  @Test("each phone keeps its connection, and only its own")
  func perPhone() {
    let caller = HTTPCaller(with(.perPhone))
    defer { caller.close() }
    let phones: [UInt32] = [1, 2, 3]
    let rounds = (0..<4).map { _ in
      caller.call(phones.map { _ in server.post("/ok") }, of: phones).map(\.connection)
    }
    #expect(Set(rounds[0]).count == 3)
    #expect(rounds.allSatisfy { $0 == rounds[0] })
    // Two of one phone go one after the other.
    let both = caller.call([server.post("/late"), server.post("/late")], of: [1, 1])
    #expect(both.map(\.connection) == [rounds[0][0], rounds[0][0]])
    #expect(both[1].times.waiting >= .milliseconds(190))
  }

  @Test("a pool has its number of connections, for any number of phones")
  func pooled() {
    let caller = HTTPCaller(with(.pooled(3)))
    defer { caller.close() }
    let ends = caller.call((0..<60).map { _ in server.post("/ok") }, of: Array(0..<60))
    #expect(Set(ends.map(\.connection)).count == 3)
    #expect(caller.counters[.openConnectionsPeak] == 3)
  }

  @Test("a server that closes every third connection causes no failed request")
  func third() {
    let caller = HTTPCaller(with(.perPhone))
    defer { caller.close() }
    let ends = (0..<9).map { _ in caller.call(server.post("/third")) }
    #expect(ends.allSatisfy { $0.answer?.status == 200 })
    #expect(Set(ends.map(\.connection)).count == 3)
  }

  @Test(
    "a request on a closed persistent connection is sent once and fails",
    arguments: ["GET", "POST", "PUT"], [10, 100_000])
  func unanswered(method: String, bytes: Int) throws {
    // A server each: it counts its requests.
    let server = try HTTPServers()
    let caller = HTTPCaller(with(.perPhone))
    defer { caller.close() }
    var request = server.post("/unanswered", String(repeating: "x", count: bytes))
    request.method = method
    if method == "GET" { request.body = [] }
    let first = caller.call(request)
    #expect(first.answer?.header("X-Seen") == "1")
    let second = caller.call(request)
    #expect(second.failure?.kind == "connection closed", "\(second.result)")
    #expect(second.failure?.isBeforeSending == false && second.connections == 0)
    #expect(second.failure?.description.contains("an idle connection") == true)
    let third = caller.call(request)
    #expect(third.answer?.header("X-Seen") == "3", "\(third.result)")
    #expect(third.connections == 1 && caller.counters[.connects] == 2)
  }

  @Test("the number of requests in flight is limited")
  func bounded() {
    let caller = HTTPCaller(with { $0.openMax = 4 })
    defer { caller.close() }
    let ends = caller.call((0..<40).map { _ in server.post("/ok") })
    #expect(ends.allSatisfy { $0.answer?.status == 200 })
    #expect(caller.counters[.openConnectionsPeak] <= 5)
  }

  @Test("closing the client cancels requests in flight and waiting ones")
  func closed() {
    let ends = closing(.perPhone, [server.post("/never"), server.post("/never")])
    #expect(ends.map(\.failure) == [.abandoned, .abandoned])
  }

  @Test("a connection that is never established is not counted")
  func unconnected() throws {
    let full = try FullQueue()
    let caller = HTTPCaller(with { $0.connectTimeout = .milliseconds(100) })
    let request = HTTPRequest(method: "POST", url: full.url, headers: [], body: [1])
    #expect(caller.call(request).failure == .connectTimedOut)
    #expect(caller.counters[.openConnections] == 0)
    caller.close()
    #expect(closing(.perUpload, [request]).map(\.failure) == [.abandoned])
  }

  @Test("if an address of a host is closed, the next one is used")
  func secondAddress() {
    let caller = HTTPCaller(with(.perPhone))
    let request = HTTPRequest(
      method: "POST", url: server.root.replacing("127.0.0.1", with: "localhost") + "/ok",
      headers: [], body: [1])
    #expect(caller.call(request).answer?.status == 200)
    #expect(caller.counters[.openConnections] == 1)
    caller.close()
  }

  /// The ends of requests whose client is closed as soon as one is connecting.
  ///
  /// They wait on a separate thread: otherwise Swift would have none left for the test itself.
  private func closing(_ use: ConnectionUse, _ requests: [HTTPRequest]) -> [HTTPExchange] {
    let caller = HTTPCaller(with(use))
    let ends = Mutex<[HTTPExchange]>([])
    let done = DispatchSemaphore(value: 0)
    Thread {
      let all = caller.call(requests)
      ends.withLock { $0 = all }
      done.signal()
    }.start()
    while caller.counters[.connects] == 0 { sched_yield() }
    caller.close()
    done.wait()
    return ends.withLock(\.self)
  }

  private func with(_ use: ConnectionUse) -> HTTPSettings { with { $0.use = use } }

  private func with(_ change: (inout HTTPSettings) -> Void) -> HTTPSettings {
    var settings = HTTPSettings()
    change(&settings)
    return settings
  }
}
