internal import Core
internal import Figures

package enum RunComparisonWords {
  static func title(_ record: RunComparison) -> String {
    let names = Set(record.runs.map(\.scenario)).sorted().joined(separator: ", ")
    return "\(names): \(record.runs.count) runs compared"
  }

  package static func letter(_ place: Int) -> String {
    place < 26 ? String(UnicodeScalar(UInt8(65 + place))) : "run \(place + 1)"
  }

  /// Returns "worse 1.31 × (1.18 … 1.44)", "~ 1.01 × (0.97 … 1.05)" or "better 0.52 ×".
  package static func quotient(_ change: RunComparison.Change) -> String {
    let word = change.word.rawValue
    if change.word == .same { return word }
    guard let ratio = change.ratio else { return "\(word), from zero" }
    guard let low = change.low, let high = change.high else { return "\(word) \(number(ratio)) ×" }
    return "\(word) \(number(ratio)) × (\(number(low)) … \(number(high)))"
  }

  /// Returns a ratio, with three decimals near one, where small differences matter.
  private static func number(_ ratio: Double) -> String {
    guard ratio.isFinite, ratio < 1e6 else { return "∞" }
    return ratio >= 10 ? Figure.quantity(ratio) : Figure.plain((ratio * 1_000).rounded() / 1_000)
  }

  static func answer(_ record: RunComparison, of place: Int) -> (sentence: String, list: [String]) {
    let regressions = record.regressions(ofRun: place)
    let words = record.rows.compactMap { $0.changes[place - 1]?.word }
    func count(_ word: RunComparison.Word) -> Int { words.filter { $0 == word }.count }
    let tally =
      "\(words.count) figures: \(count(.better)) better, \(count(.worse)) worse, "
      + "\(count(.same) + count(.unclear)) without significant change"
    let limit = "more than \(Figure.percent(record.tolerance))"
    let lead = "\(letter(place)) against A, \(tally)"
    return regressions.isEmpty
      ? ("\(lead); none worse by \(limit), no SLO newly missed.", [])
      : ("\(lead). Worse by \(limit), or newly missed:", regressions)
  }

  static let legend = """
    ~: not significant (the 95 % interval of the ratio includes 1). Intervals of rates, response, \
    fresh, bytes and CPU: 1,000 block resamples of rows; of pushes: from each run's interval by \
    phone; of capacity: from the searches of each plan. Other figures have no interval.
    """

  static func runs(_ record: RunComparison) -> Table {
    Table(
      head: ["", "run", "scenario", "phones", "speed", "seed", "verdict"],
      rows: record.runs.enumerated().map { place, run in
        [
          letter(place), run.path, run.scenario, Figure.grouped(run.phones),
          "\(Figure.plain(run.speed)) ×", "\(run.seed)", run.verdict.rawValue,
        ]
      }, words: [1, 2, 6])
  }

  static func figures(_ record: RunComparison) -> Table {
    let others = 1..<record.runs.count
    return Table(
      head: ["figure", "A"] + others.flatMap { [letter($0), "\(letter($0)) / A"] },
      rows: record.rows.map { row in
        [row.figure.title, row.texts[0]]
          + others.flatMap { place in
            [row.texts[place], row.changes[place - 1].map(quotient) ?? "—"]
          }
      })
  }
}
