package import Core

/// The recovery after an outage; see `StormWatch`.
package struct StormFigures: Equatable, Sendable, Codable {
  /// The kind of outage as in the scenario, such as "server-outage" or "network-outage".
  package var kind = ""
  /// The cohort that the outage concerned; null for all cohorts.
  @Nullable package var cohort: String?
  /// The share of the cohort's phones that the outage hit, 0 … 1.
  package var share = 1.0
  /// The start of the outage, in scenario seconds since 1970; `endsAt` is its end.
  package var beginsAt = 0.0
  package var endsAt = 0.0
  /// The interval of a rate: ten scenario seconds, or a longer row of the timeline.
  package var stepSeconds = 0.0
  /// The upload attempts per second before the outage: wall-clock in a load, else scenario time.
  @Nullable package var normalPerSecond: Double?
  /// The highest rate of a step in 15 scenario minutes after the outage; null without a whole step.
  @Nullable package var peakPerSecond: Double?
  @Nullable package var amplification: Double?
  /// The scenario seconds from the outage's end to the step with the peak.
  @Nullable package var peakAfterSeconds: Double?
  /// The mean number of fixes in outboxes in the minute before the outage.
  @Nullable package var outboxBefore: Double?
  /// The most fixes in outboxes, as the mean of a step, from the outage's start to the watch's end.
  @Nullable package var outboxMax: Double?
  /// The scenario seconds from the outage's end until rate and outbox are normal; null if never.
  @Nullable package var drainSeconds: Double?
  /// Upload attempts from the outage's start until rate and outbox are normal, or the watch ends.
  package var attempts = 0
  package var acknowledged = 0
  /// Attempts per acknowledged batch; null if nothing was acknowledged.
  @Nullable package var attemptsPerBatch: Double?
  /// The uploads that failed after the outage's end.
  package var rejected = 0
  /// The most pushes that one sweep requested after the outage's end.
  package var pushesInSweepMax = 0

  package init(kind: String = "", from: Double = 0, until: Double = 0) {
    (self.kind, beginsAt, endsAt) = (kind, from, until)
  }

  package static let head = [
    "outage", "normal/s", "peak/s", "×", "recovery", "rejected", "attempts per batch",
    "pushes per sweep",
  ]

  /// Words such as "network outage of 50.0 % of commuters".
  package var title: String {
    let hit = cohort.map { " of \(Figure.percent(share)) of \($0)" } ?? ""
    return kind.replacing("-", with: " ") + hit
  }

  package var cells: [String] {
    [
      "\(title), \(Figure.quantity((endsAt - beginsAt).rounded())) s",
      normalPerSecond.map(Figure.quantity) ?? "—", peakPerSecond.map(Figure.quantity) ?? "—",
      amplification.map(Figure.quantity) ?? "—",
      drainSeconds.map { "\(Figure.quantity($0.rounded())) s" } ?? "—",
      Figure.grouped(rejected), attemptsPerBatch.map(Figure.quantity) ?? "—",
      Figure.grouped(pushesInSweepMax),
    ]
  }
}
