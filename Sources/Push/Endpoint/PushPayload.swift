internal import Foundation

/// The effect of a payload on the phone. The provider passes it on in any case.
enum PushPayload: Equatable {
  /// `content-available` is the number 1 within `aps`: the app gets time to run.
  case asksToRun
  /// - `why`: the actual content.
  case asksNothing(why: String)
  /// Not a JSON object, so useless to a phone.
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
}

enum JSONText {
  static func object(_ text: UnsafeRawBufferPointer) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
  }

  /// A number, or nil. Foundation bridges `true` to 1.
  static func number(_ value: Any) -> Double? { isFlag(value) ? nil : value as? Double }

  static func isFlag(_ value: Any) -> Bool {
    // What Foundation reads of these words is kept as a C character; numbers never are.
    (value as? NSNumber).map { $0.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")) }
      ?? false
  }

  /// A value for an example: truncated, without nested parts.
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
