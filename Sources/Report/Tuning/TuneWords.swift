internal import Capacity
internal import Core
internal import Figures

extension TuneRecord {
  var title: String {
    "\(scenario.name): the settings of \(policy) searched"
  }

  func text(_ place: Int, _ value: Double) -> String {
    StudyFigure(key: figures[place])?.unit.bound(value) ?? "\(value)"
  }

  /// "1.5 %": a value beside an axis, whose name includes "a day".
  func tick(_ place: Int, _ value: Double) -> String {
    StudyFigure(key: figures[place])?.unit.text(value) ?? "\(value)"
  }

  /// "battery a day".
  func axis(_ place: Int) -> String {
    figures[place] + (text(place, 1).hasSuffix("/day") ? " a day" : "")
  }

  /// "61.2 % (59.8 – 62.5 %)".
  func text(_ place: Int, _ ratio: Ratio) -> String {
    let (low, high) = (text(place, ratio.low), text(place, ratio.high))
    // The unit stands once.
    let number = low.prefix { $0.isNumber || $0 == "." || $0 == "," }
    let unit = low.dropFirst(number.count)
    let first = !number.isEmpty && high.hasSuffix(unit) ? String(number) : low
    return "\(text(place, ratio.value)) (\(first) – \(high))"
  }

  /// "fresh as large as can be, with battery ≤ 2 %/day and pushes ≤ 4/day".
  var asked: String {
    let goals = question.goals.map { goal in
      let size = goal.direction == .maximize ? "large" : "small"
      return "\(figures[goal.figure]) as \(size) as can be"
    }
    let bounds = question.bounds.map { bound($0) }
    let kept = bounds.isEmpty ? "" : ", with \(bounds.joined(separator: " and "))"
    return goals.joined(separator: ", then ") + kept
  }

  func bound(_ bound: TuneQuestion.Bound) -> String {
    "\(figures[bound.figure]) \(bound.isUpper ? "≤" : "≥") \(text(bound.figure, bound.limit))"
  }

  /// "send.interval 5min, push.silentAfter 30min".
  func name(_ candidate: Int) -> String {
    zip(axes, candidates[candidate].values).map { axis, value in
      "\(shortKey(axis.key)) \(value)"
    }.joined(separator: ", ")
  }

  /// A key without the policy's common prefix.
  func shortKey(_ key: String) -> String {
    let front = "policies[\(policy)]."
    return key.hasPrefix(front) ? String(key.dropFirst(front.count)) : key
  }

  var costSentence: String {
    let share = cost.grid > 0 ? Figure.percent(cost.search / cost.grid) : "—"
    let rungs = schedule.rungs.map { "\($0.candidates) by \($0.phones)" }
    return """
      \(candidates.count) candidates, seed \(seed): \
      \(Figure.quantity(cost.search)) phone-days, \(share) of the \(Figure.quantity(cost.grid)) \
      that a grid of the same phones and hours takes (\(rungs.joined(separator: ", ")) phones).
      """
  }

  var answer: String {
    guard let winner else { return "Nothing was lived to its end." }
    let best = candidates[winner]
    let goal = question.goals[0].figure
    let broken = question.bounds.filter { $0.excess(of: best.figures[$0.figure].value) > 0 }
    let head = broken.isEmpty ? "The best is" : "No candidate keeps all bounds; the nearest is"
    let rivals = margins.filter { $0.goal.low <= 0 && $0.goal.high >= 0 }.count
    let sure =
      margins.isEmpty
      ? ""
      : rivals == 0
        ? " Each other candidate of the last rung differs beyond its paired interval."
        : " \(rivals) of \(margins.count) others of the last rung cannot be told apart from "
          + "it in \(figures[goal]) on these phones."
    let stopped = isInterrupted ? " The search was stopped before its end." : ""
    return "\(head) \(name(winner)): \(figures[goal]) "
      + "\(text(goal, best.figures[goal])).\(sure)\(stopped)"
  }

  var confirmed: [String] {
    guard let found = confirmation else {
      return ["It was not confirmed on other phones."]
    }
    let goal = question.goals[0].figure
    var lines = [
      """
      On \(Figure.grouped(found.phones)) phones of \(found.seeds.count) other seeds: \
      \(figures[goal]) \(text(goal, found.winner[goal])), as written \
      \(text(goal, found.asWritten[goal])).
      """
    ]
    lines += [asWritten(found)].compactMap { $0 }
    for (bound, kept) in zip(question.bounds, found.bounds) {
      let value = text(bound.figure, found.winner[bound.figure])
      let word =
        switch kept {
        case .kept: "is kept"
        case .unsure: "is not sure"
        case .broken: "is broken"
        }
      lines.append("\(self.bound(bound)) \(word) there: \(value).")
    }
    return lines
  }

  /// Whether the settings as written break a bound or beat the winner.
  private func asWritten(_ found: Confirmation) -> String? {
    let broken = question.bounds.filter {
      $0.excess(of: found.asWritten[$0.figure].value) > 0
    }
    if !broken.isEmpty {
      let values = broken.map {
        "\(bound($0)) with \(text($0.figure, found.asWritten[$0.figure]))"
      }
      return "As written they break \(values.joined(separator: " and "))."
    }
    let goal = question.goals[0]
    let gain = found.difference[goal.figure]
    guard goal.direction == .maximize ? gain.high < 0 : gain.low > 0 else { return nil }
    return "As written they keep all bounds and are better than the winner: vary around them."
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
      head: ["figure", "winner", "as written", "difference"],
      rows: figures.indices.map { place in
        [
          figures[place], text(place, found.winner[place]), text(place, found.asWritten[place]),
          text(place, found.difference[place]),
        ]
      })
  }
}
