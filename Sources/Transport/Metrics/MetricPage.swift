/// Collects metrics with their values, and renders them in Prometheus' text format 0.0.4, or in
/// OpenMetrics 1.0 for a client that accepts OpenMetrics. OpenMetrics has no suffixes in head
/// lines, and `# EOF` at the end.
package struct MetricPage: Sendable {
  package enum Format: Equatable, Sendable {
    case text, openMetrics

    package var contentType: String {
      switch self {
      case .text: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }

    /// Chooses the format by the Accept header, whose weights are ignored.
    package init(accept: String) {
      self = accept.contains("application/openmetrics-text") ? .openMetrics : .text
    }
  }

  package private(set) var families: [MetricFamily] = []

  package init() {}

  // MARK: Samples

  package mutating func add(_ metric: Metric, _ value: Double) { add(metric, [([], value)]) }
  package mutating func add(_ metric: Metric, _ value: UInt64) { add(metric, Double(value)) }
  package mutating func add(_ metric: Metric, _ value: Int) { add(metric, Double(value)) }

  /// Adds one sample for each list of label values. A metric without samples keeps its head.
  package mutating func add(_ metric: Metric, _ samples: [(labels: [String], value: Double)]) {
    for sample in samples {
      precondition(
        metric.labels.count == sample.labels.count,
        "\(metric.name) has labels \(metric.labels), not \(sample.labels)")
    }
    families.append(
      MetricFamily(
        metric: metric,
        values: .samples(samples.map { MetricFamily.Sample(labels: $0.labels, value: $0.value) })))
  }

  package mutating func add(_ metric: Metric, _ histogram: BucketCounts) {
    precondition(metric.kind == .histogram, "\(metric.name) is not a histogram")
    families.append(MetricFamily(metric: metric, values: .histogram(histogram)))
  }

  // MARK: Series

  struct Series {
    let name: String
    let labels: [(name: String, value: String)]
    let value: Double
  }

  static func series(of family: MetricFamily) -> [Series] {
    let metric = family.metric
    switch family.values {
    case .samples(let samples):
      return samples.map { sample in
        Series(
          name: metric.name, labels: Array(zip(metric.labels, sample.labels)), value: sample.value)
      }
    case .histogram(let histogram):
      func bucket(_ bound: String, _ count: UInt64) -> Series {
        Series(name: "\(metric.name)_bucket", labels: [("le", bound)], value: Double(count))
      }
      let sum = Double(histogram.sumMicroseconds) / 1e6
      return zip(histogram.bounds, histogram.cumulative).map {
        bucket("\(Double($0) / 1e6)", $1)
      } + [
        bucket("+Inf", histogram.count),
        Series(name: "\(metric.name)_sum", labels: [], value: sum),
        Series(name: "\(metric.name)_count", labels: [], value: Double(histogram.count)),
      ]
    }
  }

  // MARK: Text

  package func text(_ format: Format) -> String {
    var text = ""
    text.reserveCapacity(32_768)
    for family in families {
      let name = Self.name(of: family.metric, in: format)
      let help = Self.escaped(family.metric.help, quotes: format == .openMetrics)
      text += "# HELP \(name) \(help)\n"
      text += "# TYPE \(name) \(Self.type(family.metric.kind, in: format))\n"
      for series in Self.series(of: family) { Self.append(series, to: &text) }
    }
    if format == .openMetrics { text += "# EOF\n" }
    return text
  }

  private static func name(of metric: Metric, in format: Format) -> String {
    let suffix: String
    switch (format, metric.kind) {
    case (.openMetrics, .counter): suffix = "_total"
    case (.openMetrics, .info): suffix = "_info"
    case (.openMetrics, .gauge), (.openMetrics, .histogram), (.text, _): return metric.name
    }
    precondition(metric.name.hasSuffix(suffix), "\(metric.name) must end in \(suffix)")
    return metric.stem(suffix)
  }

  private static func type(_ kind: Metric.Kind, in format: Format) -> String {
    switch kind {
    case .counter: "counter"
    case .gauge: "gauge"
    case .info: format == .openMetrics ? "info" : "gauge"
    case .histogram: "histogram"
    }
  }

  private static func append(_ series: Series, to text: inout String) {
    text += series.name
    if !series.labels.isEmpty {
      text += "{"
      for (index, label) in series.labels.enumerated() {
        if index > 0 { text += "," }
        text += label.name
        text += "=\""
        text += escaped(label.value, quotes: true)
        text += "\""
      }
      text += "}"
    }
    text += " "
    text += number(series.value)
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
  package static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    // Up to this limit a Double represents every whole number exactly.
    if abs(value) < 9e15, value == value.rounded() { return "\(Int64(value))" }
    return "\(value)"
  }
}
