/// The verdict so far, in words: what a run would be judged if it ended as it goes now.
package struct Outlook: Equatable, Sendable, Codable {
  /// Names how a run goes so far; the raw values are the words that a watcher reads.
  package enum Standing: String, CaseIterable, Sendable, Codable {
    /// Too little was seen to say anything.
    case early = "too early to say"
    case onCourse = "on course"
    case missing = "would miss"
    case generatorBound = "would be invalid"
    case stopping = "Stopping"
    /// No promises to judge by: a collector on its own.
    case serving = "Serving"
    case problem = "In trouble"
    /// What is watched does not answer: the figures are as old as its last answer.
    case silent = "No answer"
    /// A run of earlier, whose end is known.
    case recorded = "Recorded"
  }

  /// Says how the run goes so far.
  package var standing: Standing
  /// Why, as the sentence goes on behind the standing and a dash.
  package var reason: String
  /// Each promise with what it is so far.
  package var levels: [ServiceLevelResult] = []

  /// Makes an outlook from words that are there already.
  package init(_ standing: Standing, _ reason: String, levels: [ServiceLevelResult] = []) {
    self.standing = standing
    self.reason = reason
    self.levels = levels
  }

  /// A promise that cannot be told yet is not counted as missed: the end will tell.
  ///
  /// - Parameter levels: nil `actual` where nothing can be said so far.
  package init(levels: [ServiceLevelResult], latency: RunRecord.Latency) {
    let known = levels.filter { $0.actual != nil }
    let missed = known.filter { !$0.pass }
    let bound = latency.response.generatorBound
    self.levels = levels
    if !bound.isEmpty {
      standing = .generatorBound
      reason = "the generator is late at \(bound.joined(separator: ", ")): it measures itself."
    } else if let worst = missed.first {
      standing = .missing
      let more = missed.count > 1 ? " (\(missed.count) promises)" : ""
      reason = worst.comparison + more
    } else if known.isEmpty {
      standing = .early
      reason = "no promise can be judged yet."
    } else {
      standing = .onCourse
      let open = levels.count - known.count
      reason =
        known.count == 1 ? "1 promise kept so far" : "\(known.count) promises kept so far"
      reason += open > 0 ? ", \(open) to be seen." : "."
    }
  }
}

extension ServiceLevelResult {
  /// "p99 response 61.2 ms, limit 50 ms".
  package var comparison: String {
    "\(title) \(actual.map(text) ?? "not known yet"), \(bound)"
  }

  /// "limit 50 ms", "goal 41 %".
  package var bound: String { "\(isUpper ? "limit" : "goal") \(text(limit))" }

  /// The promise's name as people say it.
  package var title: String {
    switch name {
    case "responseP99": "p99 response"
    case "freshness": "fresh"
    case "failed": "failed requests"
    default: name
    }
  }

  /// A value of this promise with its unit.
  package func text(_ value: Double) -> String {
    switch unit {
    case "µs": Figure.time(value)
    case "share": Figure.percent(value)
    default: "\(Figure.plain(value)) \(unit)"
    }
  }

  private var isUpper: Bool { ["responseP99", "lost", "undelivered", "failed"].contains(name) }
}
