package import Core

/// A row of `timeline.csv`: a second of a load, or a minute of a simulation. A nil field is empty.
package struct TimelineRow: Equatable, Sendable {
  /// Wall-clock seconds since the live part began.
  package var wallSeconds = 0.0
  /// Seconds since 1970, in scenario time.
  package var scenarioSeconds = 0.0
  /// The phase: "ramp", "measure" or "drain".
  package var phase = ""
  /// Uploads started per second: wall-clock in a load, scenario time in a simulation.
  package var offeredPerSecond = 0.0
  package var acknowledgedPerSecond = 0.0
  package var failedPerSecond = 0.0
  /// Upload attempts, a client's own retries included; nil if the same as the offered rate.
  package var attemptsPerSecond: Double?
  /// The p50 response; nil with too few samples or without sockets.
  package var responseP50Microseconds: Int64?
  /// The p99 response; nil with too few samples, beyond a deadline, or without sockets.
  package var responseP99Microseconds: Int64?
  /// The p99 generator lag; nil with too few samples or without sockets.
  package var generatorLagP99Microseconds: Int64?
  package var inFlight = 0
  /// Open connections; 0 without sockets.
  package var connections = 0
  /// The fixes that wait on phones at the end of the row; a load includes fixes in flight.
  package var outboxFixes = 0
  /// The fresh share of all phone-time so far, 0 … 1; nil without phone-time.
  package var freshInstalled: Double?
  package var freshReachable: Double?
  package var freshMoving: Double?
  /// Pushes requested so far, without withheld ones.
  package var pushesRequested = 0
  /// Pushes answered so far as seen by the server; 0 in a simulation.
  package var pushesAnswered = 0
  /// Cores that the generator used; nil without sockets.
  package var generatorCores: Double?
  /// Cores that the collector used; nil if its process is unknown.
  package var collectorCores: Double?
  /// The generator's resident memory at the end of the row; nil without sockets.
  package var generatorResidentBytes: Int?
  /// The collector's resident memory at the end of the row; nil if its process is unknown.
  package var collectorResidentBytes: Int?
  /// Bytes sent per wall-clock second; nil without sockets.
  package var bytesSentPerSecond: Double?
  package var bytesReceivedPerSecond: Double?
  /// The fresh share of the row's phone-time alone; `freshInstalled` covers all time so far.
  package var freshInstalledNow: Double?
  package var freshReachableNow: Double?
  package var freshMovingNow: Double?
  /// The mean number of stale phones in the row, by cause.
  package var stalePhones: [StaleCause: Double] = [:]

  package init() {}

  /// Creates a row from a collector's snapshot. Percentiles are over all batches so far.
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

  /// The columns whose values cover all time from the start to the row's end.
  package static let columnsSoFar = [
    "fresh_installed", "fresh_reachable", "fresh_moving", "pushes_requested", "pushes_answered",
  ]

  /// Returns the column of the phones stale for a cause, such as "stale_no_permission".
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
