internal import Core
@testable internal import Push

/// Invariants for any bytes that are a request to a push provider, or a sender's token.
enum PushCheck {
  static let topic = "org.example.app"
  static let seed: UInt64 = 7
  static let now: Int64 = 1_800_000_000_000
  /// The last of four phones has Android.
  static let android: UInt32 = 3
  static let kinds = ProviderKinds(phones: 4, android: 0.25)

  /// The first byte selects the rest: a token, a request of lines `name:value` with an empty one
  /// before the body, or one to a gateway, whose body follows the line of its path.
  static func check(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    if first & 8 != 0 {
      checkGateway(rest, first)
    } else if first & 1 == 0 {
      checkToken(rest)
    } else {
      checkRequest(rest, first)
    }
  }

  private static func checkGateway(_ bytes: [UInt8], _ kind: UInt8) {
    var rules = EndpointRules(topics: [topic, "org.example.other"], keys: .any)
    rules.kinds = kinds
    var (endpoint, again) = (ProviderEndpoint(rules, phones: 4), ProviderEndpoint(rules, phones: 4))
    let account = MessagingAccount(project: "p", email: "a@p", keyID: "k", checker: NoKey())
    var messaging = MessagingEndpoint(account, seed: seed)
    var messagingAgain = messaging
    var (webhook, webhookAgain) = (WebhookEndpoint(perDay: 1), WebhookEndpoint(perDay: 1))
    let access = Array("Bearer \(AccessTokens(seed: seed).make(at: now / 1_000))".utf8)
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    bytes.withUnsafeBytes { bytes in
      Array("POST".utf8).withUnsafeBytes { method in
        access.withUnsafeBytes { access in
          let head = GatewayHead(
            method: method, path: .init(rebasing: bytes[..<end]),
            authorization: kind & 2 == 0 ? access : nil)
          let body = UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...])
          let (first, second) =
            if MessagingEndpoint.isIts(head.path) {
              (
                messaging.answer(head, body: body, isTooLong: false, to: &endpoint, at: now),
                messagingAgain.answer(head, body: body, isTooLong: false, to: &again, at: now)
              )
            } else {
              (
                webhook.answer(head, body: body, isTooLong: false, to: &endpoint, at: now),
                webhookAgain.answer(head, body: body, isTooLong: false, to: &again, at: now)
              )
            }
          precondition(first == second, "one request, one answer")
          precondition((first.push != nil) == (endpoint.tally.accepted == 1), "counted as sent")
          precondition(first.push == nil || first.status < 300, "a refusal sends nothing")
          precondition(first.body.first == "{" && first.body.last == "}", "JSON: \(first.body)")
          if let push = first.push, push.phone.rawValue == android { check(push) }
        }
      }
    }
  }

  /// Checks a message to an Android phone.
  private static func check(_ push: AcceptedPush) {
    precondition(push.priority == 10 || push.priority == 5, "NORMAL or HIGH")
    precondition(push.type == (push.asksToRun ? .background : .alert), "data runs the app")
    let stored = push.expiration.map { $0 - now / 1_000 } ?? -1
    precondition(
      push.expiration == 0 || (1...2_419_200).contains(stored), "up to 28 days: \(stored)")
  }

  private static func checkToken(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { text in
      guard let token = try? ProviderToken(text) else { return }
      precondition(text.starts(with: token.signed), "what is signed stands in front")
      precondition(token.signature.count == 64, "a signature is two numbers")
      precondition(!token.team.isEmpty && !token.keyID.isEmpty, "a token names team and key")
      precondition((try? ProviderToken(text)) == token, "a token is read the same twice")
    }
  }

  private struct NoKey: SignatureChecker {
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool { signature[0] & 1 == 1 }
  }

  private static func checkRequest(_ bytes: [UInt8], _ kind: UInt8) {
    let keys: ProviderKeys =
      kind & 2 == 0
      ? .any : .known([.init(team: "TEAM000001", id: "KEY0000001", checker: NoKey())])
    var rules = EndpointRules(topics: [topic, "org.example.other"], keys: keys)
    rules.seed = seed
    rules.isSandbox = kind & 4 != 0
    rules.withhold = 0.5
    rules.perPhoneAndSecond = 1
    var endpoint = ProviderEndpoint(rules, phones: 4)
    endpoint.unregister(PhoneID(rawValue: 2), at: 1_799_999_999)
    var again = endpoint
    var connection = ProviderEndpoint.Connection()
    var connectionAgain = connection
    bytes.withUnsafeBytes { bytes in
      let (head, body) = request(bytes)
      let asked = ProviderEndpoint.Request(
        head: head, body: body, isTooLong: body.count > PushType.payloadMost)
      let verdict = endpoint.decide(asked, on: &connection, at: now)
      precondition(
        verdict == again.decide(asked, on: &connectionAgain, at: now), "one request, one verdict")
      switch verdict {
      case .accepted(let push):
        precondition(push.phone.rawValue < 4 && push.phone.rawValue != 2, "a phone that is there")
        precondition(body.count <= push.type.payloadMax && !body.isEmpty, "a payload that fits")
        let isNone = endpoint.tally.faults.count(.notJSON) == 1
        precondition(!(isNone && push.asksToRun), "what is no JSON asks for nothing")
        precondition(push.type != .background || push.priority < 10, "an urgent background push")
        let second = endpoint.decide(asked, on: &connection, at: now)
        precondition(second == .refused(.tooManyRequests), "two in a second: \(second)")
      case .refused(let reason, let since):
        precondition((since != nil) == (reason == .unregistered), "an instant with 410 alone")
      }
    }
    precondition(endpoint.tally.requests >= 1, "every request is counted")
  }

  private static func request(
    _ bytes: UnsafeRawBufferPointer
  ) -> (PushHead, UnsafeRawBufferPointer) {
    var head = PushHead()
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 1
      if line.isEmpty { break }
      // A pseudo-header's name begins with a colon.
      guard let colon = line.dropFirst().firstIndex(of: 0x3A) else { continue }
      head.add(.init(rebasing: line[..<colon]), .init(rebasing: line[(colon + 1)...]))
    }
    return (head, UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  // MARK: what mutations begin with

  /// A valid request, and a valid token.
  static var seeds: [[UInt8]] {
    // {"alg":"ES256","kid":"KEY0000001"} and {"iss":"TEAM000001","iat":1800000000}.
    let token =
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IktFWTAwMDAwMDEifQ."
      + "eyJpc3MiOiJURUFNMDAwMDAxIiwiaWF0IjoxODAwMDAwMDAwfQ."
      + String(repeating: "_", count: 85) + "w"
    let tokens = DeviceTokens(seed: seed, kinds: kinds)
    let requests = [UInt32(1), 2].flatMap { phone in
      [UInt8(1), 3, 5].map { kind -> [UInt8] in
        let path = "/3/device/" + tokens.text(of: .init(PhoneID(rawValue: phone)))
        let text = """
          :method:POST
          :path:\(path)
          authorization:bearer \(token)
          apns-topic:\(topic)
          apns-push-type:background
          apns-priority:5
          apns-expiration:1800003600
          apns-collapse-id:a
          apns-id:123e4567-e89b-12d3-a456-4266554400a0

          {"aps":{"content-available":1}}
          """
        return [kind] + Array(text.utf8)
      }
    }
    let phone = tokens.text(of: .init(PhoneID(rawValue: 1)))
    let other = tokens.text(of: .init(PhoneID(rawValue: android)))
    let gateways = [
      """
      /v1/projects/p/messages:send
      {"message":{"token":"\(phone)","data":{"a":"b"},"apns":{"headers":{"apns-priority":"5",\
      "apns-push-type":"background"},"payload":{"aps":{"content-available":1}}}}}
      """,
      """
      /v1/projects/p/messages:send
      {"message":{"token":"\(phone)","android":{"priority":"HIGH","ttl":"3.5s","data":{"a":"b"},\
      "notification":{"vibrate_timings":["1s"],"light_settings":{"color":{"red":1}}}}}}
      """,
      """
      /v1/projects/p/messages:send
      {"message":{"token":"\(other)","data":{"a":"b"},"android":{"priority":"HIGH","ttl":"3.5s",\
      "collapse_key":"k","restricted_package_name":"\(topic)","direct_boot_ok":true,\
      "data":{"c":"d"},"notification":{"title":"e"}}}}
      """,
      "/push\n{\"message\":\"request_location_update\",\"push_token\":\"\(phone)\"}",
      "/push\n{\"message\":\"Hello\",\"data\":{\"priority\":\"high\"},"
        + "\"push_token\":\"\(other)\"}",
      """
      /token
      grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(token)
      """,
    ].map { [8] + Array($0.utf8) }
    return [[0] + Array(token.utf8)] + requests + gateways
  }

  static let words = [
    "\n", "\n\n", ":", "apns-priority:10", "apns-priority:1", "apns-push-type:alert", ".voip",
    "apns-push-type:voip", "apns-push-type:location", ".location-query", "GET", "/3/device/",
    "0", "-1", "99999999999999999999", "bearer ", "e30.", "_", "-", ".", "=", "\u{0}",
    "validate_only", "notification", "\"message\":", "%2", "RS256", "\"apns\":{}", "{}", "null",
    "\"content-available\"", "10", "true", "[]", "\"x\":", "collapseKey", "\"iat\":\"1\"",
    "NORMAL", "\"ttl\":\"0s\",", "28", "\"notification\":null,", "\"android\":",
    "org.example.other", "apns-topic:", "apns-id:", "apns-expiration:0",
  ]
}
