import TestSupport
import Testing
@testable import Push

@Suite("Provider tokens", .quick)
struct ProviderTokenTests {
  private let keys = ProviderKeys.known([
    .init(team: "TEAM000001", id: "KEY0000001", checker: PaperKey()),
    .init(team: "TEAM000001", id: "KEY0000002", checker: PaperKey(mark: 8)),
    .init(team: "TEAM000002", id: "KEY0000003", checker: PaperKey()),
    .init(team: "TEAM000001", id: "SANDBOX001", scope: .sandbox, checker: PaperKey()),
  ])

  private func bearer(_ token: String) -> [String: String] { ["authorization": "bearer " + token] }

  private func read(_ text: String) -> ProviderToken? {
    Array(text.utf8).withUnsafeBytes { try? ProviderToken($0) }
  }

  @Test("head, claims and signed bytes are read")
  func reading() throws {
    let text = Sender.token()
    let token = try #require(read(text))
    #expect(token.team == "TEAM000001" && token.keyID == "KEY0000001")
    #expect(token.issuedAt == Sender.now / 1_000)
    #expect(text.hasPrefix(String(decoding: token.signed, as: UTF8.self) + "."))
    #expect(token.signature == [UInt8](repeating: 7, count: 64))
  }

  @Test("an invalid token is refused")
  func notTokens() {
    let parts = Sender.token().split(separator: ".").map(String.init)
    let wrong = [
      "", ".", "..", "a.b.c", parts[0], parts[0] + "." + parts[1],
      parts.joined(separator: ".") + ".",
      parts[0] + "." + parts[1] + ".AAAA", "!" + parts.joined(separator: "."),
      [parts[1], parts[0], parts[2]].joined(separator: "."), Sender.token(algorithm: "HS256"),
      Sender.token(algorithm: "none"), Sender.token(team: ""), Sender.token(key: ""),
      String(repeating: "A", count: 5_000),
    ]
    for text in wrong { #expect(read(text) == nil, "\(text.prefix(80))") }
  }

  @Test("a signature has to be that of a key of its team")
  func signatures() {
    var sender = Sender(keys: keys)
    #expect(sender.send(bearer(Sender.token(mark: 9))).reason == .invalidProviderToken)
    #expect(sender.send(bearer(Sender.token(key: "KEY0000009"))).reason == .invalidProviderToken)
    #expect(sender.send(bearer(Sender.token(team: "TEAM000002"))).reason == .invalidProviderToken)
    #expect(sender.send(bearer(Sender.token(key: "SANDBOX001"))).reason == .badEnvironmentKeyID)
    #expect(!sender.connection.session.hasPushed)
    #expect(sender.send().push != nil && sender.connection.session.hasPushed)
    var sandbox = Sender(keys: keys) { $0.isSandbox = true }
    #expect(sandbox.send(bearer(Sender.token(key: "SANDBOX001"))).push != nil)
  }

  @Test("a token is valid for an hour, and one from the future is not valid yet")
  func age() {
    var sender = Sender(keys: keys)
    let now = sender.now / 1_000
    #expect(sender.send(bearer(Sender.token(at: now - 3_601))).reason == .expiredProviderToken)
    #expect(sender.send(bearer(Sender.token(at: now + 301))).reason == .invalidProviderToken)
    #expect(sender.send().push != nil)
    sender.now += 3_600_000
    #expect(sender.send().push != nil)
    sender.now += 1_000
    #expect(sender.send().reason == .expiredProviderToken)
  }

  @Test("a connection is bound to its first team and key, and renews its token seldom")
  func binding() {
    var sender = Sender(keys: keys)
    #expect(sender.send().push != nil)
    let other = Sender.token(team: "TEAM000002", key: "KEY0000003")
    #expect(sender.send(bearer(other)).reason == .invalidProviderToken)
    let otherKey = Sender.token(key: "KEY0000002", mark: 8)
    #expect(sender.send(bearer(otherKey)).reason == .unrelatedKeyID)
    sender.now += 1_199_000
    let newer = Sender.token(at: sender.now / 1_000)
    #expect(sender.send(bearer(newer)).reason == .tooManyProviderTokenUpdates)
    #expect(sender.endpoint.tally.faults.count(.renewedTooOften) == 1)
    #expect(sender.send().push != nil, "the one before is still good")
    sender.now += 1_000
    #expect(sender.send(bearer(newer)).push != nil)
    var fresh = sender
    fresh.connection = .init()
    #expect(fresh.send(bearer(other)).push != nil)
  }

  @Test("any key is accepted if signatures are not checked, but every other fault is refused")
  func any() {
    var sender = Sender()
    #expect(sender.send(bearer(Sender.token(team: "X", key: "Y", mark: 1))).push != nil)
    #expect(sender.send(bearer(Sender.token())).reason == .invalidProviderToken)
  }

  private func custom(_ claims: String) -> String {
    let signature = [UInt8](repeating: 7, count: 64)
    return [
      Array(#"{"alg":"ES256","kid":"KEY0000001"}"#.utf8), Array(claims.utf8), signature,
    ].map(Sender.base64).joined(separator: ".")
  }

  @Test("iat may be a number or its digits as text, which some senders write and Apple accepts")
  func issuedAtAsText() throws {
    let seconds = Sender.now / 1_000
    let text = custom(#"{"iss":"TEAM000001","iat":"\#(seconds)"}"#)
    #expect(read(text)?.issuedAt == seconds)
    var sender = Sender(keys: keys)
    #expect(sender.send(bearer(text)).push != nil)
    for odd in [#""soon""#, #""""#, "true", "null", "1e300", #"{"a":1}"#] {
      #expect(read(custom(#"{"iss":"TEAM000001","iat":\#(odd)}"#)) == nil, "\(odd)")
    }
  }

  @Test("a report says why each token was refused")
  func whyRefused() {
    let now = Sender.now / 1_000
    let cases: [(String, PushReason, SenderFault, String)] = [
      ("", .missingProviderToken, .noToken, "no authorization"),
      ("basic x", .missingProviderToken, .noToken, "no bearer token"),
      ("bearer a.b", .invalidProviderToken, .unreadableToken, "three parts"),
      (
        "bearer " + Sender.token(algorithm: "HS256"), .invalidProviderToken, .unreadableToken,
        #"alg is "HS256", not ES256"#
      ),
      (
        "bearer " + custom(#"{"iss":"TEAM000001"}"#), .invalidProviderToken, .unreadableToken,
        "iat is missing"
      ),
      (
        "bearer " + Sender.token(key: "KEY0000009"), .invalidProviderToken, .unknownKey,
        #"kid "KEY0000009", iss "TEAM000001""#
      ),
      (
        "bearer " + Sender.token(mark: 9), .invalidProviderToken, .wrongSignature, "KEY0000001"
      ),
      (
        "bearer " + Sender.token(key: "SANDBOX001"), .badEnvironmentKeyID, .wrongEnvironment,
        "SANDBOX001"
      ),
      (
        "bearer " + Sender.token(at: now - 4_000), .expiredProviderToken, .oldToken,
        "iat 4000 s ago"
      ),
      (
        "bearer " + Sender.token(at: now + 400), .invalidProviderToken, .earlyToken,
        "iat 400 s ahead"
      ),
    ]
    for (authorization, reason, fault, seen) in cases {
      var sender = Sender(keys: keys)
      #expect(sender.send(["authorization": authorization]).reason == reason)
      let counted = sender.endpoint.tally.faults.all
      #expect(counted.map(\.fault) == [fault] && counted.first?.count == 1)
      let example = counted.first?.example ?? ""
      #expect(example.hasPrefix("request 1: ") && example.contains(seen), "\(example)")
    }
    var sender = Sender(keys: keys)
    _ = sender.send()
    _ = sender.send(bearer(Sender.token(team: "TEAM000002", key: "KEY0000003")))
    _ = sender.send(bearer(Sender.token(key: "KEY0000002", mark: 8)))
    #expect(sender.endpoint.tally.faults.count(.changedKey) == 2)
  }
}
