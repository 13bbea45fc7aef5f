internal import Foundation

/// A message to one phone as Firebase Cloud Messaging takes it (`projects.messages:send`), reduced
/// to what the push provider behind it gets: header fields and a payload.
struct OutgoingMessage {
  var token: [UInt8]
  /// Of the provider's request: name in lower case, and value.
  var fields: [(name: [UInt8], value: [UInt8])]
  var payload: [UInt8]
  /// Nothing is to be sent.
  var isValidatedOnly: Bool

  /// Why a body is no message.
  enum MessageError: Error, Equatable { case badValue(field: String, description: String) }

  /// What all keys and values of `data` may have together.
  static let dataMax = 4_096

  /// Makes what a gateway of another kind hands on.
  init(token: String, fields: [(StaticString, String)], payload: [String: Any]) {
    self.token = Array(token.utf8)
    self.fields = fields.map { (Array($0.0.description.utf8), Array($0.1.utf8)) }
    self.payload = (try? JSONSerialization.data(withJSONObject: payload)).map(Array.init) ?? []
    isValidatedOnly = false
  }

  init(_ body: UnsafeRawBufferPointer, topic: String) throws(MessageError) {
    let whole = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    guard let whole else {
      throw .badValue(field: "", description: "Invalid JSON payload received.")
    }
    guard let message = whole["message"] as? [String: Any] else {
      throw .badValue(field: "message", description: "Message is empty.")
    }
    for name in ["topic", "condition"] where message[name] != nil {
      throw .badValue(
        field: "message.\(name)", description: "This endpoint sends to registration tokens alone.")
    }
    // Newer libraries of Google's name an installation where older ones name its token.
    guard let token = (message["token"] ?? message["fid"]) as? String else {
      throw .badValue(
        field: "message", description: "Recipient of the message is not set.")
    }
    self.token = Array(token.utf8)
    isValidatedOnly = whole["validate_only"] as? Bool ?? whole["validateOnly"] as? Bool ?? false
    let data = try Self.data(message["data"])
    let apns = message["apns"] as? [String: Any] ?? [:]
    let content = try Self.payload(
      apns["payload"], notification: message["notification"] as? [String: Any], data)
    payload = (try? JSONSerialization.data(withJSONObject: content)).map(Array.init) ?? []
    fields = try Self.fields(apns["headers"], content, topic: topic)
  }

  private static func data(_ value: Any?) throws(MessageError) -> [String: String] {
    guard let value else { return [:] }
    guard let rows = value as? [String: Any] else {
      throw .badValue(field: "message.data", description: "Invalid value at 'message.data'.")
    }
    var data: [String: String] = [:]
    for (place, row) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
      guard let text = row.value as? String else {
        throw .badValue(
          field: "message.data[\(place)].value",
          description: "Invalid value at 'message.data[\(place)].value' (TYPE_STRING).")
      }
      let isReserved =
        ["from", "message_type"].contains(row.key) || row.key.hasPrefix("google.")
        || row.key.hasPrefix("gcm.")
      guard !isReserved else {
        throw .badValue(field: "message.data", description: "Invalid data payload key: \(row.key)")
      }
      data[row.key] = text
    }
    let bytes = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard bytes <= dataMax else {
      throw .badValue(field: "message.data", description: "Android message is too big")
    }
    return data
  }

  /// The payload of the `apns` block; without one, what the notification and the data make.
  private static func payload(
    _ given: Any?, notification: [String: Any]?, _ data: [String: String]
  ) throws(MessageError) -> [String: Any] {
    var payload: [String: Any] = data
    if let given {
      guard let given = given as? [String: Any] else {
        throw .badValue(
          field: "message.apns.payload", description: "Invalid value at 'message.apns.payload'.")
      }
      payload.merge(given) { $1 }
    }
    var aps = payload["aps"] as? [String: Any] ?? [:]
    if let notification, aps["alert"] == nil {
      aps["alert"] = notification.filter { $0.key == "title" || $0.key == "body" }
    }
    payload["aps"] = aps
    return payload
  }

  /// What the `apns` block asks for, and what stands for the rest: FCM names type and priority
  /// where the sender does not, by whether there is something to be shown.
  private static func fields(
    _ given: Any?, _ payload: [String: Any], topic: String
  ) throws(MessageError) -> [(name: [UInt8], value: [UInt8])] {
    var fields: [String: String] = [:]
    if let given {
      guard let rows = given as? [String: String] else {
        throw .badValue(
          field: "message.apns.headers", description: "Invalid value at 'message.apns.headers'.")
      }
      for (name, value) in rows { fields[name.lowercased()] = value }
    }
    let aps = payload["aps"] as? [String: Any] ?? [:]
    let isShown = ["alert", "badge", "sound"].contains { aps[$0] != nil }
    let type = fields["apns-push-type"] ?? (isShown ? "alert" : "background")
    fields["apns-push-type"] = type
    fields["apns-priority"] = fields["apns-priority"] ?? (type == "background" ? "5" : "10")
    let suffix = Array(type.utf8).withUnsafeBytes { PushType($0)?.topicSuffix.description ?? "" }
    fields["apns-topic"] = fields["apns-topic"] ?? topic + suffix
    // Who the sender is was settled by the access token.
    fields["authorization"] = nil
    return fields.sorted { $0.key < $1.key }.map { (Array($0.key.utf8), Array($0.value.utf8)) }
  }
}
