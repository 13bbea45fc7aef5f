internal import Figures

/// The tables of a comparison: a row for each policy.
extension ComparisonRecord {
  typealias Column = (String, ComparedMeasure)

  static let knowledge: [Column] = [
    ("fresh", .freshness), ("moving", .freshnessMoving), ("located", .located),
    ("error p50", .errorMedian), ("p95", .errorP95), ("mean", .errorMean),
    ("missed", .staysMissed), ("invented", .staysInvented),
  ]
  static let causes: [Column] = StaleCause.allCases.map {
    ($0.rawValue.replacing("-", with: " "), .stale($0))
  }
  static let wakes: [Column] = WakeCause.allCases.map {
    ($0.rawValue.replacing("-", with: " "), .wakesBy($0))
  }

  func table(_ columns: [Column], _ population: Population = .reachable) -> Table {
    table(policies[...], columns, population) { unit, one in one.value.map { unit.text($0.value) } }
  }

  /// The others less the first, with 95 % intervals; `~`: it may be nothing.
  func differences(_ columns: [Column]) -> Table {
    table(policies.dropFirst(), columns, .reachable) { $1.difference.map($0.difference) }
  }

  private func table(
    _ policies: ArraySlice<Policy>, _ columns: [Column], _ population: Population,
    _ text: (ComparedMeasure.Unit, Measured) -> String?
  ) -> Table {
    Table(
      head: ["policy"] + columns.map(\.0),
      rows: policies.map { policy in
        [policy.name]
          + columns.map { _, measure in
            policy.measured(measure, of: population).flatMap { text(measure.unit, $0) } ?? "—"
          }
      })
  }

  /// What it cost, a phone and day.
  func costs(_ population: Population = .reachable) -> Table {
    var table = table(
      [
        ("battery", .battery), ("fixes", .fixes), ("batches", .batches), ("bytes", .bytes),
        ("wakes", .wakes), ("pushes", .pushes),
      ], population)
    table.head.append("answered")
    for (i, policy) in policies.enumerated() {
      table.rows[i].append(policy.answered.map { Figure.percent($0.value) } ?? "—")
    }
    return table
  }

  /// A row for each policy, population and measure.
  package var csv: String? {
    let rows = policies.flatMap { policy in
      policy.measures.map { one in
        [policy.name, one.population.rawValue, one.measure, one.unit.rawValue]
          + Table.fields(one.value) + Table.fields(one.difference)
      }
    }
    return Table(
      head: [
        "policy", "population", "measure", "unit", "value", "low", "high", "difference",
        "difference_low", "difference_high",
      ], rows: rows
    ).csv
  }
}

extension ComparedMeasure.Unit {
  func text(_ value: Double) -> String {
    switch self {
    case .share: Figure.percent(value)
    case .meters: Self.meters(value)
    case .percentPerDay: "\(Self.hundredths(value)) %"
    case .bytesPerDay: Figure.bytes(Int(value.rounded()))
    case .perDay, .minutesPerDay: Figure.quantity(value)
    }
  }

  /// Two decimals, so that a column of them can be read down.
  private static func hundredths(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    let rest = whole % 100
    return "\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func meters(_ value: Double) -> String {
    abs(value) < 1_000
      ? "\(Figure.plain((value * 10).rounded() / 10)) m" : "\(Figure.quantity(value / 1_000)) km"
  }

  /// "+1.2 (+0.8 … +1.6)", "~ +0.1 (−0.2 … +0.4)"; of shares in percentage points.
  func difference(_ ratio: Ratio) -> String {
    let parts = [ratio.value, ratio.low, ratio.high].map(signed)
    return "\(ratio.mayBeZero ? "~ " : "")\(parts[0]) (\(parts[1]) … \(parts[2]))"
  }

  private func signed(_ value: Double) -> String {
    let whole = text(abs(value))
    let text = self == .share || self == .percentPerDay ? String(whole.dropLast(2)) : whole
    // What rounds to nothing has no sign.
    guard text.contains(where: { "123456789".contains($0) }) else { return text }
    return (value < 0 ? "−" : "+") + text
  }
}
