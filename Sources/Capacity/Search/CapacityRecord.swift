package import Measure

/// What a collector sustains, and how that was found: the key `capacity` of a plan's `run.json`.
package struct CapacityRecord: Equatable, Sendable, Codable {
  /// Who says so.
  package enum Source: String, Sendable, Codable {
    case measured
    /// `--capacity`.
    case given
    /// `--curve`.
    case curve
  }

  /// One search from its first trial to its bounds.
  package struct Search: Equatable, Sendable, Codable {
    @Nullable package var lowerBound: Double?
    @Nullable package var upperBound: Double?
    @Nullable package var conditionalThroughput: Double?
    @Nullable package var irregularity: String?
    /// Pure arithmetic beside it, nanoseconds a step: how fast the machine was meanwhile.
    package var probeNanoseconds: Double

    package init(_ search: LoadSearch, probeNanoseconds: Double) {
      _lowerBound = Nullable(wrappedValue: search.lowerBound)
      _upperBound = Nullable(wrappedValue: search.upperBound)
      _conditionalThroughput = Nullable(wrappedValue: search.conditionalThroughput)
      _irregularity = Nullable(wrappedValue: search.irregularity?.rawValue)
      self.probeNanoseconds = probeNanoseconds
    }
  }

  package var unit = "batches/s"
  package var source: Source
  /// Of all searches the smallest: what is sized with.
  @Nullable package var lowerBound: Double?
  /// The upper bound of that search.
  @Nullable package var upperBound: Double?
  /// null: nothing that was offered was too much.
  @Nullable package var firstBreak: FirstBreak?
  /// A trial at the lower bound with the phones of the scenario passed; null: there was none.
  @Nullable package var verified: Bool?
  /// Of a core, as it is sized with: sustained in the worst and in the best search.
  package var perCore: Ratio
  /// What a valid trial passed with, at most.
  @Nullable package var demonstrated: Double?
  /// What the processor would carry at a safe utilisation: an extrapolation.
  @Nullable package var derived: Double?
  @Nullable package var safeUtilisation: Double?
  @Nullable package var cpuSecondsPerBatch: Double?
  /// Whether the two are more than a tenth apart.
  package var isFarApart = false
  /// What the generator can offer to a collector that stores nothing.
  @Nullable package var generatorCeiling: Double?
  /// Whether that is at least 1.3 times the upper bound.
  @Nullable package var isGeneratorStrong: Bool?
  package var latencyLimitMicroseconds = 0.0
  @Nullable package var goal: SearchGoal?
  package var fixesPerBatch = 0
  package var connections = 0
  package var isPinned = false
  package var store = ""
  @Nullable package var storedBytesPerBatch: Double?
  @Nullable package var residentBytes: Double?
  package var searches: [Search] = []
  package var trials: [TrialRecord] = []
  @Nullable package var law: LawRecord?
  /// Why there is no law, or what it was fitted to.
  package var lawNote = ""

  package static let generatorMargin = 1.3

  package init(source: Source, perCore: Ratio) {
    self.source = source
    self.perCore = perCore
  }
}

/// One trial with all that was seen of it.
package struct TrialRecord: Equatable, Sendable, Codable {
  package enum Kind: String, Sendable, Codable {
    /// Of the generator itself, against a collector that stores nothing.
    case ceiling
    case screening
    case full
    /// With the phones of the scenario.
    case verify
  }

  /// What a generator needs to keep its plan.
  package enum Resource: String, Sendable, Codable {
    case core
    /// The machine's cores are others' as well.
    case stolenTime = "stolen-time"
    /// It had time, and was kept from running.
    case pauses
  }

  package var kind: Kind
  /// Counted from 1; 0: of none.
  package var search: Int
  /// Batches a second, as intended.
  package var load: Double
  package var seconds: Double
  package var offeredPerSecond = 0.0
  package var acknowledgedPerSecond = 0.0
  package var refused = 0
  package var failed = 0
  package var late = 0
  package var lossRatio = 0.0
  @Nullable package var p50Microseconds: Double?
  @Nullable package var p99Microseconds: Double?
  @Nullable package var meanMicroseconds: Double?
  @Nullable package var lagP99Microseconds: Double?
  /// Of its seconds, those that lost no larger share than a whole trial may.
  package var goodSeconds = 0.0
  /// Batches a second by which what is under way grew.
  package var backlogGrowth = 0.0
  package var collectorCores = 0.0
  package var generatorCores = 0.0
  /// Of the generator's core, what the machine below gave to others; null: nobody says.
  @Nullable package var stolenShare: Double?
  package var residentBytes = 0.0
  package var isHigh = false
  /// Why it does not count.
  @Nullable package var invalid: String?
  /// What the generator was short of; null: it was not.
  @Nullable package var limitedBy: Resource?

  package init(kind: Kind, search: Int, load: Double, seconds: Double) {
    self.kind = kind
    self.search = search
    self.load = load
    self.seconds = seconds
  }

  /// As a search hears of it.
  package var outcome: TrialOutcome {
    TrialOutcome(
      load: load, seconds: seconds, lossRatio: lossRatio, isBad: isHigh, invalid: invalid)
  }
}

/// A fitted law as a file has it.
package struct LawRecord: Equatable, Sendable, Codable {
  /// What its loads are: "calls in flight", or what the user's file calls them.
  package var loads: String
  package var points: [LawFit.Point]
  package var law: ScalabilityLaw
  package var alpha: Ratio
  package var beta: Ratio
  package var gamma: Ratio
  /// null: there is none, or it is not certain that there is one.
  @Nullable package var peakLoad: Ratio?
  package var residual: Double

  package init(_ fit: LawFit, loads: String) {
    self.loads = loads
    points = fit.points
    law = fit.law
    alpha = fit.alpha
    beta = fit.beta
    gamma = fit.gamma
    // Where some of the resampled laws have no peak its interval does not end.
    _peakLoad = Nullable(wrappedValue: fit.peakLoad.flatMap { $0.high.isFinite ? $0 : nil })
    residual = fit.residual
  }

  /// One that some of the resampled laws have, and some have not.
  package var mayHavePeak: Bool { peakLoad == nil && law.beta > 0 }
}
