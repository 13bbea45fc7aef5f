/// What a watcher sees of a run, or of a collector on its own, at one instant.
///
/// Values only: dashboard, plain line and JSON line are functions of it. A block that its source
/// cannot know is nil (null in JSON), and is not shown.
package struct Snapshot: Equatable, Sendable, Codable {
  /// Who gives the figures.
  package enum Source: String, Sendable, Codable { case load, simulate, collect }

  package var source: Source
  /// The scenario's name, or the run that a collector serves.
  package var name: String
  /// What else tells this run from others: phones, speed, seed; or an address and a store.
  package var detail: String
  package var progress = Progress()
  package var outlook = Outlook(.early, "nothing was measured yet.")
  @Nullable package var rates: Rates?
  /// Since the measured time began; before it, since the live part did.
  @Nullable package var latency: RunRecord.Latency?
  /// Of the last interval alone; a second seldom holds the samples that a p99 needs.
  @Nullable package var intervalP90Microseconds: Int64?
  @Nullable package var freshness: RunRecord.Freshness?
  @Nullable package var pushes: PushFunnel?
  @Nullable package var wire: WireMetrics?
  /// Status or trouble → how often.
  package var errors: [String: Int] = [:]
  @Nullable package var phones: PhoneStates?
  /// In reading order.
  package var processes: [ProcessLoad] = []
  @Nullable package var batches: StoredBatches?
  @Nullable package var virtual: VirtualPace?

  package init(source: Source, name: String, detail: String) {
    self.source = source
    self.name = name
    self.detail = detail
  }
}

extension Snapshot {
  /// How far it is.
  package struct Progress: Equatable, Sendable, Codable {
    /// "warm start", "ramp", "measure", "drain", "simulate"; of a collector "idle", "open".
    package var phase = ""
    /// Of the phase's whole, 0 … 1; null where there is no end.
    @Nullable package var share: Double?
    /// Wall seconds.
    package var elapsedSeconds = 0.0
    @Nullable package var leftSeconds: Double?
    /// The scenario's own clock, "08:05:00".
    package var scenarioTime = ""
    package init() {}

    /// "08:05:00", of seconds since midnight of any day.
    package static func timeOfDay(_ seconds: Double) -> String {
      let second = Int(seconds.rounded(.down)) % 86_400
      let parts = [second / 3_600, second / 60 % 60, second % 60]
      return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
  }

  /// Batches a second, over the last interval.
  package struct Rates: Equatable, Sendable, Codable {
    /// null: a collector cannot know what was offered.
    @Nullable package var offered: Double?
    package var acknowledged = 0.0
    package var failed = 0.0
    package var fixes = 0.0
    package var inFlight = 0
    /// Fixes that wait on phones.
    @Nullable package var outboxFixes: Int?
    package init() {}
  }

  /// Silent pushes so far. `open` is requested less what has ended.
  package struct PushFunnel: Equatable, Sendable, Codable {
    package var requested = 0
    package var withheld = 0
    /// Requested at least W ago, and how many of those a fix followed within W.
    package var eligible = 0
    package var answered = 0
    /// `WakeOutcome` → how many; null where only the server's side is known.
    @Nullable package var outcomes: [String: Int]?
    package init() {}

    package var open: Int { Swift.max(0, requested - (outcomes?.values.reduce(0, +) ?? requested)) }
  }

  package struct WireMetrics: Equatable, Sendable, Codable {
    package var connections = 0
    /// Made, or accepted, so far; null: a record does not say it second by second.
    @Nullable package var connects: Int?
    package var bytesUp = 0
    package var bytesDown = 0
    package var bytesUpPerSecond = 0.0
    package var bytesDownPerSecond = 0.0
    @Nullable package var bytesPerFix: Double?
    /// Bytes of columns for one byte that travelled as payload.
    @Nullable package var ratio: Double?
    package init() {}
  }

  /// What phones are at this instant. The first four sum to all; a phone may be any of the rest.
  package struct PhoneStates: Equatable, Sendable, Codable {
    package var foreground = 0
    package var background = 0
    package var suspended = 0
    package var notRunning = 0
    package var moving = 0
    package var reachable = 0
    package var offline = 0
    package var switchedOff = 0
    package var installed = 0
    package init() {}
  }

  package struct ProcessLoad: Equatable, Sendable, Codable {
    package var name: String
    /// Over the last interval.
    @Nullable package var cores: Double?
    package var residentBytes: Int
    /// Threads that were ready and had no processor, on average over the last interval; nil:
    /// unknown here.
    package var waited: Double?

    package init(name: String, cores: Double?, residentBytes: Int, waited: Double? = nil) {
      self.name = name
      self.cores = cores
      self.residentBytes = residentBytes
      self.waited = waited
    }
  }

  /// A collector's own account: received = distinct + duplicate + rejected.
  package struct StoredBatches: Equatable, Sendable, Codable {
    package var received = 0
    package var distinct = 0
    package var duplicate = 0
    package var rejected = 0
    package var fixes = 0
    /// Durable writes, and how long the slowest in a hundred took, µs.
    package var commits = 0
    @Nullable package var commitP99Microseconds: Double?
    package init() {}
  }

  package struct VirtualPace: Equatable, Sendable, Codable {
    package var events: Int
    package var eventsPerSecond: Double

    package init(events: Int, eventsPerSecond: Double) {
      self.events = events
      self.eventsPerSecond = eventsPerSecond
    }
  }
}
