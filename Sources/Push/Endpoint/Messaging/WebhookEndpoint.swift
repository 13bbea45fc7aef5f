internal import Core
internal import Foundation

/// The gateway for Home Assistant's notifications, at an app's `push_url`. Answers include the
/// phone's remaining notifications of the day. The time comes with each request, not from a clock.
///
///     {"message", "title", "push_token", "registration_info", "data"} ▶ POST /push ▶ PushHead ▶ …
package struct WebhookEndpoint: Sendable {
  package struct Tally: Equatable, Sendable {
    package internal(set) var accepted = 0
    /// The number of requests refused beyond a phone's daily limit.
    package internal(set) var limited = 0
    /// The number of requests refused for other reasons.
    package internal(set) var refused = 0
  }

  private struct Day {
    var number: Int64
    var successful = 0
    var errors = 0
  }

  package let perDay: Int
  package private(set) var tally = Tally()
  private var days: [String: Day] = [:]

  /// The commands to Home Assistant's app, which show nothing.
  private static let commands: Set = [
    "request_location_update", "clear_notification", "clear_badge", "delete_alert",
    "update_complications", "update_widgets",
  ]
  /// The number of tokens above which refused tokens are no longer counted.
  private static let unknownMax = 100_000

  package init(perDay: Int = 500) { self.perDay = perDay }

  package static func isIts(_ path: UnsafeRawBufferPointer) -> Bool { path.isText("/push") }

  /// - Parameter now: milliseconds since 1970.
  package mutating func answer(
    _ head: GatewayHead, body: UnsafeRawBufferPointer, isTooLong: Bool,
    to endpoint: inout ProviderEndpoint, at now: Int64
  ) -> GatewayAnswer {
    guard head.method.isText("POST") else {
      return refusal(405, ["errorMessage": "Use POST to send a notification."])
    }
    let read = isTooLong ? nil : try? JSONSerialization.jsonObject(with: Data(body))
    guard let request = read as? [String: Any] else {
      return refusal(400, ["errorMessage": "The notification is not a JSON object."])
    }
    guard let token = request["push_token"] as? String, !token.isEmpty else {
      return refusal(403, ["errorMessage": "push_token is missing."])
    }
    var day = days[token] ?? Day(number: now / 86_400_000)
    if day.number != now / 86_400_000 { day = Day(number: now / 86_400_000) }
    guard day.successful < perDay else {
      tally.limited += 1
      return Self.answer(
        429,
        [
          "errorType": "RateLimited", "target": token, "rateLimits": limits(day),
          "message": "This phone has reached its daily limit of notifications.",
        ])
    }
    let verdict = endpoint.decide(Self.message(request, to: token, endpoint), at: now)
    switch verdict {
    case .accepted(let push):
      tally.accepted += 1
      day.successful += 1
      days[token] = day
      var answer = Self.answer(
        201,
        [
          "messageId": "\(now)-\(push.phone.rawValue)-\(push.number)", "target": token,
          "rateLimits": limits(day),
        ])
      answer.push = push
      return answer
    case .refused(let reason, since: _):
      day.errors += 1
      if days[token] != nil || days.count < Self.unknownMax { days[token] = day }
      return refusal(
        reason == .tooManyRequests ? 429 : reason == .badDeviceToken ? 403 : 500,
        [
          "errorType": "InternalError", "errorStep": "sendNotification",
          "errorCode": reason.rawValue, "target": token, "rateLimits": limits(day),
          "message": "The push provider refused the notification: \(reason.rawValue).",
        ])
    }
  }

  private static func message(
    _ request: [String: Any], to token: String, _ endpoint: ProviderEndpoint
  ) -> OutgoingMessage {
    if let recipient = Array(token.utf8).withUnsafeBytes(endpoint.tokens.registration) {
      // Android phones get data, from which the app makes notifications (home-assistant:
      // mobile-apps-fcm-push, functions/android.js, 2026).
      var android = AndroidMessage(to: recipient)
      android.isUrgent = (request["data"] as? [String: Any])?["priority"] as? String == "high"
      return OutgoingMessage(token: token, android: android)
    }
    let text = request["message"] as? String ?? ""
    let isCommand = commands.contains(text)
    var aps: [String: Any] = [:]
    if isCommand {
      aps["content-available"] = 1
    } else {
      aps["alert"] = ["title": request["title"] as? String ?? "", "body": text]
    }
    var payload: [String: Any] = ["aps": aps]
    if isCommand { payload["homeassistant"] = ["command": text] }
    return OutgoingMessage(
      token: token,
      fields: [
        ("apns-topic", endpoint.rules.ownTopic),
        ("apns-push-type", isCommand ? "background" : "alert"),
        ("apns-priority", isCommand ? "5" : "10"),
      ], payload: payload)
  }

  private func limits(_ day: Day) -> [String: Any] {
    let end = UnixInstant(microseconds: (day.number + 1) * 86_400_000_000)
    return [
      "successful": day.successful, "errors": day.errors, "total": day.successful + day.errors,
      "maximum": perDay, "remaining": max(0, perDay - day.successful),
      "resetsAt": "\(end.rfc3339.prefix(10))T00:00:00Z",
    ]
  }

  private mutating func refusal(_ status: Int, _ content: [String: Any]) -> GatewayAnswer {
    tally.refused += 1
    return Self.answer(status, content)
  }

  private static func answer(_ status: Int, _ content: [String: Any]) -> GatewayAnswer {
    let data = try? JSONSerialization.data(
      withJSONObject: content, options: [.sortedKeys, .withoutEscapingSlashes])
    // swift-format-ignore: JSON is UTF-8.
    let body = data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    return GatewayAnswer(status: status, body: body, asksToWait: status == 429)
  }
}
