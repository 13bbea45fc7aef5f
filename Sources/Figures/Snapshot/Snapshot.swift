package import Core

/// The state of a run or of a collector at one instant. Dashboard, plain line and JSON line are
/// functions of it. Blocks unknown to the source are nil (null in JSON).
package struct Snapshot: Equatable, Sendable, Codable {
  package enum Source: String, Sendable, Codable { case load, simulate, collect }

  package var source: Source
  /// The scenario's name, or the run that a collector serves.
  package var name: String
  /// Phones, speed, seed; or an address and a store.
  package var detail: String
  package var progress = Progress()
  package var outlook = Outlook(.early, "nothing measured yet.")
  /// Over the last interval; nil if nothing is sent, as in simulated time.
  @Nullable package var rates: Rates?
  /// Since the measured time began; before it, since the live part did.
  @Nullable package var latency: RunRecord.Latency?
  /// Of the last interval alone; a second seldom holds the samples that a p99 needs.
  @Nullable package var intervalP90Microseconds: Int64?
  /// Over all phone-time so far; nil if unknown to the source.
  @Nullable package var freshness: RunRecord.Freshness?
  @Nullable package var pushes: PushFunnel?
  /// The user's own push sender; nil if there is none.
  @Nullable package var sender: SenderRates?
  /// nil without sockets, or if unknown to the source.
  @Nullable package var wire: WireMetrics?
  package var errors: [String: Int] = [:]
  /// nil in a collector.
  @Nullable package var phones: PhoneStates?
  @Nullable package var cohorts: [Cohort]?
  package var processes: [ProcessLoad] = []
  /// nil if the source is no collector.
  @Nullable package var batches: StoredBatches?
  /// nil in wall-clock time.
  @Nullable package var virtual: VirtualPace?

  package init(source: Source, name: String, detail: String) {
    self.source = source
    self.name = name
    self.detail = detail
  }
}

extension Snapshot {
  package struct Progress: Equatable, Sendable, Codable {
    /// "warm start", "ramp", "measure", "drain", "simulate"; of a collector "idle", "open".
    package var phase = ""
    /// Of the phase, 0 … 1; null where there is no end.
    @Nullable package var share: Double?
    /// Wall-clock seconds.
    package var elapsedSeconds = 0.0
    /// Estimated wall-clock seconds; null where there is no end.
    @Nullable package var leftSeconds: Double?
    package var scenarioTime = ""
    package init() {}

    /// "08:05:00", from seconds since midnight of any day.
    package static func timeOfDay(_ seconds: Double) -> String {
      let second = Int(seconds.rounded(.down).truncatingRemainder(dividingBy: 86_400))
      let parts = [second / 3_600, second / 60 % 60, second % 60]
      return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
  }

  /// Batches a second, over the last interval.
  package struct Rates: Equatable, Sendable, Codable {
    /// null in a collector.
    @Nullable package var offered: Double?
    /// In a collector, batches received for the first time.
    package var acknowledged = 0.0
    /// In a collector, unsuccessful answers.
    package var failed = 0.0
    package var fixes = 0.0
    /// In a collector, uploads that await their answer.
    package var inFlight = 0
    @Nullable package var outboxFixes: Int?
    package init() {}
  }

  package struct PushFunnel: Equatable, Sendable, Codable {
    /// Without withheld pushes.
    package var requested = 0
    package var withheld = 0
    /// Requested at least W ago.
    package var eligible = 0
    /// Eligible pushes followed by a fix within W.
    package var answered = 0
    /// Times at which a silent phone could not be pushed, and those that a fix followed within W;
    /// 0 where only the collector knows.
    package var unreachable = 0
    package var unreachableAnswered = 0
    /// By `WakeOutcome`; null where only the server's side is known.
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

    /// The share of all silent phones that answered; nil where it is not known yet.
    package var answeredOfSilent: Double? {
      unreachable > 0
        ? Double(answered + unreachableAnswered) / Double(eligible + unreachable) : nil
    }

    /// ", 21.8 % of all silent phones"; empty where it is not known yet.
    package var silentWords: String {
      answeredOfSilent.map { ", \(Figure.percent($0)) of all silent phones" } ?? ""
    }

    /// Pushes that have not ended; 0 where outcomes are unknown.
    package var open: Int { Swift.max(0, requested - (outcomes?.values.reduce(0, +) ?? requested)) }
  }

  package struct SenderRates: Equatable, Sendable, Codable {
    package var requestsPerSecond = 0.0
    package var accepted = 0
    /// By reason with the status: "410 Unregistered".
    package var refused: [String: Int] = [:]
    package var faults = 0
    package init() {}
  }

  package struct WireMetrics: Equatable, Sendable, Codable {
    package var connections = 0
    /// Made, or accepted, so far; null: a record does not have it by second.
    @Nullable package var connects: Int?
    package var bytesUp = 0
    package var bytesDown = 0
    package var bytesUpPerSecond = 0.0
    package var bytesDownPerSecond = 0.0
    /// `bytesUp` over the fixes acknowledged, or taken by a collector; null without any.
    @Nullable package var bytesPerFix: Double?
    /// Bytes of columns for one byte of payload sent.
    @Nullable package var ratio: Double?
    /// Bytes saved by compression so far, by kind as in `TrafficFigures`; null without compression.
    @Nullable package var saved: [String: Int]?
    package init() {}
  }

  /// The phones' states. The first four sum to all; the others overlap.
  package struct PhoneStates: Equatable, Sendable, Codable {
    package var foreground = 0
    package var background = 0
    /// The app is in memory and does not run.
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
    /// The fresh share of its reachable phones' time, 0 … 1; null without such time.
    @Nullable package var fresh: Double?
    /// Names of the scenario; null in a record, like the number of phones.
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
    /// 0 if unknown.
    package var residentBytes: Int
    /// The mean number of threads runnable but not scheduled in the last interval; nil if unknown.
    package var waited: Double?
    /// Of one of several generators; nil for other processes.
    package var sending: Sending?

    package struct Sending: Equatable, Sendable, Codable {
      package var batchesPerSecond: Double
      /// nil if it sent nothing.
      package var lagMaxMicroseconds: Int64?

      package init(batchesPerSecond: Double, lagMaxMicroseconds: Int64?) {
        self.batchesPerSecond = batchesPerSecond
        self.lagMaxMicroseconds = lagMaxMicroseconds
      }
    }

    /// - Parameter waited: In cores.
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
    /// Fixes in the distinct batches.
    package var fixes = 0
    package var commits = 0
    /// The p99 duration of a durable write; null with too few.
    @Nullable package var commitP99Microseconds: Double?
    package init() {}
  }

  package struct VirtualPace: Equatable, Sendable, Codable {
    package var events: Int
    /// Wall-clock mean since simulated time began.
    package var eventsPerSecond: Double

    package init(events: Int, eventsPerSecond: Double) {
      self.events = events
      self.eventsPerSecond = eventsPerSecond
    }
  }
}
