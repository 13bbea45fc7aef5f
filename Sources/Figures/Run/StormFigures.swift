package import Core

/// The recovery after an outage; see `StormWatch`.
package struct StormFigures: Equatable, Sendable, Codable {
  /// "server-outage", "network-outage", as in the scenario.
  package var kind = ""
  /// null for all cohorts.
  @Nullable package var cohort: String?
  /// The share of the phones concerned that the outage hit, 0 … 1.
  package var share = 1.0
  /// Since 1970, in scenario time.
  package var beginsAt = 0.0
  package var endsAt = 0.0
  /// The interval of a rate: ten seconds, or a row of the timeline.
  package var stepSeconds = 0.0
  /// Upload attempts a second before the outage; wall-clock seconds in a load.
  @Nullable package var normalPerSecond: Double?
  /// The highest rate of a step in the 15 minutes after the outage; null without a whole step.
  @Nullable package var peakPerSecond: Double?
  @Nullable package var amplification: Double?
  /// From the outage's end to the peak's step.
  @Nullable package var peakAfterSeconds: Double?
  /// Fixes in outboxes before the outage.
  @Nullable package var outboxBefore: Double?
  /// The highest mean over a step from the outage's start to the end of the watch.
  @Nullable package var outboxMax: Double?
  /// From the outage's end until rate and outbox are normal; null if the watch ended before.
  @Nullable package var drainSeconds: Double?
  /// From the outage's start until both are normal.
  package var attempts = 0
  package var acknowledged = 0
  /// null where nothing was acknowledged.
  @Nullable package var attemptsPerBatch: Double?
  /// Uploads that failed after the outage's end.
  package var rejected = 0
  /// The most in one sweep after the outage's end.
  package var pushesInSweepMax = 0

  package init(kind: String = "", from: Double = 0, until: Double = 0) {
    (self.kind, beginsAt, endsAt) = (kind, from, until)
  }

  package static let head = [
    "outage", "normal/s", "peak/s", "×", "recovery", "rejected", "attempts per batch",
    "pushes per sweep",
  ]

  /// "network outage of 50.0 % of commuters".
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
