/// Renders a scrape in Prometheus' text format 0.0.4, or in OpenMetrics 1.0 for a client that
/// accepts OpenMetrics. OpenMetrics has no suffixes in head lines, and `# EOF` at the end.
struct MetricPage {
  enum Format: Equatable, Sendable {
    case text, openMetrics

    var contentType: String {
      switch self {
      case .text: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }

    /// Chooses the format by the Accept header, whose weights are ignored.
    init(accept: String) {
      self = accept.contains("application/openmetrics-text") ? .openMetrics : .text
    }
  }

  private let format: Format
  private var text = ""

  init(_ format: Format) {
    self.format = format
    text.reserveCapacity(32_768)
  }

  consuming func finished() -> String {
    switch format {
    case .text: text
    case .openMetrics: text + "# EOF\n"
    }
  }

  // MARK: Samples

  mutating func add(_ metric: Metric, _ value: Double) { add(metric, [([], value)]) }
  mutating func add(_ metric: Metric, _ value: UInt64) { add(metric, Double(value)) }
  mutating func add(_ metric: Metric, _ value: Int) { add(metric, Double(value)) }

  /// Adds one sample for each list of label values. A metric without samples keeps its head.
  mutating func add(_ metric: Metric, _ samples: [(labels: [String], value: Double)]) {
    head(metric)
    for sample in samples {
      line(metric.name, Self.pairs(metric, sample.labels), sample.value)
    }
  }

  mutating func add(_ metric: Metric, _ histogram: BucketCounts) {
    precondition(metric.kind == .histogram, "\(metric.name) is not a histogram")
    head(metric)
    for (bound, count) in zip(BucketCounts.bounds, histogram.cumulative) {
      line("\(metric.name)_bucket", [("le", "\(Double(bound) / 1e6)")], Double(count))
    }
    line("\(metric.name)_bucket", [("le", "+Inf")], Double(histogram.count))
    line("\(metric.name)_sum", [], Double(histogram.sumMicroseconds) / 1e6)
    line("\(metric.name)_count", [], Double(histogram.count))
  }

  private static func pairs(_ metric: Metric, _ values: [String]) -> [(String, String)] {
    precondition(
      metric.labels.count == values.count,
      "\(metric.name) has labels \(metric.labels), not \(values)")
    return Array(zip(metric.labels, values))
  }

  // MARK: Lines

  private mutating func head(_ metric: Metric) {
    let name = family(metric)
    text += "# HELP \(name) \(Self.escaped(metric.help, quotes: format == .openMetrics))\n"
    text += "# TYPE \(name) \(type(metric.kind))\n"
  }

  private func family(_ metric: Metric) -> String {
    let suffix: String
    switch (format, metric.kind) {
    case (.openMetrics, .counter): suffix = "_total"
    case (.openMetrics, .info): suffix = "_info"
    case (.openMetrics, .gauge), (.openMetrics, .histogram), (.text, _): return metric.name
    }
    precondition(metric.name.hasSuffix(suffix), "\(metric.name) must end in \(suffix)")
    return String(metric.name.dropLast(suffix.count))
  }

  private func type(_ kind: Metric.Kind) -> String {
    switch kind {
    case .counter: "counter"
    case .gauge: "gauge"
    case .info: format == .openMetrics ? "info" : "gauge"
    case .histogram: "histogram"
    }
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{"
      for (index, label) in labels.enumerated() {
        if index > 0 { text += "," }
        text += label.0
        text += "=\""
        text += Self.escaped(label.1, quotes: true)
        text += "\""
      }
      text += "}"
    }
    text += " "
    text += Self.number(value)
    text += "\n"
  }

  /// Escapes backslashes and line feeds, and with `quotes` also double quotes.
  static func escaped(_ text: String, quotes: Bool) -> String {
    // The bytes are checked first, since most texts need no escape.
    guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else {
      return text
    }
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\"" where quotes: out += "\\\""
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// Formats a number as Go does, except that whole numbers have no point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    // Up to this limit a Double represents every whole number exactly.
    if abs(value) < 9e15, value == value.rounded() { return "\(Int64(value))" }
    return "\(value)"
  }
}
