internal import Foundation

/// A message to an Android phone: the `android` block, completed from the rest of the message
/// (Firebase, "AndroidConfig").
struct AndroidMessage {
  var recipient: DeviceTokens.Registration
  var isUrgent = false
  /// The seconds for which FCM stores the message; 0 to deliver it now or never (AFC6).
  var lifetime = lifetimeMax
  /// Whether a newer message with the same key replaces the message (AFC5).
  var collapses = false
  /// Whether the phone shows the message and does not run the app (AFC13).
  var isShown = false

  /// FCM's limit for the time to live and its default, 28 days in seconds.
  static let lifetimeMax: Int64 = 2_419_200

  init(to recipient: DeviceTokens.Registration) { self.recipient = recipient }

  /// - Parameter message: the message, checked against FCM's schema.
  /// - Parameter package: the app's package; nil for any.
  init(
    _ message: [String: Any], to recipient: DeviceTokens.Registration, package: String?
  ) throws(OutgoingMessage.MessageError) {
    self.recipient = recipient
    let block = OutgoingMessage.fields(message["android"]) ?? [:]
    func text(_ name: String) -> String? {
      (MessageShape.value(name, in: block) as? String).flatMap { $0.isEmpty ? nil : $0 }
    }
    if let wanted = text("restricted_package_name"), let package, wanted != package {
      throw .badValue(
        field: "message.android.restricted_package_name",
        description: "The registration token is not of the package \(JSONText.shown(wanted)).")
    }
    if let priority = block["priority"] {
      isUrgent =
        (priority as? String)?.uppercased() == "HIGH" || JSONText.number(priority) == 1
    }
    if let seconds = block["ttl"].flatMap(MessageShape.seconds) { lifetime = Int64(seconds) }
    collapses = text("collapse_key") != nil
    let shown = [message["notification"], block["notification"]].compactMap(OutgoingMessage.fields)
    isShown = !shown.isEmpty
    let own = OutgoingMessage.fields(block["data"]) ?? [:]
    let data = own.isEmpty ? OutgoingMessage.fields(message["data"]) ?? [:] : own
    let notification = shown.reduce(into: [:]) { $0.merge($1) { $1 } }
    guard Self.bytes(data) + Self.bytes(notification) <= OutgoingMessage.dataMax else {
      throw .badValue(field: "message", description: "Android message is too big")
    }
  }

  private static func bytes(_ texts: [String: Any]) -> Int {
    texts.reduce(0) { $0 + $1.key.utf8.count + (($1.value as? String)?.utf8.count ?? 0) }
  }
}

extension ProviderEndpoint {
  /// Judges a message to an Android phone, whose sender FCM has authenticated.
  mutating func decide(
    _ message: AndroidMessage, _ token: UnsafeRawBufferPointer, at now: Int64
  ) -> PushVerdict {
    requestNumber += 1
    let verdict = judge(message, token, at: now)
    tally.note(verdict, at: now)
    return verdict
  }

  private mutating func judge(
    _ message: AndroidMessage, _ token: UnsafeRawBufferPointer, at now: Int64
  ) -> PushVerdict {
    if isBusy { return .refused(.serviceUnavailable) }
    guard message.recipient.isOfProject else { return .refused(.deviceTokenNotForTopic) }
    let owner = message.recipient.owner
    if let refusal = refusal(of: owner, token, at: now) { return refusal }
    let second = UInt32(clamping: now / 1_000)
    if devices.isTooSoon(owner.phone, second: second, wait: rules.retryAfter) {
      note(.ignoredRetryAfter, token, at: now)
    }
    let isWithin = devices.countMessage(to: owner.phone, second: second)
    if rules.perPhoneAndSecond > 0, !isWithin {
      note(.burst, token, at: now)
      devices.noteAskedToWait(owner.phone, second: second)
      return .refused(.tooManyRequests)
    }
    let number = devices.countAccepted(owner.phone)
    return .accepted(
      AcceptedPush(
        phone: owner.phone, number: number, type: message.isShown ? .alert : .background,
        priority: message.isUrgent ? 10 : 5,
        expiration: message.lifetime == 0 ? 0 : now / 1_000 + message.lifetime,
        asksToRun: !message.isShown, isWithheld: isWithheld(owner.phone, number),
        collapses: message.collapses))
  }
}
