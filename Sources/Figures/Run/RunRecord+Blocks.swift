package import Core

extension RunRecord {
  package struct ScenarioFacts: Equatable, Sendable, Codable {
    package var name = ""
    package var question = ""
    @Nullable package var answers: AnswerKind?
    package var phones = 0
    /// The scenario seconds in a wall-clock second of the live part.
    package var speed = 1.0
    /// The start of the scenario in the city's local time, ISO 8601.
    package var start = ""
    /// The UTC offset of the city at `start`; null if unknown.
    @Nullable package var utcOffsetSeconds: Double?
    /// The length of ramp and measure, in scenario seconds.
    package var durationSeconds = 0.0
    package var warmStartSeconds = 0.0
    /// The encoding of batches, as the scenario names it; absent where nothing was sent.
    package var encoding: String?
    package var dictionary: UInt32?
    /// The files of the log whose uploads were sent; absent where the phones were simulated.
    package var log: [String]?
    /// The scenario with defaults filled in, as `scenario show` prints it.
    package var text = ""
    package init() {}
  }

  /// The two digests of a run, as 16 hexadecimal digits each.
  package struct Digest: Equatable, Sendable, Codable {
    /// The digest of people and phones, which neither tracker nor server can influence.
    @Nullable package var world: String?
    /// The digest of fixes delivered, batches formed, and intended times.
    @Nullable package var behaviour: String?
    package init() {}

    // The keys in the file are older than the properties' names and must not change.
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
    /// The use of each process over the live part. "collector" is the sum of all collectors, and
    /// "collector 1" the first of several. "database" is a database server started by the run.
    package var processes: [String: ProcessUse] = [:]
    /// The collectors' address; null without sockets.
    @Nullable package var collectorAddress: String?
    @Nullable package var collectorIsOurs: Bool?
    package var collectors: [CollectorFacts]?
    /// The generators in the order of their phones; absent if the run had one.
    package var generators: [GeneratorFacts]?
    /// Cores that other processes used in the measured time of a load; absent if unknown.
    package var othersCores: Double?
    package init() {}
  }

  package struct ProcessUse: Equatable, Sendable, Codable {
    package var cpuSeconds = 0.0
    /// The mean number of cores in use: 1.7 is 170 % of one core.
    package var coresUsed = 0.0
    package var peakResidentBytes = 0
    /// The sum over threads of time spent waiting for a core, in measured time; nil if unknown.
    package var waitedSeconds: Double?
    package init() {}
  }

  package struct Timing: Equatable, Sendable, Codable {
    /// The start of the run, ISO 8601 in UTC.
    package var startedAt = ""
    /// The duration of the whole run, warm start and drain included.
    package var wallSeconds = 0.0
    package var warmStartWallSeconds = 0.0
    /// Whether the fleet after the warm start came from the cache; nil in older records.
    package var warmStartFromCache: Bool?
    /// The duration of ramp and measure, or in a simulation of everything after the warm start.
    package var liveWallSeconds = 0.0
    /// The duration of the drain; 0 in a simulation.
    package var drainWallSeconds = 0.0
    package init() {}
  }

  /// The length of each phase, in scenario seconds.
  package struct Phases: Equatable, Sendable, Codable {
    package var ramp = 0.0
    package var measure = 0.0
    /// The drain's actual length; 0 in a simulation.
    package var drain = 0.0
    package init() {}
  }

  /// The planned load in `measure`.
  package struct Offered: Equatable, Sendable, Codable {
    package var batches = 0
    package var fixes = 0
    /// The mean rate, per wall-clock second in a load and per scenario second in a simulation.
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    /// The rate in the timeline's busiest second of a load, or scenario minute of a simulation.
    @Nullable package var batchesPerSecondMax: Double?
  }

  /// Acknowledgements in `measure`, per second of the same clock as in `Offered`.
  package struct Throughput: Equatable, Sendable, Codable {
    @Nullable package var batchesPerSecond: Double?
    @Nullable package var fixesPerSecond: Double?
    @Nullable package var batchesPerSecondMax: Double?
  }

  package struct Freshness: Equatable, Sendable, Codable {
    package var installed = Population()
    /// Freshness over the time in which the server could reach a phone by push.
    package var reachable = Population()
    /// Freshness over the time in which a phone's true position moved.
    package var moving = Population()
    package var cohorts: [Cohort]?
    /// X, the age up to which a fix is fresh, in seconds.
    @Nullable package var withinSeconds: Double?
    /// R, the distance from the truth up to which a phone is located, in metres.
    @Nullable package var locatedMeters: Double?
    /// Whether responses, in scenario time (× `speed`), are too long for the phones' timers.
    package var distorted = false
    package init() {}

    package var populations: [(name: String, figures: Population)] {
      [("installed", installed), ("reachable", reachable), ("moving", moving)]
    }

    package struct Cohort: Equatable, Sendable, Codable {
      package var name: String
      /// The share of phone-time in which the newest fix at the collector is within the limit.
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
      /// The share of phone-time in which the newest fix is at most X old.
      @Nullable package var share: Double?
      /// The median age of the newest fix, in seconds.
      @Nullable package var p50: Double?
      /// The p95 age in seconds; null if the percentile falls on phone-time without any fix.
      @Nullable package var p95: Double?
      /// The p99 age in seconds; null if the percentile falls on phone-time without any fix.
      @Nullable package var p99: Double?
      /// The share of phone-time in which the newest fix lies within R of the true position.
      @Nullable package var located: Double?
      package init() {}
    }
  }

  /// Phone-minutes by square cell of the city, row by row from the south-west corner.
  package struct Map: Equatable, Sendable, Codable {
    package var cellMeters = 0.0
    package var cellsAcross = 0
    package var presentMinutes: [Int] = []
    /// The part of `presentMinutes` in which the phone was stale.
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
  /// - Parameter threshold: The limit X of fresh fixes, which must be registered in `ages`.
  package init(_ ages: AgeIntegral, threshold: SimDuration, located: Double?) {
    never = ages.neverShare
    share = ages.share(within: threshold)
    p50 = ages.quantile(0.5)
    p95 = ages.quantile(0.95)
    p99 = ages.quantile(0.99)
    self.located = located
  }
}
