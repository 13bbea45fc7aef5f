import TestSupport
import Testing

@testable import Transport

@Suite("Requests to a live page", .quick)
struct PageRulesTests {
  private static let token = "0123456789abcdef"
  private static let open = PageRules(host: "127.0.0.1", port: 8_088, token: nil)
  private static let closed = PageRules(host: "0.0.0.0", port: 8_088, token: token)

  private static func code(_ answer: PageAnswer) -> UInt32? {
    if case .refused(let code, _) = answer { return code }
    return nil
  }

  @Test("the page and its events are served, anything else is not there")
  func paths() {
    func answer(_ path: String, _ last: String? = nil) -> PageAnswer {
      Self.open.answer(PageRequest(path: path, host: "localhost:8088", lastEvent: last))
    }
    #expect(answer("/") == .page)
    #expect(answer("/events") == .events(after: nil))
    #expect(answer("/events", "run.7") == .events(after: "run.7"))
    for path in ["/x", "//", "/events/", "/../etc/passwd", ""] {
      #expect(Self.code(answer(path)) == 404)
    }
  }

  @Test(
    "only GET is served, whatever else is right",
    arguments: ["HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "X"])
  func methods(method: String) {
    var request = PageRequest(method: method, host: "127.0.0.1:8088")
    #expect(Self.code(Self.open.answer(request)) == 405)
    request.token = Self.token
    #expect(Self.code(Self.closed.answer(request)) == 405)
  }

  @Test(
    "without a token a name that a stranger chose is refused",
    arguments: [
      ("127.0.0.1:8088", true), ("127.0.0.1", true), ("localhost:9000", true), ("LOCALHOST", true),
      ("[::1]:8088", true), ("10.0.0.1", true), ("evil.example", false),
      ("evil.example:8088", false), ("127.0.0.1.evil.example", false), ("localhost.evil", false),
      ("", false), ("127.0.0.1@evil.example", false), ("127.0.0.1 evil", false),
    ])
  func hosts(host: String, isServed: Bool) {
    for path in ["/", "/events"] {
      let answer = Self.open.answer(PageRequest(path: path, host: host))
      #expect(Self.code(answer) == (isServed ? nil : 403))
    }
    #expect(Self.code(Self.open.answer(PageRequest())) == 403)
    let named = PageRules(host: "Desk", port: 1, token: nil)
    #expect(named.answer(PageRequest(host: "desk:1")) == .page)
  }

  @Test("a token that cannot be one admits nobody", arguments: ["", "a b", "ü"])
  func badToken(token: String) {
    let rules = PageRules(host: "0.0.0.0", port: 1, token: token)
    for given in [nil, "", token] {
      let request = PageRequest(host: "127.0.0.1:1", token: given, cookie: given)
      #expect(Self.code(rules.answer(request)) == 401)
    }
  }

  @Test("a token in the address becomes a cookie, and the address loses it")
  func redirect() {
    let request = PageRequest(host: "machine.example:8088", token: Self.token)
    let cookie = "flotilla-8088=\(Self.token); HttpOnly; SameSite=Lax; Path=/"
    #expect(Self.closed.answer(request) == .redirect(cookie: cookie))
    let next = PageRequest(host: "machine.example:8088", cookie: Self.token)
    #expect(Self.closed.answer(next) == .page)
    var events = PageRequest(path: "/events", token: Self.token)
    #expect(Self.closed.answer(events) == .events(after: nil))
    events = PageRequest(path: "/events", cookie: Self.token, lastEvent: "run.1")
    #expect(Self.closed.answer(events) == .events(after: "run.1"))
  }

  @Test(
    "without the token nothing is served",
    arguments: [
      nil, "", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF",
      "Bearer 0123456789abcdef",
    ])
  func wrong(token: String?) {
    for path in ["/", "/events", "/x"] {
      let request = PageRequest(path: path, host: "127.0.0.1", token: token, cookie: token)
      #expect(Self.code(Self.closed.answer(request)) == 401)
    }
  }

  @Test("a phone is asked for by its number", arguments: [nil, "", "x", "1e3", "7;", "../7"])
  func phones(number: String?) {
    func answer(_ number: String?, _ rules: PageRules = Self.open) -> PageAnswer {
      rules.answer(PageRequest(path: "/phone", host: "127.0.0.1", number: number))
    }
    #expect(answer("7") == .phone(7))
    #expect(Self.code(answer(number)) == 404)
    #expect(Self.code(answer("7", Self.closed)) == 401)
  }
}
