import Core
import TestSupport
import Testing

@testable import Transport

@Suite("HTTP requests and answers as values", .quick)
struct HTTPRequestTests {
  @Test(
    "a request that cannot be sent is refused before",
    arguments: [
      ("POST", "ftp://a/", "X-A: b"), ("POST", "a/b", "X-A: b"), ("POST", "http://a/b c", "X-A: b"),
      ("post", "http://a/", "X-A: b"), ("", "http://a/", "X-A: b"), ("P T", "http://a/", "X-A: b"),
      ("POST", "http://a/", "no colon"), ("POST", "http://a/", "X-A: b\nX-C: d"),
    ])
  func faults(method: String, url: String, line: String) {
    #expect(HTTPRequest(method: method, url: url, headers: [line]).fault != nil)
  }

  @Test("a valid request has no fault")
  func sound() {
    let urls = ["http://127.0.0.1:80/a?b=c&d=%20", "HTTPS://example.com", "https://[::1]:8443/"]
    for url in urls {
      #expect(HTTPRequest(method: "GET", url: url, headers: ["X-A:\tb"]).fault == nil)
    }
  }

  @Test("header fields are found by name, in any case")
  func headers() {
    let head = "Content-Type: application/json\r\nRETRY-AFTER:  30 \r\nX-Empty:\r\n\r\nX-Sum: 1\r\n"
    let answer = HTTPAnswer(status: 503, head: Array(head.utf8))
    #expect(answer.header("retry-after") == "30")
    #expect(answer.header("content-type") == "application/json")
    #expect(answer.header("X-Empty") == "")
    #expect(answer.header("x-sum") == "1")
    #expect(answer.header("x-none") == nil)
    #expect(answer.headers.map(\.name) == ["Content-Type", "RETRY-AFTER", "X-Empty", "X-Sum"])
  }

  @Test("the whole is the sum of the parts")
  func times() {
    var times = ExchangeTimes()
    times.waiting = .microseconds(1)
    times.resolving = .microseconds(2)
    times.connecting = .microseconds(4)
    times.securing = .microseconds(8)
    times.writing = .microseconds(16)
    times.answering = .microseconds(32)
    times.reading = .microseconds(64)
    #expect(times.whole == .microseconds(127))
  }

  @Test("only a request that cannot have been sent is known not to have arrived")
  func beforeSending() {
    #expect(HTTPError.unresolved(host: "a").isBeforeSending)
    #expect(HTTPError.exhausted(.ports).isBeforeSending)
    #expect(!HTTPError.timedOut.isBeforeSending)
    #expect(!HTTPError.closed(reason: "a").isBeforeSending)
  }
}
