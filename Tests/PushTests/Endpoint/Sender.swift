import Core
import Foundation
@testable import Push

/// A key whose signature is its name twice, padded to 32 bytes, so that no cryptography is needed.
struct PaperKey: SignatureChecker {
  var mark: UInt8 = 7
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    signature == [UInt8](repeating: mark, count: 64)
  }
}

/// A push sender, and its connection.
struct Sender {
  static let now: Int64 = 1_800_000_000_000
  static let topic = "org.example.tracker"

  var endpoint: ProviderEndpoint
  var connection = ProviderEndpoint.Connection()
  /// In milliseconds since 1970.
  var now = Sender.now

  init(
    phones: Int = 10, keys: ProviderKeys = .any, _ change: (inout EndpointRules) -> Void = { _ in }
  ) {
    var rules = EndpointRules(topics: [Self.topic, "org.example.other"], keys: keys)
    change(&rules)
    endpoint = ProviderEndpoint(rules, phones: phones)
  }

  static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// A provider token, signed by a `PaperKey`.
  static func token(
    team: String = "TEAM000001", key: String = "KEY0000001", at seconds: Int64 = Sender.now / 1_000,
    algorithm: String = "ES256", mark: UInt8 = 7
  ) -> String {
    let head = #"{"alg":"\#(algorithm)","kid":"\#(key)"}"#
    let claims = #"{"iss":"\#(team)","iat":\#(seconds)}"#
    let signature = [UInt8](repeating: mark, count: 64)
    return [base64(Array(head.utf8)), base64(Array(claims.utf8)), base64(signature)]
      .joined(separator: ".")
  }

  func path(_ phone: UInt32, installation: UInt32 = 0) -> String {
    let owner = DeviceTokens.Owner(PhoneID(rawValue: phone), installation: installation)
    return "/3/device/" + endpoint.tokens.text(of: owner)
  }

  /// The fields of a valid background push.
  func fields(_ phone: UInt32 = 3) -> [(String, String)] {
    [
      (":method", "POST"), (":path", path(phone)), ("authorization", "bearer " + Self.token()),
      ("apns-topic", Self.topic), ("apns-push-type", "background"), ("apns-priority", "5"),
      ("apns-id", "123e4567-e89b-12d3-a456-4266554400a0"), ("host", "localhost"),
    ]
  }

  /// Sends a request with these fields; a change to "" leaves one out.
  mutating func send(
    to phone: UInt32 = 3, _ changes: [String: String] = [:], more: [(String, String)] = [],
    body: String = #"{"aps":{"content-available":1}}"#, isTooLong: Bool = false
  ) -> PushVerdict {
    var all = fields(phone)
    for (name, value) in changes {
      all.removeAll { $0.0 == name }
      if !value.isEmpty { all.append((name, value)) }
    }
    // The head's pointers stay valid in this block until it is decided.
    let texts = (all + more).map { (Array($0.0.utf8), Array($0.1.utf8)) }
    return deliver(texts[...], PushHead(), Array(body.utf8), isTooLong)
  }

  private mutating func deliver(
    _ rest: ArraySlice<([UInt8], [UInt8])>, _ head: PushHead, _ body: [UInt8], _ isTooLong: Bool
  ) -> PushVerdict {
    guard let (name, value) = rest.first else {
      return body.withUnsafeBytes {
        endpoint.decide(
          .init(head: head, body: $0, isTooLong: isTooLong), on: &connection, at: now)
      }
    }
    return name.withUnsafeBytes { name in
      value.withUnsafeBytes { value in
        var head = head
        head.add(name, value)
        return deliver(rest.dropFirst(), head, body, isTooLong)
      }
    }
  }
}

extension PushVerdict {
  /// Why it was refused; nil: it was accepted.
  var reason: PushReason? {
    switch self {
    case .accepted: nil
    case .refused(let reason, since: _): reason
    }
  }

  var push: AcceptedPush? {
    switch self {
    case .accepted(let push): push
    case .refused: nil
    }
  }
}
