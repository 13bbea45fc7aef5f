package import SimulationCore

extension RunRecord {
  package struct Tool: Equatable, Sendable, Codable {
    package var name = "flotilla"
    package var version = ""
    package init() {}
  }

  package struct ScenarioFacts: Equatable, Sendable, Codable {
    package var name = ""
    package var question = ""
    /// The kind of sentence that answers it; a record without it is older.
    @Nullable package var answers: AnswerKind?
    package var phones = 0
    package var speed = 1.0
    /// Local start, ISO 8601.
    package var start = ""
    /// Of the city's clock, which `start` follows.
    @Nullable package var utcOffsetSeconds: Double?
    package var durationSeconds = 0.0
    package var warmStartSeconds = 0.0
    /// The scenario with defaults filled in, as `scenario show` prints it.
    package var text = ""
    package init() {}
  }

  /// The two chains, as 16 hexadecimal digits.
  package struct Digest: Equatable, Sendable, Codable {
    /// *world*: what neither tracker nor server can influence.
    @Nullable package var world: String?
    /// *behaviour*: fixes delivered, batches cut, intended times.
    @Nullable package var behaviour: String?
    package init() {}

    // The record's keys are part of its contract and older than the words.
    private enum CodingKeys: String, CodingKey {
      case world = "plan"
      case behaviour = "history"
    }

    package static func text(_ chain: UInt64) -> String {
      let digits = String(chain, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  package struct Machine: Equatable, Sendable, Codable {
    package var host = ""
    package var system = ""
    package var cores = 0
    package var memoryBytes = 0
    /// "generator", "collector" → what they used over the live part.
    package var processes: [String: ProcessUse] = [:]
    /// Where the collector listened; null without sockets.
    @Nullable package var collectorAddress: String?
    /// Whether the run started that collector itself.
    @Nullable package var collectorIsOurs: Bool?
    /// Cores that others used in the measured time of a load; a record without it does not know.
    package var othersCores: Double?
    package init() {}
  }

  package struct ProcessUse: Equatable, Sendable, Codable {
    package var cpuSeconds = 0.0
    /// Of one core: 1.7 is 170 %.
    package var coresUsed = 0.0
    package var peakResidentBytes = 0
    /// For how long its threads, added up, were ready and had no processor, in the measured time of
    /// a load; a record without it does not know.
    package var waitedSeconds: Double?
    package init() {}
  }

  package struct Timing: Equatable, Sendable, Codable {
    /// ISO 8601, UTC.
    package var startedAt = ""
    package var wallSeconds = 0.0
    package var warmStartWallSeconds = 0.0
    package var liveWallSeconds = 0.0
    package var drainWallSeconds = 0.0
    package init() {}
  }

  /// Scenario seconds of each phase.
  package struct Phases: Equatable, Sendable, Codable {
    package var ramp = 0.0
    package var measure = 0.0
    package var drain = 0.0
    package init() {}
  }

  /// What the plan asked for in `measure`.
  package struct Offered: Equatable, Sendable, Codable {
    package var batches = 0
    package var fixes = 0
    /// Per wall second in a load, per scenario second in a simulation.
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    /// The busiest interval of the timeline: a second in a load, a scenario minute in a simulation.
    @Nullable package var batchesPerSecondMax: Double?
    package init() {}
  }

  package struct Throughput: Equatable, Sendable, Codable {
    /// Acknowledged in `measure`.
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    /// The best second.
    @Nullable package var batchesPerSecondMax: Double?
    package init() {}
  }

  package struct Freshness: Equatable, Sendable, Codable {
    package var installed = Population()
    package var reachable = Population()
    package var moving = Population()
    /// Of the reachable phones of each cohort.
    package var cohorts: [Cohort]?
    /// Seconds: the X of `share`.
    @Nullable package var withinSeconds: Double?
    /// Metres: the R of `located`.
    @Nullable package var locatedMeters: Double?
    /// `speed` × response is too long for the timers that phones live by.
    package var distorted = false
    package init() {}

    package struct Cohort: Equatable, Sendable, Codable {
      package var name: String
      /// Share of phone-time with age ≤ X.
      @Nullable package var share: Double?

      package init(name: String, share: Double?) {
        self.name = name
        self.share = share
      }
    }

    package struct Population: Equatable, Sendable, Codable {
      /// Share of phone-time without any fix at the collector.
      @Nullable package var never: Double?
      /// Share of phone-time with age ≤ X.
      @Nullable package var share: Double?
      /// Seconds of age.
      @Nullable package var p50: Double?
      @Nullable package var p95: Double?
      @Nullable package var p99: Double?
      /// Share of phone-time in which the newest fix lies within R of the truth.
      @Nullable package var located: Double?
      package init() {}
    }
  }

  /// Phone-time by squares of the city; rows from the south-west, whole phone-minutes.
  package struct Map: Equatable, Sendable, Codable {
    package var cellMeters = 0.0
    package var cellsAcross = 0
    package var presentMinutes: [Int] = []
    package var silentMinutes: [Int] = []
    /// Phone-minutes beyond the map.
    package var outsideMinutes = 0
    package init() {}

    package init(_ map: SilenceMap) {
      cellMeters = map.cellMeters
      cellsAcross = map.cellsAcross
      presentMinutes = map.present.map(Self.minutes)
      silentMinutes = map.silent.map(Self.minutes)
      outsideMinutes = Self.minutes(map.outside)
    }

    private static func minutes(_ microseconds: Int64) -> Int {
      Int((microseconds + 30_000_000) / 60_000_000)
    }
  }

  package struct Traffic: Equatable, Sendable, Codable {
    package var bytesSent = 0
    package var bytesReceived = 0
    package var connections = 0
    @Nullable package var bytesPerBatch: Double?
    @Nullable package var bytesPerFix: Double?
    package init() {}
  }
}

extension RunRecord.Freshness.Population {
  /// - Parameter threshold: one that `ages` has registered.
  package init(_ ages: AgeIntegral, threshold: SimDuration, located: Double?) {
    never = ages.neverShare
    share = ages.share(within: threshold)
    p50 = ages.quantile(0.5)
    p95 = ages.quantile(0.95)
    p99 = ages.quantile(0.99)
    self.located = located
  }
}

extension RunRecord {
  /// What the phones spent in the counted time.
  package struct Energy: Equatable, Sendable, Codable {
    /// Energy profiles of the fleet, by name.
    @Nullable package var profile: String?
    /// Component → joules of the whole fleet, the phones' own idling and screens included.
    package var joules: [String: Double] = [:]
    @Nullable package var perPhoneDay: PhoneDay?
    @Nullable package var cohorts: [Cohort]?
    package init() {}

    /// What tracking costs one phone in a day: neither its idling nor its screen.
    package struct PhoneDay: Equatable, Sendable, Codable {
      package var joules: Double
      /// Of a full battery.
      package var percentOfBattery: Double
      /// Share of the day's whole use that a battery screen would show beside the app, 0 to 1: what
      /// tracking costs, and the screen while the app is looked at.
      package var screenShare: Double

      package init(joules: Double, percentOfBattery: Double, screenShare: Double) {
        self.joules = joules
        self.percentOfBattery = percentOfBattery
        self.screenShare = screenShare
      }
    }

    package struct Cohort: Equatable, Sendable, Codable {
      package var name: String
      package var policy: String
      package var profile: String
      package var phones: Int
      package var joules: [String: Double]
      @Nullable package var perPhoneDay: PhoneDay?

      package init(
        name: String, policy: String, profile: String, phones: Int, joules: [String: Double],
        perPhoneDay: PhoneDay?
      ) {
        self.name = name
        self.policy = policy
        self.profile = profile
        self.phones = phones
        self.joules = joules
        self.perPhoneDay = perPhoneDay
      }
    }

    package var joulesPerPhoneDay: Double? { perPhoneDay?.joules }
    package var batteryPercentPerDay: Double? { perPhoneDay?.percentOfBattery }
  }
}

extension RunRecord {
  /// What happened when one outage had ended; see `StormWatch` for how each figure is found.
  package struct Storm: Equatable, Sendable, Codable {
    /// "server-outage", "network-outage", as in the scenario.
    package var kind = ""
    /// Whom it hit; null: all.
    @Nullable package var cohort: String?
    package var share = 1.0
    /// Seconds since 1970, of the scenario's clock.
    package var beginsAt = 0.0
    package var endsAt = 0.0
    /// The width of what a rate is taken over: ten seconds, or a row of the timeline.
    package var stepSeconds = 0.0
    /// Attempts to upload a second, before the outage; wall seconds in a load.
    @Nullable package var normalPerSecond: Double?
    @Nullable package var peakPerSecond: Double?
    /// `peakPerSecond` over `normalPerSecond`.
    @Nullable package var amplification: Double?
    /// From the outage's end to the step in which the peak lies.
    @Nullable package var peakAfterSeconds: Double?
    /// Fixes in outboxes before the outage, and the most of them after it began.
    @Nullable package var outboxBefore: Double?
    @Nullable package var outboxMax: Double?
    /// From the outage's end until rate and outbox are back; null: not while it was watched.
    @Nullable package var drainSeconds: Double?
    /// From the outage's begin until they are back.
    package var attempts = 0
    package var acknowledged = 0
    @Nullable package var attemptsPerBatch: Double?
    /// Uploads that failed after the outage's end.
    package var rejected = 0
    /// The most that one sweep asked for after the outage's end.
    package var pushesInSweepMax = 0
    package init() {}

    /// A row of a table, and what stands above it.
    package static let head = [
      "outage", "normal/s", "peak/s", "×", "back after", "rejected", "attempts a batch",
      "pushes in a sweep",
    ]

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
}
