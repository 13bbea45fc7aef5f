package import Core

/// A collector's capacity and its derivation: the key `capacity` of a plan's `run.json`.
package struct CapacityRecord: Equatable, Sendable, Codable {
  package enum Source: String, Sendable, Codable {
    case measured
    /// The user gave the capacity: `--capacity`.
    case given
    /// The user gave load points, to which a law was fitted: `--curve`.
    case curve
  }

  package struct Search: Equatable, Sendable, Codable {
    /// The largest load that the collector carried, in batches a second; null if it carried none.
    @Nullable package var lowerBound: Double?
    /// The smallest load that the collector did not carry, in batches a second; null if none.
    @Nullable package var upperBound: Double?
    /// The throughput at the lower bound, in batches a second; null without a lower bound.
    @Nullable package var conditionalThroughput: Double?
    /// The raw value of a `LoadSearch.Irregularity`; null if the search found both bounds.
    @Nullable package var irregularity: String?
    /// The nanoseconds per step of a CPU probe during the search, which show the machine's speed.
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
  /// The smallest lower bound of all searches, in batches a second: the size follows from it.
  @Nullable package var lowerBound: Double?
  @Nullable package var upperBound: Double?
  /// The first failure above the bound; null if no offered load was too much.
  @Nullable package var firstBreak: FirstBreak?
  /// Whether the trial of the scenario's phones at the lower bound passed; null without this trial.
  @Nullable package var verified: Bool?
  /// The capacity of a core in batches a second, from the worst to the best search.
  package var perCore: Ratio
  /// The collectors' database; null if the collector has a file. The bounds are of the collector
  /// and the database together, but `perCore` is of a collector's core.
  @Nullable package var database: DatabaseCapacity?
  /// The highest acknowledged rate, in batches a second, of a valid full trial that passed.
  @Nullable package var demonstrated: Double?
  /// The load at the safe utilisation, in batches a second, from the processor time per batch.
  @Nullable package var derived: Double?
  /// The utilisation of one core at which the p99 wait is within the latency limit (`ErlangC`);
  /// null if no full trial passed.
  @Nullable package var safeUtilisation: Double?
  /// The processor time of a batch in the largest full trial that passed; null if none passed.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// Whether `derived` differs from `demonstrated` by more than a tenth.
  package var isFarApart = false
  /// The generator's rate against a collector that stores nothing, in batches a second.
  @Nullable package var generatorCeiling: Double?
  /// Whether `generatorCeiling` is at least 1.3 times the upper bound.
  @Nullable package var isGeneratorStrong: Bool?
  /// The limit on response times, in microseconds; 0 if nothing was measured.
  package var latencyLimitMicroseconds = 0.0
  /// The goal of the search; null if there was no search.
  @Nullable package var goal: SearchGoal?
  package var fixesPerBatch = 0
  package var connections = 0
  /// The carrier of the uploads; nil for the program's own frames.
  package var carrier: String?
  /// The cost of TLS, included in `perCore`; nil without TLS.
  package var tls: TLSCost?
  package var isPinned = false
  /// The words for the store and its synchronisation; empty if nothing was measured.
  package var store = ""
  /// The stored bytes of a batch, as a median over full trials; null if no trial was long enough.
  @Nullable package var storedBytesPerBatch: Double?
  /// The greatest memory of the collector in any trial, in bytes; null if nothing was measured.
  @Nullable package var residentBytes: Double?
  package var searches: [Search] = []
  package var trials: [TrialRecord] = []
  /// The law fitted to the valid trials or to the user's points; null without a fit.
  @Nullable package var law: LawRecord?
  package var lawNote = ""

  package var conditions: String {
    switch source {
    case .measured: "reference collector, loopback, \(wireWords)"
    case .given: "capacity given by --capacity"
    case .curve: "capacity from the curve of --curve"
    }
  }

  private var wireWords: String {
    let carrier = carrier.map { "\($0), " } ?? ""
    guard let tls else { return "\(carrier)no TLS" }
    return """
      \(carrier)TLS 1.3 with \(tls.key), \(Figure.percent(tls.resumedShare)) resumed, measured \
      separately
      """
  }

  package static let generatorMargin = 1.3

  package init(source: Source, perCore: Ratio) {
    self.source = source
    self.perCore = perCore
  }
}

package struct TrialRecord: Equatable, Sendable, Codable {
  package enum Kind: String, Sendable, Codable {
    /// A trial of the generator itself, against a collector that stores nothing.
    case ceiling
    case screening
    case full
    /// A trial with the phones of the scenario.
    case verify
  }

  package enum Resource: String, Sendable, Codable {
    case core
    /// The hypervisor gave the generator's core to other machines for too long.
    case stolenTime = "stolen-time"
    /// The generator was not scheduled, though its core had time to spare.
    case pauses
  }

  package var kind: Kind
  /// The number of the search, from 1; 0 for a trial that belongs to no search.
  package var search: Int
  package var load: Double
  package var seconds: Double
  package var offeredPerSecond = 0.0
  package var acknowledgedPerSecond = 0.0
  package var refused = 0
  package var failed = 0
  package var late = 0
  /// The share of offered batches that were refused, failed or late; 1 if none was offered.
  package var lossRatio = 0.0
  /// The median response time in microseconds; null with too few samples.
  @Nullable package var p50Microseconds: Double?
  @Nullable package var p99Microseconds: Double?
  @Nullable package var meanMicroseconds: Double?
  /// The p99 of the generator's lag in microseconds; null with too few samples.
  @Nullable package var lagP99Microseconds: Double?
  /// The share of seconds, 0 ... 1, that kept the loss limit which holds for a whole trial.
  package var goodSeconds = 0.0
  /// The growth of the number of batches in flight, in batches a second.
  package var backlogGrowth = 0.0
  package var collectorCores = 0.0
  @Nullable package var databaseCores: Double?
  package var generatorCores = 0.0
  /// The share of the generator's core that the hypervisor gave to others; null if unknown.
  @Nullable package var stolenShare: Double?
  /// The collector's memory at the end of the trial, in bytes; 0 if unreadable.
  package var residentBytes = 0.0
  /// Whether the load was too much: too many losses, too few good seconds or a growing backlog.
  package var isHigh = false
  @Nullable package var invalid: String?
  /// The resource that the generator lacked; null if the trial is valid.
  @Nullable package var limitedBy: Resource?

  package init(kind: Kind, search: Int, load: Double, seconds: Double) {
    self.kind = kind
    self.search = search
    self.load = load
    self.seconds = seconds
  }

  package var outcome: TrialOutcome {
    TrialOutcome(
      load: load, seconds: seconds, lossRatio: lossRatio, isBad: isHigh, invalid: invalid)
  }
}

package struct LawRecord: Equatable, Sendable, Codable {
  /// The words for a load, such as "calls in flight".
  package var loads: String
  package var points: [LawFit.Point]
  package var law: ScalabilityLaw
  package var alpha: Ratio
  package var beta: Ratio
  package var gamma: Ratio
  /// The load with the greatest throughput; null if there is no peak, or an uncertain one.
  @Nullable package var peakLoad: Ratio?
  /// The standard deviation around the law, in the unit of throughput.
  package var residual: Double

  package init(_ fit: LawFit, loads: String) {
    self.loads = loads
    points = fit.points
    law = fit.law
    alpha = fit.alpha
    beta = fit.beta
    gamma = fit.gamma
    // If some of the resampled laws have no peak, the interval of the peak is infinite.
    _peakLoad = Nullable(wrappedValue: fit.peakLoad.flatMap { $0.high.isFinite ? $0 : nil })
    residual = fit.residual
  }

  /// Whether the fitted law may have a peak, but not all of the resampled laws have one.
  package var mayHavePeak: Bool { peakLoad == nil && law.beta > 0 }
}
