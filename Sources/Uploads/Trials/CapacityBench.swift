package import Capacity
internal import Core
internal import Transport

/// Measures the sustained rate of a collector on one core.
///
///     the generator alone ─▶ search, search, … (a CPU probe before each) ─▶ verify at the bound
///
/// Arrivals are an open loop of batches encoded beforehand, without retries. Every trial has a new
/// collector with an empty, durable store, or without a store to test the generator alone.
package struct CapacityBench {
  package enum Progress: Sendable {
    case begins(TrialRecord)
    /// A trial ended; `left` is an estimate of the remaining time in seconds.
    case ended(TrialRecord, left: Double)
  }

  /// The maximum number of further searches after a failed verification.
  private static let searchesMore = 2

  private let plan: CapacityPlan
  private let run: TrialRun
  private let progress: (Progress) -> Void
  private let shouldStop: () -> Bool
  private let began = MonotonicClock.now
  private var record: CapacityRecord
  private var cpuPerBatch: [(load: Double, seconds: Double)] = []
  private var stored: [Double] = []
  private var wasted = 0.0

  private init(
    _ plan: CapacityPlan, progress: @escaping (Progress) -> Void,
    shouldStop: @escaping () -> Bool
  ) {
    self.plan = plan
    self.progress = progress
    self.shouldStop = shouldStop
    let isPinned = CorePin.pinThisProcess(to: 0)
    if isPinned { CorePin.preferThisProcess() }
    run = TrialRun(plan: plan, isPinned: isPinned, shouldStop: shouldStop)
    record = CapacityRecord(
      source: .measured, perCore: .init(value: 0, low: 0, high: 0))
    record.latencyLimitMicroseconds = Double(plan.latencyLimit.microseconds)
    record.goal = plan.goal
    record.fixesPerBatch = plan.fixesPerBatch
    record.connections = plan.connections
    if plan.carrier != .flotilla { record.carrier = plan.carrier.rawValue }
    record.isPinned = isPinned
    record.store = plan.store.words
    if isPinned { plan.store.pin(to: 1) }
  }

  /// - Returns: the measurements; after a stop, those up to the stop.
  package static func run(
    _ plan: CapacityPlan, progress: @escaping (Progress) -> Void,
    shouldStop: @escaping () -> Bool
  ) throws(CollectorRunError) -> CapacityRecord {
    var bench = CapacityBench(plan, progress: progress, shouldStop: shouldStop)
    try bench.findCeiling()
    for _ in 0..<plan.searches where !shouldStop() { try bench.search() }
    bench.conclude()
    if !shouldStop() { try bench.verify() }
    // On a machine that has become slower, the earlier result no longer applies.
    for _ in 0..<Self.searchesMore where bench.record.verified == false && !shouldStop() {
      try bench.search()
      bench.conclude()
      if !shouldStop() { try bench.verify() }
    }
    return bench.record
  }

  // MARK: Trials

  /// Runs a trial; returns nil if stopped meanwhile.
  private mutating func trial(
    _ kind: TrialRecord.Kind, _ load: Double, seconds: Double
  ) throws(CollectorRunError) -> TrialRecord? {
    let search = kind == .ceiling || kind == .verify ? 0 : record.searches.count + 1
    let planned = TrialRecord(kind: kind, search: search, load: load, seconds: seconds)
    progress(.begins(planned))
    let seen = try run.run(planned)
    guard !shouldStop() else { return nil }
    let trial = seen.trial
    record.trials.append(trial)
    if kind == .full, trial.invalid == nil, !trial.isHigh {
      if let seconds = seen.cpuSecondsPerBatch { cpuPerBatch.append((load, seconds)) }
      if let bytes = seen.storedBytesPerBatch { stored.append(bytes) }
    }
    if trial.invalid != nil { wasted += trial.seconds + CapacityPlan.around }
    let spent = (MonotonicClock.now - began).seconds - wasted
    progress(.ended(trial, left: max(0, plan.expectedSeconds - spent)))
    return trial
  }

  private mutating func findCeiling() throws(CollectorRunError) {
    var good = 0.0
    var bad: Double?
    var load = plan.firstRate * 4
    for _ in 0..<10 where !shouldStop() {
      load = min(load, CapacityPlan.largest)
      guard let isOffered = try isOffered(load) else { return }
      if isOffered { good = load } else { bad = load }
      if good >= CapacityPlan.largest { break }
      if let bad {
        if good == 0, bad < plan.firstRate / 16 { break }
        if good > 0, bad / good < 1.3 { break }
        load = good > 0 ? (good * bad).squareRoot() : bad / 4
      } else {
        load *= 2
      }
    }
    record.generatorCeiling = good > 0 ? good : nil
  }

  /// Returns whether any of three trials is valid, despite short disturbances; nil if stopped.
  private mutating func isOffered(_ load: Double) throws(CollectorRunError) -> Bool? {
    for _ in 0..<3 {
      guard let trial = try trial(.ceiling, load, seconds: plan.goal.initialSeconds) else {
        return nil
      }
      if trial.invalid == nil { return true }
    }
    return false
  }

  private mutating func search() throws(CollectorRunError) {
    // A search begins below the end of the previous search, and does not jump beyond that end.
    let near = record.searches.last?.lowerBound.map { $0 * 0.8 }
    let first = near ?? plan.firstRate
    let largest = record.generatorCeiling ?? plan.firstRate
    let probe = Probe.nanosecondsPerStep { MonotonicClock.now }
    var search = LoadSearch(
      plan.goal, first: min(first, largest), largest: largest, growth: near == nil ? 2 : 1.25)
    while case .measure(let load, let seconds) = search.next {
      let isFull = seconds >= plan.goal.finalSeconds
      guard let trial = try trial(isFull ? .full : .screening, load, seconds: seconds) else {
        return
      }
      search.add(trial.outcome(of: load, seconds))
    }
    record.searches.append(.init(search, probeNanoseconds: probe))
  }

  private mutating func verify() throws(CollectorRunError) {
    guard !plan.identities.isEmpty, let lower = record.lowerBound else { return }
    // As with other loads, two equal results of up to three valid trials decide.
    var (passed, failed) = (0, 0)
    for _ in 0..<6 where passed < 2 && failed < 2 {
      guard let trial = try trial(.verify, lower, seconds: plan.goal.finalSeconds) else { return }
      guard trial.invalid == nil else { continue }
      if trial.isHigh { failed += 1 } else { passed += 1 }
    }
    if passed + failed > 0 { record.verified = passed > failed }
  }

  // MARK: Results

  private mutating func conclude() {
    let found = record.searches.filter { $0.lowerBound != nil }
    if let worst = found.min(by: { ($0.lowerBound ?? 0) < ($1.lowerBound ?? 0) }),
      let low = worst.lowerBound
    {
      let all = found.compactMap(\.lowerBound)
      record.lowerBound = low
      record.upperBound = worst.upperBound
      record.firstBreak = FirstBreak(record.trials, above: low)
      record.perCore = .init(
        value: all.median(.upperInverse) ?? low, low: low, high: all.max() ?? low)
      if plan.store.isDatabase {
        let parts = DatabaseCapacity.divided(record.perCore, record.trials)
        (record.database, record.perCore) = (parts.database, parts.collector)
      }
    }
    record.demonstrated =
      record.trials.filter { $0.kind == .full && $0.invalid == nil && !$0.isHigh }
      .map(\.acknowledgedPerSecond).max()
    record.residentBytes = record.trials.map(\.residentBytes).max()
    record.storedBytesPerBatch = stored.median(.upperInverse)
    if let ceiling = record.generatorCeiling, let upper = record.upperBound {
      record.isGeneratorStrong = ceiling >= CapacityRecord.generatorMargin * upper
    }
    derive()
    fitLaw()
  }

  /// Extrapolates one core's load from the batch cost at the bound and the allowed utilisation.
  private mutating func derive() {
    guard let cost = cpuPerBatch.max(by: { $0.load < $1.load })?.seconds, cost > 0 else { return }
    let limit = plan.latencyLimit.seconds / cost
    let safe = ErlangC.safeUtilisation(servers: 1, limit: limit)
    record.cpuSecondsPerBatch = cost
    record.safeUtilisation = safe
    record.derived = safe / cost
    if let demonstrated = record.demonstrated, let derived = record.derived {
      record.isFarApart = abs(derived / demonstrated - 1) > 0.1
    }
  }

  /// Fits throughput over calls in flight, which follow from Little's law.
  private mutating func fitLaw() {
    let valid = record.trials.filter { trial in
      trial.invalid == nil && (trial.kind == .full || trial.kind == .screening)
    }
    let points = valid.compactMap { trial -> LawFit.Point? in
      guard let mean = trial.meanMicroseconds, trial.acknowledgedPerSecond > 0 else { return nil }
      return LawFit.Point(
        load: trial.acknowledgedPerSecond * mean / 1e6, throughput: trial.acknowledgedPerSecond)
    }
    do throws(LawFit.FitError) {
      record.law = LawRecord(try LawFit(points, seed: 1), loads: "calls in flight")
      record.lawNote = """
        fitted to calls in flight, by Little’s law, since a collector has exactly one worker
        """
    } catch {
      record.lawNote = error.description
    }
  }
}

extension TrialRecord {
  fileprivate func outcome(of load: Double, _ seconds: Double) -> TrialOutcome {
    var outcome = outcome
    outcome.load = load
    outcome.seconds = seconds
    return outcome
  }
}
