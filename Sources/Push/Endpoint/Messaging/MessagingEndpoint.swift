internal import Foundation

/// Imitates Firebase Cloud Messaging: issues access tokens, passes a message's `apns` block to the
/// push provider's endpoint, and delivers to Android phones. The time comes with each request.
///
///     assertion ▶ POST /token ▶ access token ▶ POST /v1/projects/P/messages:send ▶ PushHead ▶ …
///                                                                      └▶ AndroidMessage ▶ …
package struct MessagingEndpoint: Sendable {
  package let account: MessagingAccount
  package private(set) var tally = MessagingTally()
  private let accessTokens: AccessTokens
  private var minute: Int64 = 0
  private var inMinute = 0
  private var sent: Int64 = 0

  package static let tokenPath = "/token"
  /// The maximum time in seconds by which a sender's clock may be ahead.
  private static let aheadMax: Int64 = 300

  package init(_ account: MessagingAccount, seed: UInt64) {
    self.account = account
    accessTokens = AccessTokens(seed: seed)
  }

  package static func isIts(_ path: UnsafeRawBufferPointer) -> Bool {
    path.isText("/token") || path.behind("/v1/projects/") != nil
  }

  /// - Parameter now: milliseconds since 1970.
  package mutating func answer(
    _ head: GatewayHead, body: UnsafeRawBufferPointer, isTooLong: Bool,
    to endpoint: inout ProviderEndpoint, at now: Int64
  ) -> GatewayAnswer {
    if head.path.isText("/token") { return token(head, body, at: now / 1_000) }
    let verdict = send(head, body, isTooLong: isTooLong, to: &endpoint, at: now)
    switch verdict {
    case .sent(let push):
      tally.accepted += 1
      return accepted(push, at: now)
    case .validated:
      tally.validated += 1
      return .init(
        status: 200, body: #"{"name":"projects/\#(account.project)/messages/fake_message_id"}"#)
    case .refused(let reason, let description, let field, let behind):
      let text = description ?? reason.message
      tally.note(reason, behind?.rawValue ?? text)
      return .init(
        status: reason.status,
        body: Self.text(reason, text, field: field, behind),
        asksToWait: reason.asksToWait)
    }
  }

  // MARK: access tokens

  private mutating func token(
    _ head: GatewayHead, _ body: UnsafeRawBufferPointer, at now: Int64
  ) -> GatewayAnswer {
    func refusal(_ error: String, _ description: String) -> GatewayAnswer {
      tally.noteTokenRefused("\(error): \(description)")
      return .init(
        status: 400, body: #"{"error":"\#(error)","error_description":"\#(description)"}"#)
    }
    guard head.method.isText("POST") else {
      return refusal("invalid_request", "Use POST to request an access token.")
    }
    let form = Self.form(body)
    guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
      return refusal("unsupported_grant_type", "Only the grant type jwt-bearer is supported.")
    }
    let assertion = Array((form["assertion"] ?? "").utf8).withUnsafeBytes { AccountAssertion($0) }
    guard let assertion else { return refusal("invalid_grant", "The assertion is not a JWT.") }
    guard assertion.email == account.email, assertion.keyID ?? account.keyID == account.keyID else {
      return refusal("invalid_grant", "Invalid grant: account not found")
    }
    guard account.checker.isSignature(assertion.signature, of: assertion.signed) else {
      return refusal("invalid_grant", "Invalid JWT Signature.")
    }
    guard assertion.audience.hasSuffix(Self.tokenPath) else {
      return refusal("invalid_grant", "Invalid JWT: its audience is not the token_uri.")
    }
    guard assertion.issuedAt <= now + Self.aheadMax, assertion.expiresAt > now,
      assertion.expiresAt - assertion.issuedAt <= AccessTokens.lifetime
    else {
      return refusal(
        "invalid_grant", "Invalid JWT: it must be valid now and for 60 minutes at most.")
    }
    let scopes = assertion.scope.split(separator: " ")
    guard scopes.contains(where: { $0.hasSuffix("messaging") || $0.hasSuffix("cloud-platform") })
    else { return refusal("invalid_scope", "The scope is neither messaging nor cloud-platform.") }
    tally.tokens += 1
    return .init(
      status: 200,
      body: """
        {"access_token":"\(accessTokens.make(at: now))",\
        "expires_in":\(AccessTokens.lifetime - 1),"token_type":"Bearer"}
        """)
  }

  /// Parses `a=b&c=d` with percent-encoding.
  private static func form(_ body: UnsafeRawBufferPointer) -> [String: String] {
    // swift-format-ignore: non-ASCII text is none of the expected names.
    let text = String(decoding: body, as: UTF8.self)
    var form: [String: String] = [:]
    for part in text.split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { continue }
      form[String(sides[0])] = sides[1].removingPercentEncoding
    }
    return form
  }

  // MARK: messages

  private enum Verdict {
    case sent(AcceptedPush)
    case validated
    /// - `behind`: the reason for which the push provider refused the message.
    case refused(
      MessagingReason, description: String? = nil, field: String? = nil, behind: PushReason? = nil)
  }

  private mutating func send(
    _ head: GatewayHead, _ body: UnsafeRawBufferPointer, isTooLong: Bool,
    to endpoint: inout ProviderEndpoint, at now: Int64
  ) -> Verdict {
    guard accessTokens.isGood(head.authorization, at: now / 1_000) else {
      return .refused(.unauthenticated)
    }
    guard let project = Self.project(head.path), head.method.isText("POST") else {
      return .refused(.notFound)
    }
    guard project.elementsEqual(account.project.utf8) else { return .refused(.permissionDenied) }
    if now / 60_000 != minute { (minute, inMinute) = (now / 60_000, 0) }
    inMinute += 1
    guard inMinute <= account.perMinute else { return .refused(.quotaExceeded) }
    guard !isTooLong else {
      return .refused(.invalidArgument, description: "Request payload size exceeds the limit")
    }
    let message: OutgoingMessage
    do throws(OutgoingMessage.MessageError) {
      message = try OutgoingMessage(body, endpoint.rules, endpoint.tokens)
    } catch {
      switch error {
      case .badValue(let field, let description):
        return .refused(.invalidArgument, description: description, field: field)
      }
    }
    if message.isValidatedOnly { return .validated }
    switch endpoint.decide(message, at: now) {
    case .accepted(let push): return .sent(push)
    case .refused(.badDeviceToken, since: _), .refused(.badPath, since: _),
      .refused(.missingDeviceToken, since: _):
      return .refused(
        .invalidArgument,
        description: "The registration token is not a valid FCM registration token")
    case .refused(let reason, since: _):
      return .refused(MessagingReason(reason), behind: message.android == nil ? reason : nil)
    }
  }

  private static func project(_ path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let end: StaticString = "/messages:send"
    guard let rest = path.behind("/v1/projects/"), rest.count > end.utf8CodeUnitCount else {
      return nil
    }
    let cut = rest.count - end.utf8CodeUnitCount
    guard UnsafeRawBufferPointer(rebasing: rest[cut...]).isText(end) else { return nil }
    return UnsafeRawBufferPointer(rebasing: rest[..<cut])
  }

  private mutating func accepted(_ push: AcceptedPush, at now: Int64) -> GatewayAnswer {
    sent += 1
    return .init(
      status: 200,
      body: #"{"name":"projects/\#(account.project)/messages/\#(now)\#(1_000_000 + sent)"}"#,
      push: push)
  }

  private static func text(
    _ reason: MessagingReason, _ message: String, field: String?, _ behind: PushReason?
  ) -> String {
    var details: [[String: Any]] = []
    if reason.isOfMessaging {
      details.append([
        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
        "errorCode": reason.rawValue,
      ])
    }
    if let behind {
      details.append([
        "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError",
        "statusCode": behind.status, "reason": behind.rawValue,
      ])
    }
    if let field {
      details.append([
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [["field": field, "description": message]],
      ])
    }
    let content: [String: Any] = [
      "error": [
        "code": reason.status, "message": message, "status": reason.statusName,
        "details": details,
      ]
    ]
    let data = try? JSONSerialization.data(
      withJSONObject: content, options: [.sortedKeys, .withoutEscapingSlashes])
    // swift-format-ignore: JSON is UTF-8.
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

/// The fields of a gateway request, as views of the request's bytes.
package struct GatewayHead {
  var method: UnsafeRawBufferPointer
  package private(set) var path: UnsafeRawBufferPointer
  var authorization: UnsafeRawBufferPointer?

  package init(
    method: UnsafeRawBufferPointer?, path: UnsafeRawBufferPointer?,
    authorization: UnsafeRawBufferPointer?
  ) {
    self.method = method ?? .init(start: nil, count: 0)
    self.path = path ?? .init(start: nil, count: 0)
    self.authorization = authorization
  }
}

extension ProviderEndpoint {
  /// Judges a gateway's message, whose sender the gateway has authenticated.
  mutating func decide(_ message: OutgoingMessage, at now: Int64) -> PushVerdict {
    if let android = message.android {
      return message.token.withUnsafeBytes { decide(android, $0, at: now) }
    }
    var head = PushHead()
    var bytes: [UInt8] = []
    func view(_ range: Range<Int>, _ all: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: all[range])
    }
    // One array has the bytes of all fields, since the head contains only views.
    let rows: [([UInt8], [UInt8])] =
      [(Array(":method".utf8), Array("POST".utf8))]
      + [(Array(":path".utf8), Array("/3/device/".utf8) + message.token)]
      + message.fields.map { ($0.name, $0.value) }
    var places: [(name: Range<Int>, value: Range<Int>)] = []
    for (name, value) in rows {
      let middle = bytes.count + name.count
      places.append((bytes.count..<middle, middle..<middle + value.count))
      bytes += name + value
    }
    return bytes.withUnsafeBytes { all in
      for place in places { head.add(view(place.name, all), view(place.value, all)) }
      return message.payload.withUnsafeBytes { payload in
        var nobody = Connection()
        return decide(
          Request(head: head, body: payload, isTooLong: false), on: &nobody, at: now,
          isVouched: true)
      }
    }
  }
}
