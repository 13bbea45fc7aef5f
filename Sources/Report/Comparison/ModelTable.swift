internal import Core
internal import Figures

/// The main figures of compared scenarios, with intervals over sets of the model's parameters.
struct ModelTable {
  struct Row {
    let name: String
    let ensemble: EnsembleFigures?
    /// Returns a figure of the scenario's own run, without variation of the model.
    let value: (StudyFigure) -> Double?
  }

  typealias Column = (head: String, figure: StudyFigure, key: String)

  private static let headlines = [
    ("fresh", .freshness), ("located", .located), ("answered", .answered),
    ("of all silent", .answeredOfSilent), ("battery %", .battery), ("uploads", .batches),
  ].map { (head: String, figure: StudyFigure) -> Column in (head, figure, figure.modelKey) }

  private let head: String
  private let reference: Int
  private let rows: [Row]
  private let columns: [Column]
  private let note: String

  /// - Parameters:
  ///   - reference: The index of the row from which differences are taken.
  ///   - columns: The figures, each with its key in an ensemble.
  ///   - note: Sentences on the values.
  init(
    _ head: String, reference: Int, _ rows: [Row], columns: [Column] = Self.headlines,
    note: String = "The value is that of the scenario as written. Uploads: batches per phone-day."
  ) {
    (self.head, self.reference, self.rows) = (head, reference, rows)
    (self.columns, self.note) = (columns, note)
  }

  /// The block for a terminal; nil without an ensemble.
  var terminal: Block? {
    ensemble.map { ensemble in
      .terminal(
        .gap, .text(ensemble.sentence), .gap, .table(values),
        rows.count < 2 ? nil : .gap,
        rows.count < 2 ? nil : .text("\(difference) (~: may be zero)"),
        rows.count < 2 ? nil : .gap, rows.count < 2 ? nil : .table(differences))
    }
  }

  /// The block for the page; nil without an ensemble.
  var section: Block? {
    ensemble.map { ensemble in
      .section(
        "model", "Over the parameters’ ranges",
        [
          .text("\(ensemble.sentence), the same sets, people and seeds in each row."),
          .table(values), rows.count < 2 ? nil : .text("\(difference):"),
          rows.count < 2 ? nil : .table(differences),
          .note(
            """
            \(note) Intervals of differences are over the differences at each set, so that \
            effects on both rows cancel. ~: may be zero.
            """),
        ])
    }
  }

  private var ensemble: EnsembleFigures? { rows.first?.ensemble }

  private var difference: String {
    "Difference from \(rows[reference].name) at the same sets"
  }

  private var values: Table {
    table(rows) { row, figure, key in
      guard let value = row.value(figure) else { return nil }
      guard let model = row.ensemble?.figures[key] else { return figure.unit.cell(value) }
      let cells = [value, model.low, model.high].map(figure.unit.cell)
      return "\(cells[0]) (\(cells[1].replacing(" %", with: "")) – \(cells[2]))"
    }
  }

  private var differences: Table {
    table(rows.filter { $0.ensemble?.differences != nil }) { row, figure, key in
      guard let value = row.value(figure), let other = rows[reference].value(figure),
        let model = row.ensemble?.differences?[key]
      else { return nil }
      return figure.unit.difference(
        Ratio(value: value - other, low: model.low, high: model.high))
    }
  }

  /// Returns a table without the columns that no row has.
  private func table(_ rows: [Row], _ text: (Row, StudyFigure, String) -> String?) -> Table {
    let cells = columns.map { column in rows.map { text($0, column.figure, column.key) } }
    let shown = cells.indices.filter { column in cells[column].contains { $0 != nil } }
    return Table(
      head: [head] + shown.map { columns[$0].head },
      rows: rows.indices.map { row in [rows[row].name] + shown.map { cells[$0][row] ?? "—" } })
  }
}

extension Tile {
  /// Shows the interval of an ensemble, if the record has one.
  mutating func showModel(_ facts: Facts, _ key: String, _ unit: FigureUnit) {
    if let range = facts.range(key, in: unit) { interval = "\(range) by the model" }
  }
}

extension StudyFigure {
  /// The key of the figure in an ensemble.
  var modelKey: String {
    self == .answered || self == .answeredOfSilent ? key : key(of: .reachable)
  }
}
