internal import Core
internal import Figures

extension StudyFigure {
  var sweptTitle: String {
    switch self {
    case .answered: "Answered, % of the pushes"
    case .answeredOfSilent: "Answered, % of all silent phones"
    case .freshness: "Fresh, % of the time"
    case .battery: "Battery, % a day"
    case _: title
    }
  }

  /// Returns a value in the column's unit: shares in percent, and uplift in percentage points.
  func number(_ value: Double) -> String {
    switch unit {
    case .share: Self.signed(Self.tenths(value * 100))
    case .percentPerDay: Figure.hundredths(value)
    case _: Self.signed(Figure.quantity(value))
    }
  }

  /// Returns a text such as "29.4 [27.1 … 31.8]", or "—" if unknown.
  func text(_ ratio: Ratio?, isWithInterval: Bool) -> String {
    guard let ratio else { return "—" }
    let value = number(ratio.value)
    return isWithInterval ? "\(value) \(interval(ratio))" : value
  }

  func interval(_ ratio: Ratio) -> String {
    func short(_ value: Double) -> String {
      self == .answered || self == .uplift
        ? Self.signed("\(Int(nearest: value * 100))") : number(value)
    }
    return "[\(short(ratio.low))–\(short(ratio.high))]"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int(nearest: value * 10)
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private static func signed(_ text: String) -> String { text.replacing("-", with: "−") }
}

extension SweepRecord {
  private static let shownFigures: [StudyFigure] = [
    .answered, .answeredOfSilent, .uplift, .freshness, .battery, .pushes, .removedPerPush,
    .removedPerJoule,
  ]
  private static let intervals: Set<StudyFigure> = [
    .answered, .uplift, .removedPerPush, .removedPerJoule,
  ]

  /// - Parameter letters: The greatest length of an axis value.
  func table(
    _ intervals: Set<StudyFigure> = intervals, without dropped: [StudyFigure] = [],
    letters: Int = 24
  ) -> Table {
    let columns = Self.shownFigures.filter { !dropped.contains($0) }
    var table = Table(head: shortKeys + columns.map(\.head))
    for (i, point) in points.enumerated() {
      var values = shown(point, letters: letters)
      if i == best, let last = values.indices.last { values[last] += " *" }
      table.rows.append(
        values + columns.map { $0.text(point[$0], isWithInterval: intervals.contains($0)) })
    }
    return table
  }

  func table(fitting width: Int) -> [Block?] {
    var (intervals, letters, dropped) = (Self.intervals, 24, [StudyFigure]())
    // The ways to shorten the table, applied one after the other until the table fits.
    let economies: [() -> Void] = [
      { _ = intervals.remove(.removedPerJoule) }, { _ = intervals.remove(.uplift) },
      { _ = intervals.remove(.removedPerPush) }, { _ = intervals.remove(.answered) },
      { letters = 14 },
      { dropped.append(.removedPerJoule) }, { dropped.append(.battery) }, { letters = 9 },
      { dropped.append(.uplift) }, { dropped.append(.removedPerPush) },
      { dropped.append(.pushes) },
    ]
    var table = self.table()
    for economize in economies where (table.lines.map(\.count).max() ?? 0) > width {
      economize()
      table = self.table(intervals, without: dropped, letters: letters)
    }
    let values = Self.shownFigures.filter {
      Self.intervals.contains($0) && !intervals.contains($0) && !dropped.contains($0)
    }
    let names = values.map(\.head).joined(separator: ", ")
    let left = dropped.map(\.head) + (values.isEmpty ? [] : ["the intervals of \(names)"])
    return [.table(table)]
      + (left.isEmpty
        ? []
        : [.gap, .text("Omitted for width: \(left.joined(separator: ", ")); see sweep.csv.")])
  }
}

extension SweepRecord {
  /// The last word of each axis's key, or the whole key if the word is ambiguous.
  var shortKeys: [String] {
    let short = axes.map { $0.key.split(separator: ".").last.map(String.init) ?? $0.key }
    return axes.indices.map { i in
      short.filter { $0 == short[i] }.count > 1 ? axes[i].key : short[i]
    }
  }

  /// Returns a point's settings, such as "silentAfter 15min, scheduler fixed".
  func name(of point: Point) -> String {
    zip(shortKeys, shown(point)).map { "\($0) \($1)" }.joined(separator: ", ")
  }

  func shown(_ point: Point, letters: Int = 24) -> [String] {
    point.values.enumerated().map { shown($1, of: $0, letters: letters) }
  }

  /// Returns a value, truncated if it is long and remains unambiguous.
  func shown(_ value: String, of axis: Int, letters: Int = 24) -> String {
    func cut(_ value: String) -> String {
      value.count > letters ? value.prefix(letters - 1).trimmed + "…" : value
    }
    let isAlone = axes[axis].values.filter { cut($0) == cut(value) }.count < 2
    return isAlone ? cut(value) : value
  }
}
