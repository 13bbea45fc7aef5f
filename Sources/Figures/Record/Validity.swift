package import Core

/// Whether a run measures the collector or only its generator.
package enum Validity {
  /// The generator determines a percentile if the lag exceeds this share of it, and `lagFloor` µs.
  package static let lagShare = 0.05
  package static let lagFloor: Int64 = 1_000
  /// The share of a second's intended load that may be sent late.
  package static let deficitShare = 0.01
  /// The share of a process's available cores that it may use.
  package static let cpuShare = 0.9

  package static func isGeneratorBound(_ response: Percentile, lag: Percentile) -> Bool {
    switch (response, lag) {
    case (.unsupported, _), (_, .unsupported): false
    case (_, .value(let lag)) where lag <= lagFloor: false
    case (.value(let response), .value(let lag)):
      Double(lag) > lagShare * Double(response)
    case (.beyond(let deadline), .value(let lag)):
      Double(lag) > lagShare * Double(deadline)
    case (.value, .beyond), (.beyond, .beyond): true
    }
  }

  /// Returns why a percentile is the generator's, or nil if the percentile is the collector's.
  package static func generatorBoundReason(
    _ name: String, _ response: Percentile, lag: Percentile
  ) -> String? {
    guard isGeneratorBound(response, lag: lag) else { return nil }
    let late = lag.microseconds.map { Figure.time(Double($0)) } ?? "beyond all bounds"
    let of = response.microseconds.map { "of \(Figure.time(Double($0)))" } ?? "beyond the deadline"
    return """
      The generator was late: its lag at \(name) is \(late) of a response \(of), above the limits \
      of 5 % and 1 ms. Use fewer phones, a lower speed, or more cores for the generator.
      """
  }

  package static func cpuReason(
    process: String, cpuSeconds: Double, wallSeconds: Double, cores: Int
  )
    -> String?
  {
    guard wallSeconds > 0, cores > 0 else { return nil }
    let share = cpuSeconds / (wallSeconds * Double(cores))
    guard share > cpuShare else { return nil }
    return """
      The \(process) used \(Figure.percent(share)) of its \(cores) cores (limit 90 %): the run \
      measures the \(process). Use fewer phones or a lower speed.
      """
  }
}

/// Watches whether first attempts keep up with the plan: a deficit above 1 % of a second's intended
/// load for longer than the SLO's latency invalidates a run.
package struct DeficitWatch: Equatable, Sendable {
  private let allowance: WallDuration
  private var behindSince: WallInstant?
  private var worst: (deficit: Int, lasted: WallDuration) = (0, .zero)
  private var violated = false
  package private(set) var deficitMax = 0

  /// - Parameter allowance: The SLO's latency limit, for which a deficit may last.
  package init(allowance: WallDuration) { self.allowance = allowance }

  /// Notes the first attempts due and dispatched so far. Rates are per wall-clock second.
  package mutating func observe(
    at now: WallInstant, intended: Int, dispatched: Int, intendedPerSecond: Double
  ) {
    let deficit = max(0, intended - dispatched)
    deficitMax = max(deficitMax, deficit)
    // A single batch that is about to be sent is no deficit, however small the load.
    guard Double(deficit) > max(1, Validity.deficitShare * intendedPerSecond) else {
      behindSince = nil
      return
    }
    let since = behindSince ?? now
    behindSince = since
    let lasted = now - since
    guard lasted > allowance else { return }
    violated = true
    if lasted > worst.lasted || deficit > worst.deficit {
      worst = (max(deficit, worst.deficit), max(lasted, worst.lasted))
    }
  }

  package var reason: String? {
    guard violated else { return nil }
    return """
      The generator fell behind: up to \(worst.deficit) first attempts were due but not dispatched \
      for \(Figure.plain(worst.lasted.seconds)) s (limit: the SLO's latency of \
      \(Figure.plain(allowance.seconds)) s). Use fewer phones, a lower speed, or more cores.
      """
  }

  /// Written out, as tuples are not `Equatable`.
  package static func == (a: Self, b: Self) -> Bool {
    a.allowance == b.allowance && a.behindSince == b.behindSince && a.worst == b.worst
      && a.violated == b.violated && a.deficitMax == b.deficitMax
  }
}
