internal import Foundation

/// The schema of FCM's HTTP v1 (Firebase, "projects.messages", 2026). Requests with other fields or
/// types are refused. Field names may also be in camel case.
indirect enum MessageShape: Sendable {
  case text
  case flag
  case whole
  case number
  /// A duration such as `3.5s`.
  case duration
  /// An object with any fields.
  case anything
  case texts
  case word(type: String, [String])
  case list(MessageShape)
  case fields([String: MessageShape])

  static let request = fields(["validate_only": .flag, "message": message])

  private static let message = fields([
    "name": .text, "data": .texts, "notification": notification, "android": android,
    "webpush": webpush, "apns": apple, "fcm_options": label, "token": .text, "topic": .text,
    "condition": .text,
    // Newer Google libraries send an installation ID where older libraries send a token.
    "fid": .text,
  ])
  private static let label = fields(["analytics_label": .text])
  private static let notification = fields(["title": .text, "body": .text, "image": .text])
  private static let apple = fields([
    "headers": .texts, "payload": .anything, "live_activity_token": .text,
    "fcm_options": fields(["analytics_label": .text, "image": .text]),
  ])
  private static let webpush = fields([
    "headers": .texts, "data": .texts, "notification": .anything,
    "fcm_options": fields(["link": .text, "analytics_label": .text]),
  ])
  private static let android = fields([
    "collapse_key": .text, "ttl": .duration, "restricted_package_name": .text, "data": .texts,
    "priority": .word(type: "AndroidMessagePriority", ["NORMAL", "HIGH"]),
    "notification": androidNotification, "fcm_options": label, "direct_boot_ok": .flag,
    "bandwidth_constrained_ok": .flag, "restricted_satellite_ok": .flag,
  ])
  private static let androidNotification = fields([
    "title": .text, "body": .text, "icon": .text, "color": .text, "sound": .text, "tag": .text,
    "click_action": .text, "body_loc_key": .text, "body_loc_args": .list(.text),
    "title_loc_key": .text, "title_loc_args": .list(.text), "channel_id": .text, "ticker": .text,
    "sticky": .flag, "event_time": .text, "local_only": .flag, "default_sound": .flag,
    "default_vibrate_timings": .flag, "default_light_settings": .flag, "image": .text,
    "vibrate_timings": .list(.duration), "notification_count": .whole,
    "bypass_proxy_notification": .flag,
    "notification_priority": .word(
      type: "AndroidNotification.NotificationPriority",
      ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_\($0)" }),
    "visibility": .word(
      type: "AndroidNotification.Visibility",
      ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
    "proxy": .word(
      type: "AndroidNotification.Proxy",
      ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    "light_settings": fields([
      "color": fields(["red": .number, "green": .number, "blue": .number, "alpha": .number]),
      "light_on_duration": .duration, "light_off_duration": .duration,
    ]),
  ])

  /// - Parameter path: the path of the value in the body; empty for the whole body.
  func check(_ value: Any, at path: String) throws(OutgoingMessage.MessageError) {
    // A null field counts as absent.
    if value is NSNull { return }
    switch self {
    case .anything: try Self.expect(value is [String: Any], value, "google.protobuf.Struct", path)
    case .text: try Self.expect(value is String, value, "TYPE_STRING", path)
    case .flag:
      let isWord = value as? String == "true" || value as? String == "false"
      try Self.expect(JSONText.isFlag(value) || isWord, value, "TYPE_BOOL", path)
    case .whole:
      let number = (value as? String).map { Double($0) } ?? JSONText.number(value)
      try Self.expect(number.flatMap { Int32(exactly: $0) } != nil, value, "TYPE_INT32", path)
    case .number:
      let number = (value as? String).map { Double($0) } ?? JSONText.number(value)
      try Self.expect(number != nil, value, "TYPE_FLOAT", path)
    case .duration:
      try Self.expect(Self.seconds(value) != nil, value, "google.protobuf.Duration", path)
    case .word(let type, let words):
      let isKnown = (value as? String).map { words.contains($0.uppercased()) }
      let number = JSONText.number(value).flatMap { Int(exactly: $0) }
      try Self.expect(
        isKnown ?? number.map(words.indices.contains) ?? false, value,
        "google.firebase.fcm.v1.\(type)", path)
    case .list(let shape):
      let items = value as? [Any]
      try Self.expect(items != nil, value, "a list", path)
      for (place, item) in (items ?? []).enumerated() {
        try shape.check(item, at: "\(path)[\(place)]")
      }
    case .texts:
      let rows = value as? [String: Any]
      try Self.expect(rows != nil, value, "an object", path)
      for (place, row) in Self.sorted(rows ?? [:]).enumerated() {
        try Self.expect(row.value is String, row.value, "TYPE_STRING", "\(path)[\(place)].value")
      }
    case .fields(let shapes):
      let rows = value as? [String: Any]
      try Self.expect(rows != nil, value, "an object", path)
      for (name, value) in Self.sorted(rows ?? [:]) {
        guard let (known, shape) = Self.shape(name, among: shapes) else {
          throw .unknown(name, at: path)
        }
        try shape.check(value, at: path.isEmpty ? known : "\(path).\(known)")
      }
    }
  }

  private static func sorted(_ rows: [String: Any]) -> [(key: String, value: Any)] {
    rows.sorted { $0.key < $1.key }
  }

  private static func shape(
    _ name: String, among shapes: [String: MessageShape]
  ) -> (String, MessageShape)? {
    if let shape = shapes[name] { return (name, shape) }
    let known = shapes.first { camelCase($0.key) == name }
    return known.map { ($0.key, $0.value) }
  }

  /// Returns the value of a field, whose name may also be written in camel case.
  static func value(_ name: String, in fields: [String: Any]) -> Any? {
    fields[name] ?? fields[camelCase(name)]
  }

  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
  }

  /// Returns the seconds of a duration such as `3.5s`; nil if invalid.
  static func seconds(_ value: Any) -> Double? {
    guard let text = value as? String, text.hasSuffix("s") else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    return Double(digits)
  }

  private static func expect(
    _ holds: Bool, _ value: Any, _ type: String, _ path: String
  ) throws(OutgoingMessage.MessageError) {
    if !holds { throw .wrongType(value, type, at: path) }
  }
}

extension OutgoingMessage.MessageError {
  fileprivate static func unknown(_ name: String, at path: String) -> Self {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return .badValue(
      field: path,
      description: "Invalid JSON payload received. Unknown name \(JSONText.shown(name))\(place): "
        + "Cannot find field.")
  }

  fileprivate static func wrongType(_ value: Any, _ type: String, at path: String) -> Self {
    let name = type.hasPrefix("google.") ? "type.googleapis.com/\(type)" : type
    return .badValue(
      field: path,
      description: "Invalid value at '\(path)' (\(name)), \(JSONText.shown(value))")
  }
}
