package import Capacity
internal import Figures

/// What a search of settings says, in sentences and numbers.
enum TuneWords {
  static func title(_ record: TuneRecord) -> String {
    "\(record.scenario.name): the settings of \(record.policy) searched"
  }

  private static func unit(_ record: TuneRecord, _ place: Int) -> FigureUnit? {
    StudyFigure(key: record.figures[place])?.unit
  }

  static func text(_ record: TuneRecord, _ place: Int, _ value: Double) -> String {
    unit(record, place)?.bound(value) ?? "\(value)"
  }

  /// "1.5 %": a value beside an axis, whose name says that it is of a day.
  static func tick(_ record: TuneRecord, _ place: Int, _ value: Double) -> String {
    unit(record, place)?.text(value) ?? "\(value)"
  }

  /// "battery a day".
  static func axis(_ record: TuneRecord, _ place: Int) -> String {
    record.figures[place] + (text(record, place, 1).hasSuffix("/day") ? " a day" : "")
  }

  /// "61.2 % (59.8 – 62.5 %)".
  static func text(_ record: TuneRecord, _ place: Int, _ ratio: Ratio) -> String {
    let (low, high) = (text(record, place, ratio.low), text(record, place, ratio.high))
    // The unit stands once.
    let number = low.prefix { $0.isNumber || $0 == "." || $0 == "," }
    let unit = low.dropFirst(number.count)
    let first = !number.isEmpty && high.hasSuffix(unit) ? String(number) : low
    return "\(text(record, place, ratio.value)) (\(first) – \(high))"
  }

  /// "fresh as large as can be, with battery ≤ 2 %/day and pushes ≤ 4/day".
  static func question(_ record: TuneRecord) -> String {
    let goals = record.question.goals.map { goal in
      let size = goal.direction == .maximize ? "large" : "small"
      return "\(record.figures[goal.figure]) as \(size) as can be"
    }
    let bounds = record.question.bounds.map { bound(record, $0) }
    let kept = bounds.isEmpty ? "" : ", with \(bounds.joined(separator: " and "))"
    return goals.joined(separator: ", then ") + kept
  }

  static func bound(_ record: TuneRecord, _ bound: TuneQuestion.Bound) -> String {
    "\(record.figures[bound.figure]) \(bound.isUpper ? "≤" : "≥") "
      + text(record, bound.figure, bound.limit)
  }

  /// "send.interval 5min, push.silentAfter 30min".
  static func name(_ record: TuneRecord, _ candidate: Int) -> String {
    zip(record.axes, record.candidates[candidate].values).map { axis, value in
      "\(shortKey(axis.key, record.policy)) \(value)"
    }.joined(separator: ", ")
  }

  /// A key without what all keys of the policy have in front.
  static func shortKey(_ key: String, _ policy: String) -> String {
    let front = "policies[\(policy)]."
    return key.hasPrefix(front) ? String(key.dropFirst(front.count)) : key
  }

  /// What the search took, beside a grid.
  static func cost(_ record: TuneRecord) -> String {
    let cost = record.cost
    let share = cost.grid > 0 ? Figure.percent(cost.search / cost.grid) : "—"
    let rungs = record.schedule.rungs.map { "\($0.candidates) by \($0.phones)" }
    return """
      \(record.candidates.count) candidates, seed \(record.seed): \
      \(Figure.quantity(cost.search)) phone-days, \(share) of the \(Figure.quantity(cost.grid)) \
      that a grid of the same phones and hours takes (\(rungs.joined(separator: ", ")) phones).
      """
  }

  /// Who won, and how sure that is.
  static func answer(_ record: TuneRecord) -> String {
    guard let winner = record.winner else { return "Nothing was lived to its end." }
    let best = record.candidates[winner]
    let goal = record.question.goals[0].figure
    let broken = record.question.bounds.filter { $0.excess(of: best.figures[$0.figure].value) > 0 }
    let head = broken.isEmpty ? "The best is" : "No candidate keeps all bounds; the nearest is"
    let rivals = record.margins.filter { $0.goal.low <= 0 && $0.goal.high >= 0 }.count
    let sure =
      record.margins.isEmpty
      ? ""
      : rivals == 0
        ? " Each other candidate of the last rung differs beyond its paired interval."
        : " \(rivals) of \(record.margins.count) others of the last rung cannot be told apart from "
          + "it in \(record.figures[goal]) on these phones."
    let stopped = record.isInterrupted ? " The search was stopped before its end." : ""
    return "\(head) \(name(record, winner)): \(record.figures[goal]) "
      + "\(text(record, goal, best.figures[goal])).\(sure)\(stopped)"
  }

  /// How it did on phones that the search did not see.
  static func confirmed(_ record: TuneRecord) -> [String] {
    guard let found = record.confirmation else {
      return ["It was not confirmed on other phones."]
    }
    let goal = record.question.goals[0].figure
    var lines = [
      """
      On \(Figure.grouped(found.phones)) phones of \(found.seeds.count) other seeds: \
      \(record.figures[goal]) \(text(record, goal, found.winner[goal])), as written \
      \(text(record, goal, found.asWritten[goal])).
      """
    ]
    lines += [asWritten(record, found)].compactMap { $0 }
    for (bound, kept) in zip(record.question.bounds, found.bounds) {
      let value = text(record, bound.figure, found.winner[bound.figure])
      let word =
        switch kept {
        case .kept: "is kept"
        case .unsure: "is not sure"
        case .broken: "is broken"
        }
      lines.append("\(self.bound(record, bound)) \(word) there: \(value).")
    }
    return lines
  }

  /// Says where the settings as they were written break a bound, or are better than the winner.
  private static func asWritten(
    _ record: TuneRecord, _ found: TuneRecord.Confirmation
  ) -> String? {
    let broken = record.question.bounds.filter {
      $0.excess(of: found.asWritten[$0.figure].value) > 0
    }
    if !broken.isEmpty {
      let values = broken.map {
        "\(bound(record, $0)) with \(text(record, $0.figure, found.asWritten[$0.figure]))"
      }
      return "As written they break \(values.joined(separator: " and "))."
    }
    let goal = record.question.goals[0]
    let gain = found.difference[goal.figure]
    guard goal.direction == .maximize ? gain.high < 0 : gain.low > 0 else { return nil }
    return "As written they keep all bounds and are better than the winner: vary around them."
  }

  // MARK: Tables

  /// The last rung's candidates, the front first, in the order of the goal.
  static func finalists(_ record: TuneRecord) -> Table {
    let last = record.candidates.compactMap(\.rung).max()
    let goal = record.question.goals[0]
    let sign = goal.direction == .maximize ? -1.0 : 1
    let places = record.candidates.indices.filter {
      last != nil && record.candidates[$0].rung == last
    }
    .sorted { a, b in
      let (x, y) = (record.candidates[a].figures, record.candidates[b].figures)
      return (sign * x[goal.figure].value, a) < (sign * y[goal.figure].value, b)
    }
    return Table(
      head: [""] + record.axes.map { shortKey($0.key, record.policy) } + record.figures,
      rows: places.map { place in
        let mark = place == record.winner ? "winner" : record.front.contains(place) ? "front" : ""
        let one = record.candidates[place]
        return [mark] + one.values
          + one.figures.enumerated().map { text(record, $0.offset, $0.element) }
      })
  }

  /// The winner beside the settings as they were written, on the phones of the confirmation.
  static func confirmation(_ record: TuneRecord) -> Table? {
    guard let found = record.confirmation else { return nil }
    return Table(
      head: ["figure", "winner", "as written", "difference"],
      rows: record.figures.indices.map { place in
        [
          record.figures[place], text(record, place, found.winner[place]),
          text(record, place, found.asWritten[place]),
          text(record, place, found.difference[place]),
        ]
      })
  }
}

/// A search on standard output, for a terminal and a pipe alike.
package func tuneLines(_ record: TuneRecord) -> [String] {
  var lines = [TuneWords.title(record), "Asked: \(TuneWords.question(record))."]
  lines += [TuneWords.cost(record), ""]
  lines += TuneWords.finalists(record).lines
  lines += ["", TuneWords.answer(record)] + TuneWords.confirmed(record)
  return lines
}

/// `tune.csv`: a row for each candidate.
package func tuneCSV(_ record: TuneRecord) -> String {
  func field(_ text: String) -> String {
    text.contains { ",\"\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }
  let columns = record.figures.flatMap { ["\($0)", "\($0)-low", "\($0)-high"] }
  var lines = [
    (record.axes.map { field($0.key) } + ["rung", "front", "winner"] + columns)
      .joined(separator: ",")
  ]
  for (place, one) in record.candidates.enumerated() {
    let figures =
      one.figures.isEmpty
      ? columns.map { _ in "" }
      : one.figures.flatMap { ["\($0.value)", "\($0.low)", "\($0.high)"] }
    let marks = [
      one.rung.map { "\($0 + 1)" } ?? "", record.front.contains(place) ? "1" : "0",
      place == record.winner ? "1" : "0",
    ]
    lines.append((one.values.map(field) + marks + figures).joined(separator: ","))
  }
  return lines.joined(separator: "\n") + "\n"
}

/// `summary.md` of a search.
package func tuneMarkdown(_ record: TuneRecord) -> String {
  var lines = ["# \(TuneWords.title(record))", "", "Asked: \(TuneWords.question(record)).", ""]
  lines += [TuneWords.answer(record), ""] + TuneWords.confirmed(record) + [""]
  lines += [TuneWords.cost(record), ""] + TuneWords.finalists(record).markdown
  if let table = TuneWords.confirmation(record) { lines += [""] + table.markdown }
  return ForeignText.inMarkdown(lines.joined(separator: "\n") + "\n")
}
