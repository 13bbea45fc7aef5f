package import SimulationCore

extension RunRecord {
  /// Describes the scenario that was run.
  package struct ScenarioFacts: Equatable, Sendable, Codable {
    /// Is the scenario's name.
    package var name = ""
    /// Is the question that the scenario asks, as its file words it; empty without one.
    package var question = ""
    /// The kind of sentence that answers it; a record without it is older.
    @Nullable package var answers: AnswerKind?
    /// Counts the installed phones.
    package var phones = 0
    /// Is the scenario's own speed: scenario seconds per wall second while live.
    package var speed = 1.0
    /// Local start, ISO 8601.
    package var start = ""
    /// Of the city's clock, which `start` follows.
    @Nullable package var utcOffsetSeconds: Double?
    /// Is the length of ramp and measure together, in scenario seconds.
    package var durationSeconds = 0.0
    /// Is the scenario time that was lived in virtual time before the live part, in seconds.
    package var warmStartSeconds = 0.0
    /// Says how phones wrote their batches, in the scenario's word; absent where nothing was sent.
    package var encoding: String?
    /// Is the number of the dictionary that columns were compressed with; absent without one.
    package var dictionary: UInt32?
    /// The scenario with defaults filled in, as `scenario show` prints it.
    package var text = ""
    /// Makes an empty description.
    package init() {}
  }

  /// The two chains, as 16 hexadecimal digits.
  package struct Digest: Equatable, Sendable, Codable {
    /// *world*: what neither tracker nor server can influence.
    @Nullable package var world: String?
    /// *behaviour*: fixes delivered, batches cut, intended times.
    @Nullable package var behaviour: String?
    /// Makes a block without digests.
    package init() {}

    // The record's keys are part of its contract and older than the words.
    private enum CodingKeys: String, CodingKey {
      case world = "plan"
      case behaviour = "history"
    }

    /// Writes a chain as 16 lower-case hexadecimal digits.
    package static func text(_ chain: UInt64) -> String {
      let digits = String(chain, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  /// Describes the machine on which the generator ran, and what the run used of it.
  package struct Machine: Equatable, Sendable, Codable {
    /// Is the machine's host name.
    package var host = ""
    /// Is the operating system's name and version, as the system gives them.
    package var system = ""
    /// Counts the machine's active cores.
    package var cores = 0
    /// Is the machine's physical memory.
    package var memoryBytes = 0
    /// "generator", "collector" → what they used over the live part. "collector" is the sum of
    /// several, "collector 1" the first of them; "database" is a server of the run's own.
    package var processes: [String: ProcessUse] = [:]
    /// Where the collector listened, or the collectors did; null without sockets.
    @Nullable package var collectorAddress: String?
    /// Whether the run started that collector itself.
    @Nullable package var collectorIsOurs: Bool?
    /// The collectors of a run that had several.
    package var collectors: [CollectorFacts]?
    /// The processes that sent, in the order of their phones, of a run that had several.
    package var generators: [GeneratorFacts]?
    /// Cores that others used in the measured time of a load; a record without it does not know.
    package var othersCores: Double?
    /// Makes a description of an unknown machine.
    package init() {}
  }

  /// Holds what one process used.
  package struct ProcessUse: Equatable, Sendable, Codable {
    /// Is the CPU time of all its threads over the live part, user and system.
    package var cpuSeconds = 0.0
    /// Of one core: 1.7 is 170 %.
    package var coresUsed = 0.0
    /// Is the most physical memory that the process held at once.
    package var peakResidentBytes = 0
    /// Sums how long its threads were ready without a processor in measured time; nil: unknown.
    package var waitedSeconds: Double?
    /// Makes a use of nothing.
    package init() {}
  }

  /// Holds when the run began and how long its parts took in wall time.
  package struct Timing: Equatable, Sendable, Codable {
    /// ISO 8601, UTC.
    package var startedAt = ""
    /// Is the length of the whole run, warm start and drain included.
    package var wallSeconds = 0.0
    /// Is the length of the warm start.
    package var warmStartWallSeconds = 0.0
    /// Says whether the fleet after the warm start came from the cache; nil in records that do not
    /// say so.
    package var warmStartFromCache: Bool?
    /// Is the length of ramp and measure; in a simulation, of all that follows the warm start.
    package var liveWallSeconds = 0.0
    /// Is the length of the drain; 0 in a simulation.
    package var drainWallSeconds = 0.0
    /// Makes a timing of zeros without a beginning.
    package init() {}
  }

  /// Scenario seconds of each phase.
  package struct Phases: Equatable, Sendable, Codable {
    /// Is the length of the ramp, as the scenario sets it.
    package var ramp = 0.0
    /// Is the length of the measured time that the scenario sets.
    package var measure = 0.0
    /// Is the length that the drain really had; 0 in a simulation.
    package var drain = 0.0
    /// Makes phases without length.
    package init() {}
  }

  /// What the plan asked for in `measure`.
  package struct Offered: Equatable, Sendable, Codable {
    /// Counts the uploads whose intended time lies in `measure`.
    package var batches = 0
    /// Counts the fixes in the batches of those uploads.
    package var fixes = 0
    /// Per wall second in a load, per scenario second in a simulation.
    @Nullable package var batchesPerSecond: Double?
    /// Is the rate of fixes, by the clock of `batchesPerSecond`; null where no time was measured.
    @Nullable package var fixesPerSecond: Double?
    /// The busiest interval of the timeline: a second in a load, a scenario minute in a simulation.
    @Nullable package var batchesPerSecondMax: Double?
    /// Makes a block in which nothing was offered.
    package init() {}
  }

  /// Holds the rates of acknowledgement, by the clock of `Offered`.
  package struct Throughput: Equatable, Sendable, Codable {
    /// Acknowledged in `measure`.
    @Nullable package var batchesPerSecond: Double?
    /// Is the rate of fixes acknowledged in `measure`; null where it is not known.
    @Nullable package var fixesPerSecond: Double?
    /// The best second.
    @Nullable package var batchesPerSecondMax: Double?
    /// Makes a block without rates.
    package init() {}
  }

  /// Holds how old the newest fixes at the collector were, for three populations.
  package struct Freshness: Equatable, Sendable, Codable {
    /// Holds the figures over the time of all phones.
    package var installed = Population()
    /// Holds the figures over the time in which the server could reach a phone by push.
    package var reachable = Population()
    /// Holds the figures over the time in which a phone's truth moved.
    package var moving = Population()
    /// Of the reachable phones of each cohort.
    package var cohorts: [Cohort]?
    /// Seconds: the X of `share`.
    @Nullable package var withinSeconds: Double?
    /// Metres: the R of `located`.
    @Nullable package var locatedMeters: Double?
    /// `speed` × response is too long for the timers that phones live by.
    package var distorted = false
    /// Makes a block without figures.
    package init() {}

    /// The three populations with their names.
    package var populations: [(name: String, figures: Population)] {
      [("installed", installed), ("reachable", reachable), ("moving", moving)]
    }

    /// Holds one cohort's freshness.
    package struct Cohort: Equatable, Sendable, Codable {
      /// Is the cohort's name in the scenario.
      package var name: String
      /// Share of phone-time with age ≤ X.
      @Nullable package var share: Double?

      /// Makes a cohort's row; `share` is nil without phone-time.
      package init(name: String, share: Double?) {
        self.name = name
        self.share = share
      }
    }

    /// Holds the figures of one population; each is null without phone-time.
    package struct Population: Equatable, Sendable, Codable {
      /// Share of phone-time without any fix at the collector.
      @Nullable package var never: Double?
      /// Share of phone-time with age ≤ X.
      @Nullable package var share: Double?
      /// Seconds of age.
      @Nullable package var p50: Double?
      /// Is the 95th percentile of age in seconds; null where it lies among phones without a fix.
      @Nullable package var p95: Double?
      /// Is the 99th percentile of age in seconds; null where it lies among phones without a fix.
      @Nullable package var p99: Double?
      /// Share of phone-time in which the newest fix lies within R of the truth.
      @Nullable package var located: Double?
      /// Makes a population without figures.
      package init() {}
    }
  }

  /// Phone-time by squares of the city; rows from the south-west, whole phone-minutes.
  package struct Map: Equatable, Sendable, Codable {
    /// Is the length of a square's side.
    package var cellMeters = 0.0
    /// Counts the squares in each row and in each column.
    package var cellsAcross = 0
    /// Holds the phone-minutes spent in each square.
    package var presentMinutes: [Int] = []
    /// Holds the part of `presentMinutes` in which phones were not fresh.
    package var silentMinutes: [Int] = []
    /// Phone-minutes beyond the map.
    package var outsideMinutes = 0
    /// Makes a map without squares.
    package init() {}

    /// Makes the block from a map, rounding each square to whole phone-minutes.
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
