internal import Core

/// The provisional verdict of a run, in words.
package struct Outlook: Equatable, Sendable, Codable {
  package enum Standing: String, CaseIterable, Sendable, Codable {
    case early = "too early to say"
    case onCourse = "on course"
    /// All levels are met, but at least one of them narrowly.
    case narrow = "about to miss"
    case missing = "would miss"
    case generatorBound = "would be invalid"
    case stopping = "Stopping"
    /// A collector without a run, which has no service levels.
    case serving = "Serving"
    case problem = "In trouble"
    /// The source does not respond; the figures are from its last response.
    case silent = "No answer"
    case recorded = "Recorded"
  }

  package var standing: Standing
  /// The clause that follows the standing and a dash.
  package var reason: String
  package var levels: [ServiceLevelResult] = []

  package init(_ standing: Standing, _ reason: String, levels: [ServiceLevelResult] = []) {
    self.standing = standing
    self.reason = reason
    self.levels = levels
  }

  /// A service level without a value yet does not count as missed.
  package init(levels: [ServiceLevelResult], latency: RunRecord.Latency) {
    let known = levels.filter { $0.actual != nil }
    let (missed, narrow) = (levels.worst(.missed), levels.worst(.narrow))
    let bound = latency.response.generatorBound
    self.levels = levels
    if !bound.isEmpty {
      standing = .generatorBound
      reason = "generator lag determines \(bound.joined(separator: ", "))."
    } else if let worst = missed.first {
      standing = .missing
      let more = missed.count > 1 ? " (\(missed.count) SLOs)" : ""
      reason = worst.comparison + more
    } else if let nearest = narrow.first {
      standing = .narrow
      let more = narrow.count > 1 ? " (and \(narrow.count - 1) more)" : ""
      reason = nearest.comparison + more
    } else if known.isEmpty {
      standing = .early
      reason = "no SLO has a value yet."
    } else {
      standing = .onCourse
      let open = levels.count - known.count
      reason =
        known.count == 1 ? "1 SLO met so far" : "\(known.count) SLOs met so far"
      reason += open > 0 ? ", \(open) open." : "."
    }
  }
}

extension ServiceLevelResult {
  /// Words such as "response p99 61.2 ms, limit 50 ms".
  package var comparison: String {
    "\(title) \(actual.map(text) ?? "unknown"), \(bound)"
  }

  /// Words such as "limit 50 ms" or "goal 41 %".
  package var bound: String { "\(isCeiling ? "limit" : "goal") \(text(limit))" }

  package var title: String {
    switch name {
    case "responseP99": "response p99"
    case "freshness": "fresh"
    case "failed": "failed requests"
    default: name
    }
  }

  package func text(_ value: Double) -> String {
    switch unit {
    case "µs": Figure.time(value)
    case "share": Figure.percent(value)
    default: "\(Figure.plain(value)) \(unit)"
    }
  }
}
