internal import Core
internal import Figures

/// A figure over two axes: a table whose cells have five shades of one hue, and the number in each.
struct SweepMap {
  static let steps = 5

  let record: SweepRecord
  let figure: StudyFigure
  /// The index of the vertical axis, which has more values, so that the screen of a phone fits all.
  let rows: Int
  /// The index of the horizontal axis; nil if the sweep has one axis.
  let columns: Int?
  let slice: [Int: String]
  private let range: ClosedRange<Double>?

  init(_ record: SweepRecord, _ figure: StudyFigure, slice: [Int: String] = [:]) {
    self.record = record
    self.figure = figure
    self.slice = slice
    if record.axes.count < 2 {
      rows = 0
      columns = nil
    } else {
      let isFirstLonger = record.axes[0].values.count >= record.axes[1].values.count
      rows = isFirstLonger ? 0 : 1
      columns = isFirstLonger ? 1 : 0
    }
    // Takes the range of the whole sweep, so that maps of different slices share a scale.
    let values = record.points.compactMap { $0[figure]?.value }
    range = values.min().flatMap { low in values.max().map { low...$0 } }
  }

  /// Returns the shade, from 0 for the least value to 4; the middle one if all values are equal.
  func step(_ value: Double) -> Int {
    guard let range, range.upperBound > range.lowerBound else { return Self.steps / 2 }
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return max(0, min(Self.steps - 1, Int(share * Double(Self.steps))))
  }

  var html: HTML {
    let keys = record.shortKeys
    let across = columns.map { record.axes[$0].values } ?? [""]
    let heads: [HTML] = across.map { value in
      "<th scope=\"col\">\(columns.map { record.shown(value, of: $0) } ?? "")</th>"
    }
    let over: HTML =
      columns.map {
        "<tr><td></td><th scope=\"colgroup\" colspan=\"\(across.count)\">\(keys[$0])</th></tr>\n"
      } ?? ""
    let body: [HTML] = record.axes[rows].values.map { value in
      let cells = across.map { cell(value, columns == nil ? nil : $0) }
      return "<tr><th scope=\"row\">\(record.shown(value, of: rows))</th>\(cells)</tr>\n"
    }
    return """
      <div class="scroll"><table class="heat"><thead>
      \(over)<tr><th scope="col">\(keys[rows])</th>\(heads)</tr></thead>
      <tbody>
      \(body)</tbody></table></div>

      """
  }

  private func cell(_ row: String, _ column: String?) -> HTML {
    let point = record.points.enumerated().first { _, point in
      point.values[rows] == row && (columns.map { point.values[$0] == column } ?? true)
        && slice.allSatisfy { point.values[$0.key] == $0.value }
    }
    guard let point else { return "<td class=\"none\">not simulated</td>" }
    guard let ratio = point.element[figure] else { return "<td class=\"none\">—</td>" }
    let mark: HTML = point.offset == record.best ? "<strong title=\"best point\"> *</strong>" : ""
    return """
      <td class="heat\(step(ratio.value))">\(figure.number(ratio.value))\(mark)\
      <small>\(figure.interval(ratio))</small></td>
      """
  }

  var legend: HTML {
    guard let range, range.upperBound > range.lowerBound else { return "" }
    let width = (range.upperBound - range.lowerBound) / Double(Self.steps)
    let swatches: [HTML] = (0..<Self.steps).map { step in
      let low = range.lowerBound + width * Double(step)
      let from = figure.number(low)
      let to = figure.number(low + width)
      return "<li class=\"heat\(step)\">\(from) to \(to)</li>"
    }
    return "<ul class=\"legend\">\(swatches)</ul>\n"
  }

  /// The styles of the map. The text's colour depends on the shade, for a contrast of 4.5 : 1.
  static let rules = """
    table.heat td { text-align: center; padding: 6px 12px; min-width: 5.5rem; }
    table.heat { border-collapse: separate; border-spacing: 2px; }
    table.heat thead th, table.heat thead th:first-child { border-bottom: none; }
    table.heat tbody tr + tr { border-top: none; }
    table.heat tbody th { white-space: normal; max-width: 9rem; }
    table.heat thead th { text-align: center; padding: 2px 8px; }
    table.heat thead th:first-child { text-align: left; padding-left: 0; }
    table.heat small { display: block; font-size: 0.75rem; }
    table.heat td.none { color: var(--quiet); }
    .heat0, .heat1, .heat2, .heat3, .heat4 {
      print-color-adjust: exact; -webkit-print-color-adjust: exact;
    }
    .heat0 { background: var(--share0); color: var(--text); }
    .heat1 { background: var(--share1); color: var(--text); }
    .heat2 { background: var(--share2); color: #16181c; }
    .heat3 { background: var(--share3); color: var(--paper); }
    .heat4 { background: var(--share4); color: var(--paper); }
    ul.legend {
      display: flex; flex-wrap: wrap; gap: 2px; list-style: none; margin: 8px 0; padding: 0;
      font-size: 0.8rem; font-variant-numeric: tabular-nums;
    }
    ul.legend li { padding: 2px 8px; white-space: nowrap; }
    .slice { margin: 16px 0 4px; font-weight: 600; }
    """
}
