package import Core

extension RunRecord {
  package struct ScenarioFacts: Equatable, Sendable, Codable {
    package var name = ""
    package var question = ""
    @Nullable package var answers: AnswerKind?
    package var phones = 0
    /// Scenario seconds per wall-clock second while live.
    package var speed = 1.0
    /// Local start, ISO 8601.
    package var start = ""
    /// The city's offset, which `start` uses.
    @Nullable package var utcOffsetSeconds: Double?
    /// Ramp and measure, in scenario seconds.
    package var durationSeconds = 0.0
    package var warmStartSeconds = 0.0
    /// The encoding of batches, in the scenario's word; absent where nothing was sent.
    package var encoding: String?
    package var dictionary: UInt32?
    /// The scenario with defaults filled in, as `scenario show` prints it.
    package var text = ""
    package init() {}
  }

  /// The two digests, as 16 hexadecimal digits.
  package struct Digest: Equatable, Sendable, Codable {
    /// *world*: what neither tracker nor server can influence.
    @Nullable package var world: String?
    /// *behaviour*: fixes delivered, batches cut, intended times.
    @Nullable package var behaviour: String?
    package init() {}

    // The record's keys are part of its contract and older than these names.
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
    /// Use over the live part. "collector" is the sum of several, "collector 1" the first of them;
    /// "database" is a server started by the run.
    package var processes: [String: ProcessUse] = [:]
    /// The collectors' address; null without sockets.
    @Nullable package var collectorAddress: String?
    @Nullable package var collectorIsOurs: Bool?
    package var collectors: [CollectorFacts]?
    /// In the order of their phones; present if the run had several.
    package var generators: [GeneratorFacts]?
    /// Cores used by other processes in the measured time of a load; absent if unknown.
    package var othersCores: Double?
    package init() {}
  }

  package struct ProcessUse: Equatable, Sendable, Codable {
    package var cpuSeconds = 0.0
    /// Of one core: 1.7 is 170 %.
    package var coresUsed = 0.0
    package var peakResidentBytes = 0
    /// The time its threads were runnable but not scheduled in measured time; nil if unknown.
    package var waitedSeconds: Double?
    package init() {}
  }

  package struct Timing: Equatable, Sendable, Codable {
    /// ISO 8601, UTC.
    package var startedAt = ""
    /// The whole run, warm start and drain included.
    package var wallSeconds = 0.0
    package var warmStartWallSeconds = 0.0
    /// Whether the fleet after the warm start came from the cache; nil in older records.
    package var warmStartFromCache: Bool?
    /// Ramp and measure; in a simulation, all after the warm start.
    package var liveWallSeconds = 0.0
    /// 0 in a simulation.
    package var drainWallSeconds = 0.0
    package init() {}
  }

  /// Scenario seconds of each phase.
  package struct Phases: Equatable, Sendable, Codable {
    package var ramp = 0.0
    package var measure = 0.0
    /// The actual length; 0 in a simulation.
    package var drain = 0.0
    package init() {}
  }

  /// The planned load in `measure`.
  package struct Offered: Equatable, Sendable, Codable {
    package var batches = 0
    package var fixes = 0
    /// Per wall-clock second in a load, per scenario second in a simulation.
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    /// The busiest interval of the timeline: a second in a load, a scenario minute in a simulation.
    @Nullable package var batchesPerSecondMax: Double?
  }

  /// Acknowledgements in `measure`, by the clock of `Offered`.
  package struct Throughput: Equatable, Sendable, Codable {
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    @Nullable package var batchesPerSecondMax: Double?
  }

  package struct Freshness: Equatable, Sendable, Codable {
    package var installed = Population()
    /// Over the time in which the server could reach a phone by push.
    package var reachable = Population()
    /// Over the time in which a phone's true position moved.
    package var moving = Population()
    package var cohorts: [Cohort]?
    /// The X of `share`.
    @Nullable package var withinSeconds: Double?
    /// The R of `located`.
    @Nullable package var locatedMeters: Double?
    /// Whether `speed` × response is too long for the phones' timers.
    package var distorted = false
    package init() {}

    package var populations: [(name: String, figures: Population)] {
      [("installed", installed), ("reachable", reachable), ("moving", moving)]
    }

    package struct Cohort: Equatable, Sendable, Codable {
      package var name: String
      /// The share of phone-time whose newest fix at the collector is at most as old as the limit.
      @Nullable package var share: Double?

      package init(name: String, share: Double?) {
        self.name = name
        self.share = share
      }
    }

    /// The figures of a population; null without phone-time.
    package struct Population: Equatable, Sendable, Codable {
      /// The share of phone-time without any fix at the collector.
      @Nullable package var never: Double?
      /// The share of phone-time with age ≤ X.
      @Nullable package var share: Double?
      /// Seconds of age.
      @Nullable package var p50: Double?
      /// Seconds; null where it lies among phones without a fix.
      @Nullable package var p95: Double?
      /// Seconds; null where it lies among phones without a fix.
      @Nullable package var p99: Double?
      /// The share of phone-time in which the newest fix lies within R of the true position.
      @Nullable package var located: Double?
      package init() {}
    }
  }

  /// Phone-time by square cells of the city; rows from the south-west, whole phone-minutes.
  package struct Map: Equatable, Sendable, Codable {
    package var cellMeters = 0.0
    package var cellsAcross = 0
    package var presentMinutes: [Int] = []
    /// The stale part of `presentMinutes`.
    package var silentMinutes: [Int] = []
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
}

extension RunRecord.Freshness.Population {
  /// - Parameter threshold: A threshold registered in `ages`.
  package init(_ ages: AgeIntegral, threshold: SimDuration, located: Double?) {
    never = ages.neverShare
    share = ages.share(within: threshold)
    p50 = ages.quantile(0.5)
    p95 = ages.quantile(0.95)
    p99 = ages.quantile(0.99)
    self.located = located
  }
}
