package import Core

/// The state of a run or of a collector at one instant, from which dashboard, plain line and JSON
/// line are derived. What the source does not know is nil (null in JSON).
package struct Snapshot: Equatable, Sendable, Codable {
  package enum Source: String, Sendable, Codable { case load, simulate, collect }

  package var source: Source
  /// The scenario's name, or the run that a collector serves.
  package var name: String
  /// The phones, speed and seed of a run, or the address and store of a collector.
  package var detail: String
  package var progress = Progress()
  package var outlook = Outlook(.early, "nothing measured yet.")
  /// Rates over the last interval; nil if the run sends nothing, as in simulated time.
  @Nullable package var rates: Rates?
  /// The latency over `measure` so far. Until `measure` begins, over the live part so far.
  @Nullable package var latency: RunRecord.Latency?
  /// The p90 of responses in the last interval. One second seldom has enough samples for a p99.
  @Nullable package var intervalP90Microseconds: Int64?
  /// Freshness over all phone-time so far; nil if unknown to the source.
  @Nullable package var freshness: RunRecord.Freshness?
  @Nullable package var pushes: PushFunnel?
  /// The requests of the user's push sender; nil without one.
  @Nullable package var sender: SenderRates?
  /// Connections and bytes; nil without sockets, or if unknown to the source.
  @Nullable package var wire: WireMetrics?
  package var errors: [String: Int] = [:]
  /// The states of the phones; nil in a collector.
  @Nullable package var phones: PhoneStates?
  @Nullable package var cohorts: [Cohort]?
  package var processes: [ProcessLoad] = []
  /// The batches of a collector; nil for other sources.
  @Nullable package var batches: StoredBatches?
  /// The pace of a simulation; nil for a source in wall-clock time.
  @Nullable package var virtual: VirtualPace?

  package init(source: Source, name: String, detail: String) {
    self.source = source
    self.name = name
    self.detail = detail
  }
}

extension Snapshot {
  package struct Progress: Equatable, Sendable, Codable {
    /// "warm start", "ramp", "measure", "drain" or "simulate"; in a collector "idle" or "open".
    package var phase = ""
    /// The share of the phase that is over, 0 … 1; null for a phase without an end.
    @Nullable package var share: Double?
    /// The wall-clock seconds that have passed so far.
    package var elapsedSeconds = 0.0
    /// The estimated wall-clock seconds left; null without an end.
    @Nullable package var leftSeconds: Double?
    package var scenarioTime = ""
    package init() {}

    /// Returns text such as "08:05:00" for the seconds since midnight of any day.
    package static func timeOfDay(_ seconds: Double) -> String {
      let second = Int(seconds.rounded(.down).truncatingRemainder(dividingBy: 86_400))
      let parts = [second / 3_600, second / 60 % 60, second % 60]
      return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
  }

  /// Rates per second over the last interval, in batches except `fixes`, and current levels.
  package struct Rates: Equatable, Sendable, Codable {
    /// The uploads started; null in a collector.
    @Nullable package var offered: Double?
    /// The acknowledged batches; in a collector, the batches received for the first time.
    package var acknowledged = 0.0
    /// The failed uploads; in a collector, the unsuccessful answers.
    package var failed = 0.0
    package var fixes = 0.0
    /// The uploads in flight; in a collector, the uploads that await their answer.
    package var inFlight = 0
    @Nullable package var outboxFixes: Int?
    package init() {}
  }

  package struct PushFunnel: Equatable, Sendable, Codable {
    /// The requested pushes, without withheld ones.
    package var requested = 0
    package var withheld = 0
    /// The pushes requested at least W ago.
    package var eligible = 0
    /// The eligible pushes that a fix followed within W.
    package var answered = 0
    /// The times at which a silent phone could not be pushed; 0 where only the collector knows.
    /// `unreachableAnswered` counts the times that were followed by a fix within W.
    package var unreachable = 0
    package var unreachableAnswered = 0
    /// The number of pushes by `WakeOutcome`; null where only the server's side is known.
    @Nullable package var outcomes: [String: Int]?
    package init() {}

    package init(_ sheet: Sheet, outcomes: Bool = false) {
      requested = sheet[.pushesRequested]
      withheld = sheet[.pushesWithheld]
      eligible = sheet[.pushesEligible]
      answered = sheet[.pushesAnswered]
      unreachable = sheet[.unreachableEligible]
      unreachableAnswered = sheet[.unreachableAnswered]
      if outcomes { self.outcomes = sheet[.outcomes] }
    }

    /// The share of all silent phones that answered; nil until it is known.
    package var answeredOfSilent: Double? {
      unreachable > 0
        ? Double(answered + unreachableAnswered) / Double(eligible + unreachable) : nil
    }

    /// Words such as ", 21.8 % of all silent phones"; empty until the share is known.
    package var silentWords: String {
      answeredOfSilent.map { ", \(Figure.percent($0)) of all silent phones" } ?? ""
    }

    /// The pushes without an outcome so far; 0 where outcomes are unknown.
    package var open: Int { Swift.max(0, requested - (outcomes?.values.reduce(0, +) ?? requested)) }
  }

  package struct SenderRates: Equatable, Sendable, Codable {
    package var requestsPerSecond = 0.0
    package var accepted = 0
    /// The refused requests by status and reason, such as "410 Unregistered".
    package var refused: [String: Int] = [:]
    package var faults = 0
    package init() {}
  }

  package struct WireMetrics: Equatable, Sendable, Codable {
    package var connections = 0
    /// Connections opened or accepted so far; null in a record, which has no count by second.
    @Nullable package var connects: Int?
    package var bytesUp = 0
    package var bytesDown = 0
    package var bytesUpPerSecond = 0.0
    package var bytesDownPerSecond = 0.0
    /// `bytesUp` per fix that was acknowledged, or stored by a collector; null without fixes.
    @Nullable package var bytesPerFix: Double?
    /// The compression ratio: uncompressed bytes of columns per byte of payload sent.
    @Nullable package var ratio: Double?
    /// Bytes saved by compression so far, by kind as in `TrafficFigures`; null without compression.
    @Nullable package var saved: [String: Int]?
    package init() {}
  }

  /// The numbers of phones by state: the first four sum to all phones, and the others overlap.
  package struct PhoneStates: Equatable, Sendable, Codable {
    package var foreground = 0
    package var background = 0
    /// The number of apps that are in memory but do not run.
    package var suspended = 0
    package var notRunning = 0
    package var moving = 0
    package var reachable = 0
    package var offline = 0
    package var switchedOff = 0
    package var installed = 0
    package init() {}
  }

  package struct Cohort: Equatable, Sendable, Codable {
    package var name: String
    /// The fresh share of the reachable phones' time, 0 … 1; null without such time.
    @Nullable package var fresh: Double?
    /// The policy's name in the scenario; null in a record, as are `system` and `phones`.
    @Nullable package var policy: String?
    @Nullable package var system: String?
    @Nullable package var phones: Int?

    package init(
      _ name: String, fresh: Double?, policy: String? = nil, system: String? = nil,
      phones: Int? = nil
    ) {
      self.name = name
      self.fresh = fresh
      self.policy = policy
      self.system = system
      self.phones = phones
    }
  }

  package struct ProcessLoad: Equatable, Sendable, Codable {
    package var name: String
    @Nullable package var cores: Double?
    /// The resident memory in bytes; 0 if unknown.
    package var residentBytes: Int
    /// The mean number of threads runnable but not scheduled in the last interval; nil if unknown.
    package var waited: Double?
    /// What the process sends, if it is one of several generators; nil for other processes.
    package var sending: Sending?

    package struct Sending: Equatable, Sendable, Codable {
      package var batchesPerSecond: Double
      /// The greatest generator lag; nil if the process sent nothing.
      package var lagMaxMicroseconds: Int64?

      package init(batchesPerSecond: Double, lagMaxMicroseconds: Int64?) {
        self.batchesPerSecond = batchesPerSecond
        self.lagMaxMicroseconds = lagMaxMicroseconds
      }
    }

    /// - Parameter waited: The mean number of threads that waited for a core.
    package init(name: String, cores: Double?, residentBytes: Int, waited: Double? = nil) {
      self.name = name
      self.cores = cores
      self.residentBytes = residentBytes
      self.waited = waited
    }
  }

  /// The batches that a collector counted: received = distinct + duplicate + rejected.
  package struct StoredBatches: Equatable, Sendable, Codable {
    package var received = 0
    package var distinct = 0
    package var duplicate = 0
    package var rejected = 0
    /// The fixes in the distinct batches.
    package var fixes = 0
    package var commits = 0
    /// The p99 duration of a durable write; null with too few writes.
    @Nullable package var commitP99Microseconds: Double?
    package init() {}
  }

  package struct VirtualPace: Equatable, Sendable, Codable {
    package var events: Int
    /// The mean number of events per wall-clock second since simulated time began.
    package var eventsPerSecond: Double

    package init(events: Int, eventsPerSecond: Double) {
      self.events = events
      self.eventsPerSecond = eventsPerSecond
    }
  }
}
