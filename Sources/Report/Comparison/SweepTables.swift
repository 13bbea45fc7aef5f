package import Figures

/// What a sweep says as tables: for the terminal, for Markdown and for the page.
struct SweepTables {
  let record: SweepRecord

  init(_ record: SweepRecord) { self.record = record }

  /// How much a column tells.
  enum Detail { case interval, value, none }

  static let figures: [StudyFigure] = [
    .answered, .uplift, .freshness, .battery, .pushes, .removedPerPush, .removedPerJoule,
  ]

  /// A number in the column's unit: shares in percent, uplift in percentage points.
  static func number(_ value: Double, _ figure: StudyFigure) -> String {
    switch figure.unit {
    case .share: signed(tenths(value * 100))
    case .percentPerDay: Figure.hundredths(value)
    case _: signed(Figure.quantity(value))
    }
  }

  /// "29.4 [27.1 … 31.8]"; "—" where nothing can be said.
  static func text(_ ratio: Ratio?, _ figure: StudyFigure, interval: Bool) -> String {
    guard let ratio else { return "—" }
    let value = number(ratio.value, figure)
    return interval ? "\(value) \(self.interval(ratio, figure))" : value
  }

  static func interval(_ ratio: Ratio, _ figure: StudyFigure) -> String {
    func short(_ value: Double) -> String {
      figure == .answered || figure == .uplift
        ? signed("\(Int((value * 100).rounded()))") : number(value, figure)
    }
    return "[\(short(ratio.low))–\(short(ratio.high))]"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private static func signed(_ text: String) -> String { text.replacing("-", with: "−") }

  // MARK: Tables

  /// - Parameters:
  ///   - letters: of a value of an axis.
  ///   - detail: of each column; columns without any are left out.
  func table(letters: Int = 24, _ detail: (StudyFigure) -> Detail) -> Table {
    let shown = Self.figures.filter { detail($0) != .none }
    var table = Table(head: record.shortKeys + shown.map(\.head))
    for (i, point) in record.points.enumerated() {
      var values = record.shown(point, letters: letters)
      if i == record.best, let last = values.indices.last { values[last] += " *" }
      table.rows.append(
        values
          + shown.map { Self.text(point[$0], $0, interval: detail($0) == .interval) })
    }
    return table
  }

  static func isWithInterval(_ figure: StudyFigure) -> Bool {
    [.answered, .uplift, .removedPerPush, .removedPerJoule].contains(figure)
  }

  /// The fullest table that fits, and what had to be left out of it.
  func lines(fitting width: Int) -> [String] {
    var valueOnly: Set<StudyFigure> = []
    var dropped: [StudyFigure] = []
    var letters = 24
    var rest = Self.economies[...]
    while true {
      let table = table(letters: letters) { figure in
        if dropped.contains(figure) { return .none }
        return Self.isWithInterval(figure) && !valueOnly.contains(figure) ? .interval : .value
      }
      let lines = table.lines
      guard (lines.map(\.count).max() ?? 0) > width, let economy = rest.popFirst() else {
        return lines + note(valueOnly.subtracting(dropped), dropped)
      }
      switch economy {
      case .interval(let figure): valueOnly.insert(figure)
      case .letters(let count): letters = count
      case .column(let figure): dropped.append(figure)
      }
    }
  }

  /// What is saved on where the width does not suffice.
  private enum Economy {
    case interval(StudyFigure)
    case letters(Int)
    case column(StudyFigure)
  }

  private static let economies: [Economy] = [
    .interval(.removedPerJoule), .interval(.uplift), .interval(.removedPerPush),
    .interval(.answered), .letters(14), .column(.removedPerJoule), .column(.battery),
    .letters(9), .column(.uplift), .column(.removedPerPush), .column(.pushes),
  ]

  private func note(_ valueOnly: Set<StudyFigure>, _ dropped: [StudyFigure]) -> [String] {
    var left = dropped.map(\.head)
    if !valueOnly.isEmpty {
      let names = Self.figures.filter(valueOnly.contains).map(\.head)
      left.append("the intervals of \(names.joined(separator: ", "))")
    }
    return left.isEmpty
      ? []
      : [""] + wrapped("Left out for width: \(left.joined(separator: ", ")); sweep.csv has all.")
  }
}

extension SweepRecord {
  /// The last word of each key, or the whole key where two would be the same.
  var shortKeys: [String] {
    let short = axes.map { $0.key.split(separator: ".").last.map(String.init) ?? $0.key }
    return axes.indices.map { i in
      short.filter { $0 == short[i] }.count > 1 ? axes[i].key : short[i]
    }
  }

  /// "silentAfter 15min, scheduler fixed".
  func name(of point: Point) -> String {
    zip(shortKeys, shown(point)).map { "\($0) \($1)" }.joined(separator: ", ")
  }

  func shown(_ point: Point, letters: Int = 24) -> [String] {
    point.values.enumerated().map { shown($1, of: $0, letters: letters) }
  }

  /// A long value cut short, unless another would then read the same.
  func shown(_ value: String, of axis: Int, letters: Int = 24) -> String {
    func cut(_ value: String) -> String {
      value.count > letters ? value.prefix(letters - 1).trimmed + "…" : value
    }
    let isAlone = axes[axis].values.filter { cut($0) == cut(value) }.count < 2
    return isAlone ? cut(value) : value
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// A sweep on standard output: lines that fit 100 columns, for a terminal and a pipe alike.
package func sweepLines(_ record: SweepRecord) -> [String] {
  let minutes = Figure.plain(record.freshWithinSeconds / 60)
  let notes = """
    Of reachable phones. answered: of the pushes; uplift: points of it that the push brought \
    about; fresh: within \(minutes) min; battery, pushes: a phone and day; min: stale \
    phone-minutes that there are without pushes; [95 % intervals]\
    \(record.best == nil ? "." : "; *: the answer.")
    """
  var lines = wrapped(SweepWords.answer(record)) + [""]
  lines += SweepTables(record).lines(fitting: 100) + [""] + wrapped(notes)
  return lines + SweepWords.withoutPushes(record).flatMap { wrapped($0) }
}

/// Broken at spaces, so that no line is longer than 100 columns unless a word is.
func wrapped(_ text: String) -> [String] {
  var lines: [String] = []
  for word in text.split(separator: " ") {
    if let line = lines.last, line.count + 1 + word.count <= 100 {
      lines[lines.count - 1] = "\(line) \(word)"
    } else {
      lines.append(String(word))
    }
  }
  return lines
}

/// `sweep.csv`: a row for each point, then one for each run without pushes.
package func sweepCSV(_ record: SweepRecord) -> String {
  func field(_ text: String) -> String {
    text.contains { ",\"\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }
  func fields(_ ratio: Ratio?) -> [String] {
    guard let ratio else { return ["", "", ""] }
    return [ratio.value, ratio.low, ratio.high].map { "\($0)" }
  }
  let figures = StudyFigure.swept
  let names = figures.map { $0.key.replacing("-", with: "_") }
  let head =
    ["kind"] + record.axes.map { field($0.key) } + ["requested"]
    + names.flatMap { [$0, "\($0)_low", "\($0)_high"] } + ["best", "verdict"]
  var lines = [head.joined(separator: ",")]
  for (i, point) in record.points.enumerated() {
    let row =
      ["point"] + point.values.map(field) + ["\(point.requested)"]
      + figures.flatMap { fields(point[$0]) }
      + [i == record.best ? "yes" : "no", point.verdict.rawValue]
    lines.append(row.joined(separator: ","))
  }
  for baseline in record.baselines {
    let row =
      ["without-pushes"] + baseline.values.map { field($0 ?? "") } + ["0"]
      + figures.flatMap { figure in
        fields(figure == .freshness ? baseline.fresh : figure == .battery ? baseline.battery : nil)
      } + ["no", baseline.verdict.rawValue]
    lines.append(row.joined(separator: ","))
  }
  return lines.joined(separator: "\n") + "\n"
}

/// `summary.md` of a sweep.
package func sweepMarkdown(_ record: SweepRecord) -> String {
  let table = SweepTables(record).table { SweepTables.isWithInterval($0) ? .interval : .value }
  var lines = ["# \(SweepWords.title(record))", "", SweepWords.answer(record), ""]
  lines += [SweepWords.lives(record), ""] + table.markdown + [""]
  lines += SweepWords.withoutPushes(record).filter { !$0.isEmpty }
  return ForeignText.inMarkdown(lines.joined(separator: "\n") + "\n")
}
