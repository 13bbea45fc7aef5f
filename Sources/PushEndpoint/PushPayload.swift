internal import Foundation

/// What a payload asks of the phone. The provider hands it on as it is, whatever it says.
enum PushPayload: Equatable {
  /// `content-available` is the number 1 within `aps`: the app gets time to run.
  case asksToRun
  /// - `why`: what stands in the place of that.
  case asksNothing(why: String)
  /// It is no JSON object, and a phone can do nothing with it.
  case notJSON

  private static let key = "content-available"

  /// Reads a payload.
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
      self = .asksNothing(why: "\(Self.key) \(isOutside ? "stands outside aps" : "is left out")")
    }
  }

  /// Whether it asks for time to run.
  var asksToRun: Bool { self == .asksToRun }
}

/// JSON as senders write it.
enum JSONText {
  /// Reads an object; nil: the text is none.
  static func object(_ text: UnsafeRawBufferPointer) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
  }

  /// The number that a value is; nil: it is none. Foundation takes `true` for 1.
  static func number(_ value: Any) -> Double? { isFlag(value) ? nil : value as? Double }

  /// Whether a value is `true` or `false`.
  static func isFlag(_ value: Any) -> Bool {
    // What Foundation reads of these words is kept as a C character; numbers never are.
    (value as? NSNumber).map { $0.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")) }
      ?? false
  }

  /// A value as an example shows it: what is long is cut, what has parts is not written out.
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
