internal import Foundation

/// A message to one phone in Firebase Cloud Messaging (`projects.messages:send`), reduced to the
/// push provider's header fields and payload, or to the message to an Android phone.
struct OutgoingMessage {
  var token: [UInt8]
  /// The header fields of the request to the push provider, with names in lower case.
  var fields: [(name: [UInt8], value: [UInt8])] = []
  var payload: [UInt8] = []
  var isValidatedOnly = false
  /// The message if the token is an Android phone's, whose fields and payload are empty.
  var android: AndroidMessage?

  enum MessageError: Error, Equatable { case badValue(field: String, description: String) }

  /// The size limit of all keys and values of `data` together, in bytes.
  static let dataMax = 4_096

  init(token: String, fields: [(StaticString, String)], payload: [String: Any]) {
    self.token = Array(token.utf8)
    self.fields = fields.map { (Array($0.0.description.utf8), Array($0.1.utf8)) }
    self.payload = (try? JSONSerialization.data(withJSONObject: payload)).map(Array.init) ?? []
  }

  init(token: String, android: AndroidMessage) {
    self.token = Array(token.utf8)
    self.android = android
  }

  init(
    _ body: UnsafeRawBufferPointer, _ rules: EndpointRules, _ tokens: DeviceTokens
  ) throws(MessageError) {
    guard let whole = JSONText.object(body) else {
      throw .badValue(field: "", description: "Invalid JSON payload received.")
    }
    try MessageShape.request.check(whole, at: "")
    guard let message = Self.fields(whole["message"]) else {
      throw .badValue(field: "message", description: "Message is empty.")
    }
    for name in ["topic", "condition"] where message[name] != nil {
      throw .badValue(
        field: "message.\(name)", description: "This endpoint sends to registration tokens only.")
    }
    // Newer Google libraries send an installation ID where older libraries send a token.
    guard let token = (message["token"] ?? message["fid"]) as? String else {
      throw .badValue(
        field: "message", description: "Recipient of the message is not set.")
    }
    self.token = Array(token.utf8)
    let validates = whole["validate_only"] ?? whole["validateOnly"]
    isValidatedOnly = validates as? Bool ?? (validates as? String == "true")
    let data = try Self.data(message["data"], at: "message.data")
    try Self.checkAndroid(Self.fields(message["android"]) ?? [:])
    if let recipient = self.token.withUnsafeBytes(tokens.registration) {
      android = try AndroidMessage(message, to: recipient, package: rules.topics.first)
      return
    }
    let apns = Self.fields(message["apns"]) ?? [:]
    let content = Self.payload(
      apns["payload"] as? [String: Any], notification: Self.fields(message["notification"]), data)
    payload = (try? JSONSerialization.data(withJSONObject: content)).map(Array.init) ?? []
    fields = Self.fields(
      apns["headers"] as? [String: String] ?? [:], content, topic: rules.ownTopic)
  }

  /// Returns an object's fields without nulls; nil if `value` is not an object.
  static func fields(_ value: Any?) -> [String: Any]? {
    (value as? [String: Any])?.filter { !($0.value is NSNull) }
  }

  /// Checks the Android part, which is wrong for an iPhone, too, on which it has no effect.
  private static func checkAndroid(_ android: [String: Any]) throws(MessageError) {
    _ = try data(android["data"], at: "message.android.data")
    let most = AndroidMessage.lifetimeMax
    if let lifetime = android["ttl"].flatMap(MessageShape.seconds), lifetime > Double(most) {
      throw .badValue(
        field: "message.android.ttl",
        description: "Invalid value at 'message.android.ttl': at most \(most)s")
    }
  }

  private static func data(
    _ value: Any?, at path: String
  ) throws(MessageError) -> [String: String] {
    let data = value as? [String: String] ?? [:]
    let reserved = data.keys.sorted().first { key in
      ["from", "message_type"].contains(key) || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }
    if let reserved {
      throw .badValue(field: path, description: "Invalid data payload key: \(reserved)")
    }
    let bytes = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard bytes <= dataMax else {
      throw .badValue(field: path, description: "Android message is too big")
    }
    return data
  }

  /// Returns the payload of the `apns` block, completed from notification and data.
  private static func payload(
    _ given: [String: Any]?, notification: [String: Any]?, _ data: [String: String]
  ) -> [String: Any] {
    var payload: [String: Any] = data
    if let given { payload.merge(given) { $1 } }
    var aps = payload["aps"] as? [String: Any] ?? [:]
    if let notification, aps["alert"] == nil {
      aps["alert"] = notification.filter { $0.key == "title" || $0.key == "body" }
    }
    payload["aps"] = aps
    return payload
  }

  /// Returns the header fields of the `apns` block, with FCM's defaults for the missing fields. The
  /// default type depends on whether the push shows anything.
  private static func fields(
    _ given: [String: String], _ payload: [String: Any], topic: String
  ) -> [(name: [UInt8], value: [UInt8])] {
    var fields: [String: String] = [:]
    for (name, value) in given.sorted(by: { $0.key < $1.key }) { fields[name.lowercased()] = value }
    let aps = payload["aps"] as? [String: Any] ?? [:]
    let isShown = ["alert", "badge", "sound"].contains { aps[$0] != nil }
    let type = fields["apns-push-type"] ?? (isShown ? "alert" : "background")
    fields["apns-push-type"] = type
    fields["apns-priority"] = fields["apns-priority"] ?? (type == "background" ? "5" : "10")
    let suffix = Array(type.utf8).withUnsafeBytes { PushType($0)?.topicSuffix.description ?? "" }
    fields["apns-topic"] = fields["apns-topic"] ?? topic + suffix
    // The access token has already identified the sender.
    fields["authorization"] = nil
    return fields.sorted { $0.key < $1.key }.map { (Array($0.key.utf8), Array($0.value.utf8)) }
  }
}
