internal import Figures

/// The sentences of a sweep.
enum SweepWords {
  static func title(_ record: SweepRecord) -> String {
    let count = record.points.count
    let of = count < record.planned ? " of \(record.planned)" : ""
    return "\(record.scenario.name): \(count)\(of) \(count == 1 ? "point" : "points") swept"
  }

  /// Which point to take, in one sentence.
  static func answer(_ record: SweepRecord) -> String {
    let minutes = "stale phone-minutes"
    let rivals = record.points.filter(\.isFreshest).count
    guard let freshest = record.freshest.map({ record.points[$0] }),
      let fresh = freshest[.freshness]
    else { return "No phone was reachable, so no point is fresher than another." }
    let share = "\(Figure.percent(fresh.value)) of reachable phone-time fresh"
    guard let place = record.best, let removed = record.points[place][.removedPerPush] else {
      return """
        No point sent a push that could be held against a run without; the freshest is \
        \(record.name(of: freshest)) (\(share)).
        """
    }
    let best = record.points[place]
    let figure =
      "\(SweepTables.number(removed.value, .removedPerPush)) "
      + SweepTables.interval(removed, .removedPerPush)
    guard !removed.mayBeZero, removed.value > 0 else {
      return """
        No point removed \(minutes) beyond doubt: the most per push are \(figure), at \
        \(record.name(of: best)).
        """
    }
    if rivals == 1 {
      return """
        \(record.name(of: best)) is fresher than every other point (\(share)) and removes \
        \(figure) \(minutes) per push.
        """
    }
    return """
      \(record.name(of: best)) removes the most \(minutes) per push, \(figure), of the \(rivals) \
      points whose freshness is the best within intervals (up to \(share)).
      """
  }

  /// What all points had in common.
  static func lives(_ record: SweepRecord) -> String {
    let hours = Figure.plain(record.scenario.durationSeconds / 3_600)
    let phones = Figure.grouped(record.scenario.phones)
    guard record.isPaired else {
      return "Not paired: points did not meet the same world as without pushes. Report this."
    }
    return """
      \(phones) phones for \(hours) h, seed \(record.seed), unless an axis says otherwise: the \
      same people, movements and permissions at every point.
      """
  }

  /// A line each; empty: none was finished.
  static func withoutPushes(_ record: SweepRecord) -> [String] {
    if record.baselines.count > 6 {
      return ["Without pushes: \(record.baselines.count) runs, the last rows of sweep.csv."]
    }
    return record.baselines.compactMap { baseline in
      guard let fresh = baseline.fresh, let battery = baseline.battery else { return nil }
      let place = baseline.values.enumerated().compactMap { axis, value in
        value.map { "\(record.shortKeys[axis]) \(record.shown($0, of: axis))" }
      }.joined(separator: ", ")
      return """
        Without pushes\(place.isEmpty ? "" : " (\(place))"): fresh \
        \(SweepTables.number(fresh.value, .freshness)) %, battery \
        \(SweepTables.number(battery.value, .battery)) %.
        """
    }
  }

  /// The sweep's command line for one of its points.
  static func command(for point: SweepRecord.Point, in record: SweepRecord) -> String {
    var words: [String] = []
    var rest = record.command[...]
    while let word = rest.popFirst() {
      // How the sweep shows itself, where its files go, and its grid are not the point's.
      guard
        let option = ["--sweep", "--out", "--ui"].first(where: {
          word == $0 || word.hasPrefix("\($0)=")
        })
      else {
        words.append(word)
        continue
      }
      if word == option { _ = rest.popFirst() }
    }
    for (axis, value) in zip(record.axes, point.values) {
      words += ["--set", "\(axis.key)=\(value)"]
    }
    return shell(words)
  }

  /// As one would type it.
  static func shell(_ words: [String]) -> String {
    words.map { word in
      let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_=.,:/%+@".contains($0) }
      return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }.joined(separator: " ")
  }
}
