internal import Core

enum Words {
  static func level(_ key: String) -> String {
    switch key {
    case "responseP99": "response p99"
    case "lost": "lost fixes"
    case "undelivered": "undelivered fixes"
    case "failed": "failed requests"
    case "stored": "stored fixes"
    case "freshness": "fresh phone-time"
    case "located": "located phone-time"
    case "answered": "answered pushes"
    default: key
    }
  }

  // MARK: Ratios

  static func share(_ ratio: Ratio?) -> String { ratio.map { Figure.percent($0.value) } ?? "—" }

  /// Returns a text such as "38.6 % (36.0 – 41.1)".
  static func ratio(_ ratio: Ratio?) -> String {
    guard let ratio else { return "—" }
    return "\(Figure.percent(ratio.value)) (\(hundredths(ratio.low)) – \(hundredths(ratio.high)))"
  }

  /// Returns a difference of shares in percentage points, such as "29.5 (22.2 – 36.1)".
  static func points(_ ratio: Ratio?) -> String {
    guard let ratio else { return "—" }
    return "\(hundredths(ratio.value)) (\(hundredths(ratio.low)) – \(hundredths(ratio.high)))"
  }

  private static func hundredths(_ share: Double) -> String {
    String(Figure.percent(share).dropLast(2))
  }
}
