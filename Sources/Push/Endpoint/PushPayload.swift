internal import Foundation

/// The effect of a payload on the phone. The provider forwards the payload whatever its effect.
enum PushPayload: Equatable {
  /// The app gets time to run: `content-available` within `aps` is the number 1.
  case asksToRun
  /// The app gets no time to run. `why`: what the payload contains instead.
  case asksNothing(why: String)
  /// The payload is not a JSON object, and useless to a phone.
  case notJSON

  private static let key = "content-available"

  init(_ body: UnsafeRawBufferPointer) {
    guard let whole = JSONText.object(body) else {
      self = .notJSON
      return
    }
    if let value = (whole["aps"] as? [String: Any])?[Self.key] {
      let isOne = JSONText.number(value) == 1
      self = isOne ? .asksToRun : .asksNothing(why: "\(Self.key) is \(JSONText.shown(value))")
    } else {
      let isOutside = whole[Self.key] != nil
      self = .asksNothing(why: "\(Self.key) is \(isOutside ? "outside aps" : "missing")")
    }
  }

  var asksToRun: Bool { self == .asksToRun }

  /// Returns what a push does to a Live Activity: start, update or end; nil for other payloads.
  static func activityEvent(_ body: UnsafeRawBufferPointer) -> String? {
    (JSONText.object(body)?["aps"] as? [String: Any])?["event"] as? String
  }
}

enum JSONText {
  static func object(_ text: UnsafeRawBufferPointer) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
  }

  /// Returns a number; nil for anything else, such as `true`, which Foundation would bridge to 1.
  static func number(_ value: Any) -> Double? { isFlag(value) ? nil : value as? Double }

  static func isFlag(_ value: Any) -> Bool {
    // Foundation stores `true` and `false`, but no number, as C characters.
    (value as? NSNumber).map { $0.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")) }
      ?? false
  }

  /// Returns a value as text for an example: truncated, without nested parts.
  static func shown(_ value: Any) -> String {
    switch value {
    case let text as String: #""\#(text.prefix(40))\#(text.count > 40 ? "…" : "")""#
    case is [Any]: "a list"
    case is [String: Any]: "an object"
    case is NSNull: "null"
    case let value where isFlag(value): (value as? Bool) == true ? "true" : "false"
    case let value: "\(value)"
    }
  }
}
