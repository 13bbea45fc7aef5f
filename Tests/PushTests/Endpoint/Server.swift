import Core
import Foundation
import Testing
@testable import Push

/// A user's server that sends through FCM.
struct Server {
  var endpoint: ProviderEndpoint
  var messaging: MessagingEndpoint
  var now = Sender.now
  var access = ""

  init(perMinute: Int = 600_000, _ change: (inout EndpointRules) -> Void = { _ in }) {
    var rules = EndpointRules(topics: [Sender.topic, "org.example.other"], keys: .any)
    change(&rules)
    endpoint = ProviderEndpoint(rules, phones: 10)
    var account = MessagingAccount(
      project: "p", email: "a@p.example", keyID: "k1", checker: PaperKey())
    account.perMinute = perMinute
    messaging = MessagingEndpoint(account, seed: 1)
  }

  mutating func ask(
    _ path: String, _ body: String, method: String = "POST", authorization: String? = nil,
    isTooLong: Bool = false
  ) -> GatewayAnswer {
    let texts = [method, path, authorization ?? access].map { Array($0.utf8) }
    return texts[0].withUnsafeBytes { method in
      texts[1].withUnsafeBytes { path in
        texts[2].withUnsafeBytes { authorization in
          Array(body.utf8).withUnsafeBytes {
            messaging.answer(
              GatewayHead(method: method, path: path, authorization: authorization), body: $0,
              isTooLong: isTooLong, to: &endpoint, at: now)
          }
        }
      }
    }
  }

  func assertion(_ changes: [String: Any] = [:], kid: String = "k1", mark: UInt8 = 7) -> String {
    var claims: [String: Any] = [
      "iss": "a@p.example", "aud": "http://127.0.0.1:1/token", "iat": now / 1_000,
      "exp": now / 1_000 + 3_600, "scope": "https://www.googleapis.com/auth/cloud-platform",
    ]
    claims.merge(changes) { $1 }
    let data = (try? JSONSerialization.data(withJSONObject: claims)) ?? Data()
    return [
      Array(#"{"alg":"RS256","kid":"\#(kid)"}"#.utf8), Array(data),
      [UInt8](repeating: mark, count: 64),
    ].map(Sender.base64).joined(separator: ".")
  }

  mutating func grant(_ assertion: String) -> GatewayAnswer {
    ask(
      "/token",
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
  }

  /// Takes an access token, and uses it from now on.
  mutating func signIn() throws {
    let answer = grant(assertion())
    let content = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
    let token = try #require((content as? [String: Any])?["access_token"] as? String)
    access = "Bearer " + token
  }

  mutating func send(_ message: String, project: String = "p") -> GatewayAnswer {
    ask("/v1/projects/\(project)/messages:send", #"{"message":\#(message)}"#)
  }

  func token(_ phone: UInt32 = 3) -> String {
    endpoint.token(of: PhoneID(rawValue: phone)) ?? ""
  }

  func message(_ headers: String, _ payload: String = #"{"aps":{"content-available":1}}"#)
    -> String
  {
    #"{"token":"\#(token())","apns":{"headers":\#(headers),"payload":\#(payload)}}"#
  }
}
