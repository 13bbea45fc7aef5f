/// One second of a run, as `timeline.csv` has it. Empty fields: nothing to say.
package struct TimelineRow: Equatable, Sendable {
  /// Since the live part began.
  package var wallSeconds = 0.0
  /// Since 1970, of the scenario's clock.
  package var scenarioSeconds = 0.0
  /// "ramp", "measure", "drain".
  package var phase = ""
  /// Is the rate of uploads that the fleet began: a wall second in a load, a scenario second in a
  /// simulation.
  package var offeredPerSecond = 0.0
  /// Is the rate of batches that were acknowledged, by the clock of `offeredPerSecond`.
  package var acknowledgedPerSecond = 0.0
  /// Is the rate of uploads that failed or timed out, by the clock of `offeredPerSecond`.
  package var failedPerSecond = 0.0
  /// Tries to upload, with those that a sender repeats by itself; nil: as many as offered.
  package var attemptsPerSecond: Double?
  /// Is the median response of the row; nil: too few samples, or no sockets.
  package var responseP50Microseconds: Int64?
  /// Is the p99 response of the row; nil: too few samples, beyond a deadline, or no sockets.
  package var responseP99Microseconds: Int64?
  /// Is the p99 of the generator's own lateness in the row; nil: too few samples, or no sockets.
  package var generatorLagP99Microseconds: Int64?
  /// Counts the uploads in flight at the end of the row.
  package var inFlight = 0
  /// Counts the open connections at the end of the row; 0 without sockets.
  package var connections = 0
  /// Counts the fixes that wait on phones at the end of the row; in a load those in flight are
  /// among them.
  package var outboxFixes = 0
  /// Is the share of all phones' time so far with an age ≤ X, 0 … 1; nil without phone-time.
  package var freshInstalled: Double?
  /// Is the share of reachable phones' time so far with an age ≤ X, 0 … 1; nil without phone-time.
  package var freshReachable: Double?
  /// Is the share of moving phones' time so far with an age ≤ X, 0 … 1; nil without phone-time.
  package var freshMoving: Double?
  /// Counts the pushes requested so far; in a load the withheld ones are among them.
  package var pushesRequested = 0
  /// Counts the pushes that the server saw answered so far; 0 in a simulation.
  package var pushesAnswered = 0
  /// Is the generator's CPU time a second, in cores; nil without sockets.
  package var generatorCores: Double?
  /// Is the collector's CPU time a second, in cores; nil where its process is not known.
  package var collectorCores: Double?
  /// Is the generator's resident memory at the end of the row; nil without sockets.
  package var generatorResidentBytes: Int?
  /// Is the collector's resident memory at the end of the row; nil where its process is not known.
  package var collectorResidentBytes: Int?
  /// Is the rate of bytes written to connections, a wall second; nil without sockets.
  package var bytesSentPerSecond: Double?
  /// Is the rate of bytes read from connections, a wall second; nil without sockets.
  package var bytesReceivedPerSecond: Double?
  /// Shares of the row's own time; `freshInstalled` and its like are of all time so far.
  package var freshInstalledNow: Double?
  /// Is the share of reachable phones' time in this row with an age ≤ X, 0 … 1.
  package var freshReachableNow: Double?
  /// Is the share of moving phones' time in this row with an age ≤ X, 0 … 1.
  package var freshMovingNow: Double?
  /// How many phones were silent on average in the row's time, by cause.
  package var stalePhones: [StaleCause: Double] = [:]

  /// Makes a row of zeros, with nothing in the fields that may be empty.
  package init() {}

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

  /// The first line of the file, without line end.
  package static var header: String { columns.map(\.name).joined(separator: ",") }

  /// One line, without line end.
  package var csv: String { Self.columns.map { $0.text(self) }.joined(separator: ",") }
}
