package import Figures

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
    /// Is the largest load that is carried, in batches a second; null: none was.
    @Nullable package var lowerBound: Double?
    /// Is the smallest load that is not carried, in batches a second; null: every load offered was.
    @Nullable package var upperBound: Double?
    /// Is what gets through at the lower bound, in batches a second; null: there is no lower bound.
    @Nullable package var conditionalThroughput: Double?
    /// Is the raw value of `LoadSearch.Irregularity`; null: the search ended with both bounds.
    @Nullable package var irregularity: String?
    /// Pure arithmetic beside it, nanoseconds a step: how fast the machine was meanwhile.
    package var probeNanoseconds: Double

    /// Makes the record of a finished search and of the probe that ran before it.
    package init(_ search: LoadSearch, probeNanoseconds: Double) {
      _lowerBound = Nullable(wrappedValue: search.lowerBound)
      _upperBound = Nullable(wrappedValue: search.upperBound)
      _conditionalThroughput = Nullable(wrappedValue: search.conditionalThroughput)
      _irregularity = Nullable(wrappedValue: search.irregularity?.rawValue)
      self.probeNanoseconds = probeNanoseconds
    }
  }

  /// Is the unit of all loads and bounds.
  package var unit = "batches/s"
  /// Says whether the capacity was measured or given.
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
  /// What the collectors' database carries, where they have one: then the bounds are of both
  /// together, and `perCore` is of a core of collectors; null: the collector has a file.
  @Nullable package var database: DatabaseCapacity?
  /// What a valid trial passed with, at most.
  @Nullable package var demonstrated: Double?
  /// What the processor would carry at a safe utilisation: an extrapolation.
  @Nullable package var derived: Double?
  /// Is the utilisation of one core at which 99 in 100 batches wait no longer than the latency
  /// limit (`ErlangC`); null: no full trial passed.
  @Nullable package var safeUtilisation: Double?
  /// Is the processor time of a batch in the full trial with the largest load that passed, in
  /// seconds; null: none did.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// Whether the two are more than a tenth apart.
  package var isFarApart = false
  /// What the generator can offer to a collector that stores nothing.
  @Nullable package var generatorCeiling: Double?
  /// Whether that is at least 1.3 times the upper bound.
  @Nullable package var isGeneratorStrong: Bool?
  /// Is the response beyond which a batch counts as late, in microseconds; 0: nothing was measured.
  package var latencyLimitMicroseconds = 0.0
  /// Is the goal that the searches pursued; null: nothing was searched.
  @Nullable package var goal: SearchGoal?
  /// Is the number of fixes in each batch that was offered.
  package var fixesPerBatch = 0
  /// Is the number of connections that the generator held open.
  package var connections = 0
  /// Names the carrier of the uploads; absent: the program's own frames.
  package var carrier: String?
  /// Is what TLS costs, which `perCore` bears; absent: connections are in the clear.
  package var tls: TLSCost?
  /// Is true where generator and collector were each pinned to a core of their own.
  package var isPinned = false
  /// Names the store of the collector and how it synchronises; empty: nothing was measured.
  package var store = ""
  /// Is the median growth of the store for a batch, in bytes; null: no full trial was long enough.
  @Nullable package var storedBytesPerBatch: Double?
  /// Is the greatest resident memory of the collector in any trial, in bytes; null: nothing was
  /// measured.
  @Nullable package var residentBytes: Double?
  /// Holds the searches in the order in which they ran.
  package var searches: [Search] = []
  /// Holds all trials in the order in which they ran, invalid ones as well.
  package var trials: [TrialRecord] = []
  /// Is the scalability law fitted to the valid trials or to the user's points; null: none was
  /// fitted.
  @Nullable package var law: LawRecord?
  /// Why there is no law, or what it was fitted to.
  package var lawNote = ""

  /// What carries the load that a core carries, as words for a sentence.
  package var conditions: String {
    switch source {
    case .measured: "reference collector, loopback, \(wireWords)"
    case .given: "a core as given by --capacity"
    case .curve: "a core by the curve of --curve"
    }
  }

  /// How uploads travelled.
  private var wireWords: String {
    let carrier = carrier.map { "\($0), " } ?? ""
    guard let tls else { return "\(carrier)no TLS" }
    return """
      \(carrier)TLS 1.3 with \(tls.key), \(Figure.percent(tls.resumedShare)) resumed, measured apart
      """
  }

  /// Is how many times the upper bound the generator has to offer alone to count as strong.
  package static let generatorMargin = 1.3

  /// Makes a record with the source and the capacity of a core; all else is empty.
  package init(source: Source, perCore: Ratio) {
    self.source = source
    self.perCore = perCore
  }
}

/// One trial with all that was seen of it.
package struct TrialRecord: Equatable, Sendable, Codable {
  /// Says what a trial was run for.
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

  /// Says what the trial was run for.
  package var kind: Kind
  /// Counted from 1; 0: of none.
  package var search: Int
  /// Batches a second, as intended.
  package var load: Double
  /// Is the length of the trial, in seconds.
  package var seconds: Double
  /// Is the rate of batches offered, a second.
  package var offeredPerSecond = 0.0
  /// Is the rate of batches acknowledged, a second.
  package var acknowledgedPerSecond = 0.0
  /// Counts the calls that the collector refused.
  package var refused = 0
  /// Counts the calls that ended otherwise: by deadline or a lost connection.
  package var failed = 0
  /// Counts the batches acknowledged later than the latency limit.
  package var late = 0
  /// Is the share of the batches offered that were refused, failed or late; 1 where none was
  /// offered.
  package var lossRatio = 0.0
  /// Is the median response, in microseconds; null: the samples do not support it.
  @Nullable package var p50Microseconds: Double?
  /// Is the 99th percentile of response, in microseconds; null: the samples do not support it.
  @Nullable package var p99Microseconds: Double?
  /// Is the mean response, in microseconds; null: there was none.
  @Nullable package var meanMicroseconds: Double?
  /// Is the 99th percentile of generator lag, in microseconds; null: the samples do not support it.
  @Nullable package var lagP99Microseconds: Double?
  /// Of its seconds, those that lost no larger share than a whole trial may.
  package var goodSeconds = 0.0
  /// Batches a second by which what is under way grew.
  package var backlogGrowth = 0.0
  /// Is the processor time of the collector for each second of the trial.
  package var collectorCores = 0.0
  /// Is the processor time of the database for each second of the trial; null: there is none, or it
  /// was not seen.
  @Nullable package var databaseCores: Double?
  /// Is the processor time of the generator for each second of the trial.
  package var generatorCores = 0.0
  /// Of the generator's core, what the machine below gave to others; null: nobody says.
  @Nullable package var stolenShare: Double?
  /// Is the resident memory of the collector at the end of the trial, in bytes; 0: it was not read.
  package var residentBytes = 0.0
  /// Is true where the load was too much: too many losses, too few good seconds or a growing
  /// backlog.
  package var isHigh = false
  /// Why it does not count.
  @Nullable package var invalid: String?
  /// What the generator was short of; null: it was not.
  @Nullable package var limitedBy: Resource?

  /// Makes a trial that has not run: all counts are zero.
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
  /// Holds the points that the law was fitted to.
  package var points: [LawFit.Point]
  /// Is the law with the coefficients of the best fit.
  package var law: ScalabilityLaw
  /// Is the contention α with its 95 % interval.
  package var alpha: Ratio
  /// Is the coherency β with its 95 % interval.
  package var beta: Ratio
  /// Is the throughput γ of a load of one with its 95 % interval.
  package var gamma: Ratio
  /// null: there is none, or it is not certain that there is one.
  @Nullable package var peakLoad: Ratio?
  /// Is the standard deviation of the measured throughputs round the law, in their unit.
  package var residual: Double

  /// Makes the record of a fit; `loads` names the unit of its loads.
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
