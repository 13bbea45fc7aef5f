internal import Capacity
internal import Core
internal import Figures

enum SensitivityWords {
  static func title(_ record: SensitivityRecord) -> String {
    "\(record.scenario.name): sensitivity of its results"
  }

  /// Returns the text of an effect. Effects on shares are in percentage points.
  static func effect(_ value: Double, _ figure: StudyFigure) -> String {
    let shown = figure.unit == .share ? value * 100 : value
    let digits = Figure.quantity((shown * 1_000).rounded() / 1_000)
    return digits.replacing("-", with: "−")
  }

  static func unit(_ figure: StudyFigure) -> String {
    switch figure.unit {
    case .share: "percentage points"
    case .percentPerDay: "% of a battery per phone-day"
    case _: figure.title
    }
  }

  static func direction(_ direction: SensitivityRecord.Effect.Direction) -> String {
    switch direction {
    case .up: "rises"
    case .down: "falls"
    case .both: "both ways"
    case .none: "no effect"
    }
  }

  static func lives(_ record: SensitivityRecord) -> String {
    let facts = record.scenario
    let hours = Figure.plain(facts.durationSeconds / 3_600)
    let warm = Figure.plain(facts.warmStartSeconds / 3_600)
    let runs = record.runs
    let stopped =
      record.isInterrupted ? " of \(Figure.grouped(runs.planned)) (stopped early)" : ""
    return """
      \(Figure.grouped(facts.phones)) phones for \(hours) h after a warm-up of \(warm) h, seed \
      \(record.seed). \(Figure.grouped(runs.done)) runs\(stopped): \(runs.pointsDone) points of a \
      Latin hypercube, and steps of single parameters in \(runs.stars) trajectories.
      """
  }

  static func varied(_ record: SensitivityRecord) -> String {
    let reasons = SensitivityRecord.Reason.allCases.compactMap { reason -> String? in
      let count = record.held.count { $0.reason == reason }
      guard count > 0 else { return nil }
      return switch reason {
      case .choice: "\(count) are choices (words, switches, lists)"
      case .noRange: "\(count) have no range"
      case .outside: "\(count) are outside their range in the scenario"
      case .notAsked: "\(count) were not selected"
      }
    }
    let held = reasons.isEmpty ? "." : "; \(reasons.joined(separator: ", "))."
    return "Varied \(record.parameters.count) of \(record.known)\(held)"
  }

  static func refused(_ record: SensitivityRecord) -> String? {
    let refused = record.refused
    var parts: [String] = []
    if refused.points + refused.bases > 0 {
      let most = refused.moved.ranked.prefix(3)
        .map { "\($0.key) \($0.value)×" }
      parts.append(
        """
        \(refused.points) points and \(refused.bases) bases were invalid as drawn (for example a \
        minimum above its maximum) and were clipped: invalid values were moved halfway to the \
        scenario’s values until valid (most often \(most.joined(separator: ", "))).
        """)
    }
    if refused.steps > 0 { parts.append("\(refused.steps) invalid steps were shortened.") }
    if refused.blocked > 0 { parts.append("\(refused.blocked) steps were impossible.") }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// Returns the text of the effect of another seed, for comparison; nil if unknown.
  static func otherSeed(_ figure: SensitivityRecord.Figure) -> String? {
    figure.otherSeed.map {
      """
      For comparison: another seed changes the figure by \(effect($0, figure.name)). μ*: mean \
      effect of a parameter over its whole range.
      """
    }
  }

  // MARK: Tables

  static func headlines(_ record: SensitivityRecord) -> Table {
    Table(
      head: ["", "as written", "sampled (95 %)", "model (90 %)"],
      rows: record.figures.map { figure in
        [
          figure.name.title, figure.value.map(figure.name.unit.text) ?? "—",
          figure.sampled.map { range($0.low, $0.high, figure.name) } ?? "—",
          model(figure, record),
        ]
      })
  }

  private static func model(
    _ figure: SensitivityRecord.Figure, _ record: SensitivityRecord
  ) -> String {
    let points = figure.model?.points ?? record.runs.pointsDone
    let shown = figure.model.map { range($0.low, $0.high, figure.name) } ?? "—"
    guard points < SensitivityRecord.Model.pointsWanted else { return shown }
    return "\(shown) (too few: \(points) point\(points == 1 ? "" : "s"))"
  }

  private static func range(_ low: Double, _ high: Double, _ figure: StudyFigure) -> String {
    "\(figure.unit.text(low).replacing(" %", with: "")) – \(figure.unit.text(high))"
  }

  /// - Parameter half: Half of the bars' width in characters; 0 for no bars.
  static func effects(
    _ record: SensitivityRecord, _ figure: SensitivityRecord.Figure, top: Int, half: Int
  ) -> Table {
    let shown = figure.effects.filter { $0.meanAbsolute > 0 }.prefix(top)
    let tornado = Tornado(
      shown.map { (record.parameters[$0.parameter].path, $0.least, $0.most) })
    var table = Table(head: ["parameter", "value", "range", "μ*", "σ", "direction"])
    if half > 0 { table.head.append(String(repeating: " ", count: 2 * half + 1)) }
    for (effect, bar) in zip(shown, tornado.rows) {
      let parameter = record.parameters[effect.parameter]
      var row = [
        parameter.path, parameter.value, "\(parameter.low) – \(parameter.high)",
        Self.effect(effect.meanAbsolute, figure.name),
        effect.deviation.map { Self.effect($0, figure.name) } ?? "—",
        direction(effect.direction),
      ]
      if half > 0 { row.append(tornado.bar(bar, half: half)) }
      table.rows.append(row)
    }
    return table
  }

  static func rest(_ figure: SensitivityRecord.Figure, top: Int) -> String? {
    let moving = figure.effects.filter { $0.meanAbsolute > 0 }
    let still = figure.effects.count - moving.count
    let hidden = moving.dropFirst(top)
    var parts: [String] = []
    if let first = hidden.first {
      parts.append(
        "\(hidden.count) more with at most \(effect(first.meanAbsolute, figure.name))")
    }
    if still > 0 { parts.append("\(still) without effect") }
    return parts.isEmpty ? nil : "Not shown: \(parts.joined(separator: "; "))."
  }
}
