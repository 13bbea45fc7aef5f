internal import Capacity
internal import Core
internal import Figures

extension TuneRecord {
  var title: String {
    "\(scenario.name): \(policy) tuned"
  }

  func text(_ place: Int, _ value: Double) -> String {
    StudyFigure(key: figures[place])?.unit.bound(value) ?? "\(value)"
  }

  /// Returns the text of a tick, such as "1.5 %". The words "a day" are on the axis.
  func tick(_ place: Int, _ value: Double) -> String {
    StudyFigure(key: figures[place])?.unit.text(value) ?? "\(value)"
  }

  /// Returns the name of an axis, such as "battery a day".
  func axis(_ place: Int) -> String {
    figures[place] + (text(place, 1).hasSuffix("/day") ? " a day" : "")
  }

  /// Returns a value with its interval, such as "61.2 % (59.8 – 62.5 %)".
  func text(_ place: Int, _ ratio: Ratio) -> String {
    let (low, high) = (text(place, ratio.low), text(place, ratio.high))
    // Writes the unit only once.
    let number = low.prefix { $0.isNumber || $0 == "." || $0 == "," }
    let unit = low.dropFirst(number.count)
    let first = !number.isEmpty && high.hasSuffix(unit) ? String(number) : low
    return "\(text(place, ratio.value)) (\(first) – \(high))"
  }

  /// The question, such as "maximize fresh, subject to battery ≤ 2 %/day and pushes ≤ 4/day".
  var asked: String {
    let goals = question.goals.map { goal in
      "\(goal.direction == .maximize ? "maximize" : "minimize") \(figures[goal.figure])"
    }
    let bounds = question.bounds.map { bound($0) }
    let kept = bounds.isEmpty ? "" : ", subject to \(bounds.joined(separator: " and "))"
    return goals.joined(separator: ", then ") + kept
  }

  func bound(_ bound: TuneQuestion.Bound) -> String {
    "\(figures[bound.figure]) \(bound.isUpper ? "≤" : "≥") \(text(bound.figure, bound.limit))"
  }

  /// Returns a candidate's settings, such as "send.interval 5min, push.silentAfter 30min".
  func name(_ candidate: Int) -> String {
    zip(axes, candidates[candidate].values).map { axis, value in
      "\(shortKey(axis.key)) \(value)"
    }.joined(separator: ", ")
  }

  /// Returns a key without the prefix that all keys of the policy share.
  func shortKey(_ key: String) -> String {
    let front = "policies[\(policy)]."
    return key.hasPrefix(front) ? String(key.dropFirst(front.count)) : key
  }

  var costSentence: String {
    let share = cost.grid > 0 ? Figure.percent(cost.search / cost.grid) : "—"
    let rungs = schedule.rungs.map { "\($0.candidates) × \($0.phones)" }
    return """
      \(candidates.count) candidates, seed \(seed): \(Figure.quantity(cost.search)) phone-days, \
      \(share) of a full grid’s \(Figure.quantity(cost.grid)) (rungs: \
      \(rungs.joined(separator: ", ")) phones).
      """
  }

  var answer: String {
    guard let winner else { return "No candidate was simulated completely." }
    let best = candidates[winner]
    let goal = question.goals[0].figure
    let broken = question.bounds.filter { $0.excess(of: best.figures[$0.figure].value) > 0 }
    let head = broken.isEmpty ? "Best:" : "No candidate meets all bounds. Closest:"
    let rivals = margins.filter { $0.goal.low <= 0 && $0.goal.high >= 0 }.count
    let sure =
      margins.isEmpty
      ? ""
      : rivals == 0
        ? " The best differs significantly from all other candidates of the last rung."
        : " The best does not differ significantly from \(rivals) of \(margins.count) other "
          + "candidates of the last rung."
    let stopped = isInterrupted ? " The search was stopped early." : ""
    return "\(head) \(name(winner)), \(figures[goal]) "
      + "\(text(goal, best.figures[goal])).\(sure)\(stopped)"
  }

  var confirmed: [String] {
    guard let found = confirmation else {
      return ["Not confirmed with other seeds."]
    }
    let goal = question.goals[0].figure
    var lines = [
      """
      With \(found.seeds.count) other seeds, \(Figure.grouped(found.phones)) phones: \
      \(figures[goal]) \(text(goal, found.winner[goal])), original settings \
      \(text(goal, found.asWritten[goal])).
      """
    ]
    lines += [asWritten(found)].compactMap { $0 }
    for (bound, kept) in zip(question.bounds, found.bounds) {
      let value = text(bound.figure, found.winner[bound.figure])
      let word =
        switch kept {
        case .kept: "met"
        case .unsure: "uncertain"
        case .broken: "missed"
        }
      lines.append("\(self.bound(bound)): \(word), \(value).")
    }
    return lines
  }

  /// Returns a sentence if the original settings miss a bound or beat the winner; nil otherwise.
  private func asWritten(_ found: Confirmation) -> String? {
    let broken = question.bounds.filter {
      $0.excess(of: found.asWritten[$0.figure].value) > 0
    }
    if !broken.isEmpty {
      let values = broken.map {
        "\(bound($0)) with \(text($0.figure, found.asWritten[$0.figure]))"
      }
      return "The original settings miss \(values.joined(separator: " and "))."
    }
    let goal = question.goals[0]
    let gain = found.difference[goal.figure]
    guard goal.direction == .maximize ? gain.high < 0 : gain.low > 0 else { return nil }
    return "The original settings meet all bounds and are better than the winner: search near them."
  }

  // MARK: Sets of the model's parameters

  /// The winner's figures that have a difference from the original settings, each with the number
  /// of sets in which the winner is better; empty without an ensemble.
  var gains: [String] {
    guard let winner, let better, let done = ensemble?.done else { return [] }
    let words = zip(figures, better).compactMap { figure, sets -> String? in
      guard let key = StudyFigure(key: figure)?.searchedKey,
        candidates[winner].ensemble?.differences?[key] != nil
      else { return nil }
      return "by \(figure) in \(sets) of \(done)"
    }
    guard !words.isEmpty else { return [] }
    return [
      """
      The winner is better than the original settings \(words.joined(separator: ", ")) sets of the \
      model’s parameters.
      """
    ]
  }

  var model: ModelTable {
    let shown = winner.map { winner in [winner] + front.filter { $0 != winner } } ?? []
    func row(_ name: String, _ ensemble: EnsembleFigures?, _ values: [Ratio]?) -> ModelTable.Row {
      ModelTable.Row(name: name, ensemble: ensemble) { figure in
        figures.firstIndex(of: figure.key).flatMap { values?[$0].value }
      }
    }
    return ModelTable(
      "settings", reference: 0,
      [row("original settings", ensemble, confirmation?.asWritten)]
        + shown.map { place in
          let isBest = place == winner
          return row(
            (isBest ? "winner: " : "") + name(place), candidates[place].ensemble,
            isBest ? confirmation?.winner : candidates[place].figures)
        },
      columns: figures.indices.compactMap { place in
        StudyFigure(key: figures[place]).map { (axis(place), $0, $0.searchedKey) }
      },
      note: """
        Values of the winner and of the original settings are those with other seeds; values of \
        other candidates are those of the last rung.
        """)
  }

  // MARK: Tables

  var lastRung: [Int] {
    guard let last = candidates.compactMap(\.rung).max() else { return [] }
    return candidates.indices.filter { candidates[$0].rung == last }
  }

  var finalists: Table {
    let goal = question.goals[0]
    let sign = goal.direction == .maximize ? -1.0 : 1
    let places = lastRung.sorted { a, b in
      let (x, y) = (candidates[a].figures, candidates[b].figures)
      return (sign * x[goal.figure].value, a) < (sign * y[goal.figure].value, b)
    }
    return Table(
      head: [""] + axes.map { shortKey($0.key) } + figures,
      rows: places.map { place in
        let mark = place == winner ? "winner" : front.contains(place) ? "front" : ""
        let one = candidates[place]
        return [mark] + one.values
          + one.figures.enumerated().map { text($0.offset, $0.element) }
      })
  }

  var confirmedTable: Table? {
    guard let found = confirmation else { return nil }
    return Table(
      head: ["figure", "winner", "original", "difference"],
      rows: figures.indices.map { place in
        [
          figures[place], text(place, found.winner[place]), text(place, found.asWritten[place]),
          text(place, found.difference[place]),
        ]
      })
  }
}
