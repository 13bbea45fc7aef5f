/// What happened when one outage had ended; see `StormWatch` for how each figure is found.
package struct StormFigures: Equatable, Sendable, Codable {
  /// "server-outage", "network-outage", as in the scenario.
  package var kind = ""
  /// Whom it hit; null: all.
  @Nullable package var cohort: String?
  /// Is the share of the phones concerned that the outage hit, 0 … 1.
  package var share = 1.0
  /// Seconds since 1970, of the scenario's clock.
  package var beginsAt = 0.0
  /// Is when the outage ended, on the same clock.
  package var endsAt = 0.0
  /// The width of what a rate is taken over: ten seconds, or a row of the timeline.
  package var stepSeconds = 0.0
  /// Attempts to upload a second, before the outage; wall seconds in a load.
  @Nullable package var normalPerSecond: Double?
  /// Is the highest rate of a step in the 15 minutes after the outage; null: no whole step was
  /// watched.
  @Nullable package var peakPerSecond: Double?
  /// `peakPerSecond` over `normalPerSecond`.
  @Nullable package var amplification: Double?
  /// From the outage's end to the step in which the peak lies.
  @Nullable package var peakAfterSeconds: Double?
  /// Fixes in outboxes before the outage, and the most of them after it began.
  @Nullable package var outboxBefore: Double?
  /// Is the highest mean of fixes in outboxes over a step, from the outage's begin until the
  /// watch ended.
  @Nullable package var outboxMax: Double?
  /// From the outage's end until rate and outbox are back; null: not while it was watched.
  @Nullable package var drainSeconds: Double?
  /// From the outage's begin until they are back.
  package var attempts = 0
  /// Counts the batches acknowledged in the same time.
  package var acknowledged = 0
  /// Is `attempts` over `acknowledged`; null where nothing was acknowledged.
  @Nullable package var attemptsPerBatch: Double?
  /// Uploads that failed after the outage's end.
  package var rejected = 0
  /// The most that one sweep asked for after the outage's end.
  package var pushesInSweepMax = 0

  /// Makes the row of an outage that hit all phones, of which nothing was found yet.
  package init(kind: String = "", from: Double = 0, until: Double = 0) {
    (self.kind, beginsAt, endsAt) = (kind, from, until)
  }

  /// A row of a table, and what stands above it.
  package static let head = [
    "outage", "normal/s", "peak/s", "×", "back after", "rejected", "attempts a batch",
    "pushes in a sweep",
  ]

  /// Holds the row's texts under `head`; "—" stands for what is null.
  package var cells: [String] {
    let name = kind.replacing("-", with: " ")
    let hit = cohort.map { " of \(Figure.percent(share)) of \($0)" } ?? ""
    return [
      "\(name)\(hit), \(Figure.quantity((endsAt - beginsAt).rounded())) s",
      normalPerSecond.map(Figure.quantity) ?? "—", peakPerSecond.map(Figure.quantity) ?? "—",
      amplification.map(Figure.quantity) ?? "—",
      drainSeconds.map { "\(Figure.quantity($0.rounded())) s" } ?? "—",
      Figure.grouped(rejected), attemptsPerBatch.map(Figure.quantity) ?? "—",
      Figure.grouped(pushesInSweepMax),
    ]
  }
}
