import Core
import TestSupport
import Testing

@testable import Transport

@Suite("Token and address of a server", .quick)
struct TokenTests {
  private static func reads(of given: String, by token: BearerToken) -> [Int] {
    let bytes = Array(given.utf8)
    var places: [Int] = []
    _ = token.matches(count: bytes.count) { place in
      places.append(place)
      return bytes[place]
    }
    return places
  }

  @Test("only the whole token matches")
  func matches() throws {
    let token = try #require(BearerToken("secret"))
    func match(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { token.matches($0) }
    }
    #expect(match("Bearer secret"))
    for wrong in [
      "", "Bearer", "Bearer ", "Bearer secre", "Bearer secret1", "bearer secret", "secret",
      "Bearer secreT", "Bearer secret\0",
    ] { #expect(!match(wrong), "\(wrong)") }
  }

  @Test("a token of another length is compared over exactly the given bytes")
  func longTokens() throws {
    let long = String(repeating: "x", count: BearerToken.bytesMax)
    let token = try #require(BearerToken(long))
    #expect(Array("Bearer \(long)".utf8).withUnsafeBytes { token.matches($0) })
    #expect(!Array("Bearer \(long)x".utf8).withUnsafeBytes { token.matches($0) })
    for text in ["", "\(long)x", "with space", "line\nbreak", "käse"] {
      #expect(BearerToken(text) == nil, "\(text)")
    }
  }

  @Test("the bytes that a comparison reads depend on the given length, never on the content")
  func constantTime() throws {
    let short = try #require(BearerToken("secret"))
    let long = try #require(BearerToken(String(repeating: "s", count: 200)))
    for length in [0, 1, 7, 12, 13, 14, 100, 300] {
      let texts = [
        String(repeating: "a", count: length),
        String("Bearer secret\(String(repeating: "s", count: 300))".prefix(length)),
      ]
      let all = texts.flatMap { [Self.reads(of: $0, by: short), Self.reads(of: $0, by: long)] }
      #expect(Set(all).count == 1, "\(length) bytes")
      #expect(all[0].count == min(length, "Bearer ".count + BearerToken.bytesMax))
    }
  }

  @Test(
    "addresses that only this machine can reach",
    arguments: [
      ("127.0.0.1", true), ("127.0.0.2", true), ("localhost", true), ("::1", true),
      ("::ffff:127.0.0.1", true), ("0.0.0.0", false), ("::", false), ("10.1.2.3", false),
      ("192.168.0.1", false), ("::ffff:10.0.0.1", false), ("fe80::1", false),
    ])
  func reach(host: String, isOnlyHere: Bool) throws {
    #expect(try Endpoint.isOnlyReachableHere(host) == isOnlyHere)
  }

  @Test("a name that does not resolve is a separate error")
  func unknownName() {
    #expect(throws: TransportError.badAddress(host: "no.such.host.invalid")) {
      try Endpoint.isOnlyReachableHere("no.such.host.invalid")
    }
  }
}
