package import Core

package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case info, warning, error

  package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }
}

package enum LogFormat: String, CaseIterable, Sendable {
  /// A line for people, as `TIME level event key=value …`.
  case text
  case json
}

/// A field's value, which is never a token or a byte of a payload.
package enum LogValue: Equatable, Sendable {
  case text(String)
  case whole(Int)
  case real(Double)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self = .text(text) }
}

extension LogValue: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: Int) { self = .whole(number) }
}

package struct LogLine: Sendable {
  package let time: UnixInstant
  package let level: LogLevel
  /// The event in a stable word or two, such as `store.failed`, for searches.
  package let event: String
  /// The fields in the order of output; the keys `time`, `level` and `event` are reserved.
  package let fields: [(key: String, value: LogValue)]

  package func rendered(_ format: LogFormat) -> String {
    switch format {
    case .text: text
    case .json: json
    }
  }

  private var text: String {
    let level = level.rawValue + String(repeating: " ", count: 7 - level.rawValue.count)
    let pairs = fields.map { "\($0.key)=\(Self.word($0.value))" }
    return (["\(time.rfc3339) \(level) \(event)"] + pairs).joined(separator: " ")
  }

  private var json: String {
    var pairs = [
      "\"time\":\"\(time.rfc3339)\"", "\"level\":\"\(level.rawValue)\"",
      "\"event\":\(Self.quoted(event))",
    ]
    for field in fields { pairs.append("\(Self.quoted(field.key)):\(Self.value(field.value))") }
    return "{\(pairs.joined(separator: ","))}"
  }

  private static func word(_ value: LogValue) -> String {
    guard case .text(let text) = value else { return Self.value(value) }
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0 != " " && $0 != "\"" && $0 != "=" && !ForeignText.isControl($0)
      }
    return isPlain ? text : quoted(text)
  }

  private static func value(_ value: LogValue) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .whole(let number): "\(number)"
    // JSON has only finite numbers.
    case .real(let number): number.isFinite ? "\(number)" : "null"
    }
  }

  /// Quotes a text as JSON (RFC 8259, section 7).
  static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case let scalar where ForeignText.isControl(scalar):
        let hex = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
