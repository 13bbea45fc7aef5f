package import Core

/// A second of a run, as in `timeline.csv`. Empty fields have no value.
package struct TimelineRow: Equatable, Sendable {
  /// Since the live part began.
  package var wallSeconds = 0.0
  /// Since 1970, in scenario time.
  package var scenarioSeconds = 0.0
  /// "ramp", "measure", "drain".
  package var phase = ""
  /// Uploads started, per wall-clock second in a load, per scenario second in a simulation.
  package var offeredPerSecond = 0.0
  package var acknowledgedPerSecond = 0.0
  package var failedPerSecond = 0.0
  /// Upload attempts including a sender's own retries; nil if as many as offered.
  package var attemptsPerSecond: Double?
  /// nil: too few samples, or no sockets.
  package var responseP50Microseconds: Int64?
  /// nil: too few samples, beyond a deadline, or no sockets.
  package var responseP99Microseconds: Int64?
  /// nil: too few samples, or no sockets.
  package var generatorLagP99Microseconds: Int64?
  package var inFlight = 0
  /// 0 without sockets.
  package var connections = 0
  /// Fixes waiting on phones at the end of the row; in a load including those in flight.
  package var outboxFixes = 0
  /// The share of all phones' time so far with an age ≤ X, 0 … 1; nil without phone-time.
  package var freshInstalled: Double?
  package var freshReachable: Double?
  package var freshMoving: Double?
  /// Pushes requested so far; in a load including withheld ones.
  package var pushesRequested = 0
  /// Pushes answered so far as seen by the server; 0 in a simulation.
  package var pushesAnswered = 0
  /// nil without sockets.
  package var generatorCores: Double?
  /// nil if its process is unknown.
  package var collectorCores: Double?
  /// At the end of the row; nil without sockets.
  package var generatorResidentBytes: Int?
  /// At the end of the row; nil if its process is unknown.
  package var collectorResidentBytes: Int?
  /// Per wall-clock second; nil without sockets.
  package var bytesSentPerSecond: Double?
  package var bytesReceivedPerSecond: Double?
  /// The share in this row's time; `freshInstalled` and the like cover all time so far.
  package var freshInstalledNow: Double?
  package var freshReachableNow: Double?
  package var freshMovingNow: Double?
  /// The mean number of silent phones in the row, by cause.
  package var stalePhones: [StaleCause: Double] = [:]

  package init() {}

  /// What a collector's snapshot knows. Percentiles are of all batches so far.
  package init(_ snapshot: Snapshot, atUnixSeconds now: Double) {
    wallSeconds = snapshot.progress.elapsedSeconds
    scenarioSeconds = now
    phase = snapshot.progress.phase
    acknowledgedPerSecond = snapshot.rates?.acknowledged ?? 0
    failedPerSecond = snapshot.rates?.failed ?? 0
    responseP50Microseconds = snapshot.latency?.response.p50
    responseP99Microseconds = snapshot.latency?.response.p99
    inFlight = snapshot.rates?.inFlight ?? 0
    connections = snapshot.wire?.connections ?? 0
    freshInstalled = snapshot.freshness?.installed.share
    freshReachable = snapshot.freshness?.reachable.share
    pushesRequested = snapshot.pushes?.requested ?? 0
    pushesAnswered = snapshot.pushes?.answered ?? 0
    let collector = snapshot.processes.first
    collectorCores = collector?.cores
    collectorResidentBytes = collector?.residentBytes
    bytesReceivedPerSecond = snapshot.wire?.bytesUpPerSecond
    bytesSentPerSecond = snapshot.wire?.bytesDownPerSecond
  }

  private typealias Column = (name: String, text: @Sendable (TimelineRow) -> String)

  private static let ownColumns: [Column] = [
    ("wall_s", { Figure.plain($0.wallSeconds) }),
    ("scenario_s", { Figure.plain($0.scenarioSeconds) }),
    ("phase", { $0.phase }),
    ("offered_per_s", { Figure.plain($0.offeredPerSecond) }),
    ("acked_per_s", { Figure.plain($0.acknowledgedPerSecond) }),
    ("failed_per_s", { Figure.plain($0.failedPerSecond) }),
    ("response_p50_us", { text($0.responseP50Microseconds) }),
    ("response_p99_us", { text($0.responseP99Microseconds) }),
    ("generator_lag_p99_us", { text($0.generatorLagP99Microseconds) }),
    ("in_flight", { "\($0.inFlight)" }),
    ("connections", { "\($0.connections)" }),
    ("outbox_fixes", { "\($0.outboxFixes)" }),
    ("fresh_installed", { text($0.freshInstalled) }),
    ("fresh_reachable", { text($0.freshReachable) }),
    ("fresh_moving", { text($0.freshMoving) }),
    ("pushes_requested", { "\($0.pushesRequested)" }),
    ("pushes_answered", { "\($0.pushesAnswered)" }),
    ("generator_cores", { text($0.generatorCores) }),
    ("collector_cores", { text($0.collectorCores) }),
    ("generator_rss_bytes", { text($0.generatorResidentBytes) }),
    ("collector_rss_bytes", { text($0.collectorResidentBytes) }),
    ("bytes_sent_per_s", { text($0.bytesSentPerSecond) }),
    ("bytes_received_per_s", { text($0.bytesReceivedPerSecond) }),
    ("fresh_installed_now", { text($0.freshInstalledNow) }),
    ("fresh_reachable_now", { text($0.freshReachableNow) }),
    ("fresh_moving_now", { text($0.freshMovingNow) }),
    ("attempts_per_s", { text($0.attemptsPerSecond) }),
  ]

  private static let staleColumns: [Column] = StaleCause.allCases.map { cause in
    (name: staleColumn(cause), text: { row in text(row.stalePhones[cause]) })
  }

  private static let columns = ownColumns + staleColumns

  /// "stale_no_permission": phones silent for that cause.
  package static func staleColumn(_ cause: StaleCause) -> String {
    "stale_" + cause.rawValue.replacing("-", with: "_")
  }

  private static func text(_ value: Double?) -> String { value.map(Figure.plain) ?? "" }
  private static func text(_ value: (some BinaryInteger)?) -> String {
    value.map { "\($0)" } ?? ""
  }

  package static var header: String { columns.map(\.name).joined(separator: ",") }

  package var csv: String { Self.columns.map { $0.text(self) }.joined(separator: ",") }
}
