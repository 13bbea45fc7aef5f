internal import Core
internal import Figures

extension SweepRecord {
  var title: String {
    let count = points.count
    let of = count < planned ? " of \(planned)" : ""
    return "\(scenario.name): \(count)\(of) \(count == 1 ? "point" : "points") swept"
  }

  var answer: String {
    let minutes = "stale phone-minutes"
    let rivals = points.filter(\.isFreshest).count
    guard let freshest = self.freshest.map({ points[$0] }),
      let fresh = freshest[.freshness]
    else { return "No phone was reachable; freshness cannot be compared." }
    let share = "\(Figure.percent(fresh.value)) of reachable phone-time fresh"
    guard let place = best, let removed = points[place][.removedPerPush] else {
      return """
        No point can be compared with a run without pushes. Freshest: \(name(of: freshest)) \
        (\(share)).
        """
    }
    let winner = points[place]
    let figure =
      "\(StudyFigure.removedPerPush.number(removed.value)) "
      + StudyFigure.removedPerPush.interval(removed)
    guard !removed.mayBeZero, removed.value > 0 else {
      return """
        No point removes \(minutes) significantly. Most per push: \(figure), at \
        \(name(of: winner)).
        """
    }
    if rivals == 1 {
      return """
        \(name(of: winner)) is fresher than every other point (\(share)) and removes \
        \(figure) \(minutes) per push.
        """
    }
    return """
      \(name(of: winner)) removes the most \(minutes) per push, \(figure), of the \(rivals) \
      freshest points (up to \(share), no significant difference).
      """
  }

  var lives: String {
    let hours = Figure.plain(scenario.durationSeconds / 3_600)
    let phones = Figure.grouped(scenario.phones)
    guard isPaired else {
      return "Not paired: runs with and without pushes have different worlds. Report this bug."
    }
    return """
      \(phones) phones for \(hours) h, seed \(seed), unless an axis varies them, with the same \
      people, movements and permissions at every point.
      """
  }

  /// A line for each run without pushes, or one line if there are over six; empty if none finished.
  var withoutPushes: [String] {
    if baselines.count > 6 {
      return ["Without pushes: \(baselines.count) runs (last rows of sweep.csv)."]
    }
    return baselines.compactMap { baseline in
      guard let fresh = baseline.fresh, let battery = baseline.battery else { return nil }
      let place = baseline.values.enumerated().compactMap { axis, value in
        value.map { "\(shortKeys[axis]) \(shown($0, of: axis))" }
      }.joined(separator: ", ")
      return """
        Without pushes\(place.isEmpty ? "" : " (\(place))"): fresh \
        \(StudyFigure.freshness.number(fresh.value)) %, battery \
        \(StudyFigure.battery.number(battery.value)) %.
        """
    }
  }

  func command(for point: Point) -> String {
    var words: [String] = []
    var rest = self.command[...]
    while let word = rest.popFirst() {
      // Leaves out these options of the sweep, which a single point does not need.
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
    for (axis, value) in zip(axes, point.values) {
      words += ["--set", "\(axis.key)=\(value)"]
    }
    return Self.shell(words)
  }

  static func shell(_ words: [String]) -> String {
    words.map { word in
      let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_=.,:/%+@".contains($0) }
      return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }.joined(separator: " ")
  }
}
