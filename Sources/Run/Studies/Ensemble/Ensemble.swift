internal import Capacity
internal import Core
package import Figures
package import Scenarios
internal import Synchronization
internal import Uploads

/// A scenario at several sets of the model's parameters, each with a seed. The sets are the matched
/// sets that a history match recorded, or, without such sets, the points of a Latin hypercube over
/// the stated ranges. Compared scenarios have the same sets and seeds, so that a change on both
/// sides cancels in a difference.
package struct Ensemble: Sendable {
  /// The maximum number of phones per set. More phones hardly make an interval narrower.
  package static let phonesMax = 300

  /// The number of sets of a preview, an ensemble that the user did not request.
  package static let preview = 8
  /// The maximum phone-seconds of a preview, which take about 10 s of one core.
  private static let previewMax = 130_000 * 3_600.0

  package let sets: Int
  /// The plan of the scenario as written, with the number of phones of a set.
  let plan: RunPlan
  private let varied: VariedScenario
  private let places: [[Double]]
  /// The number of phones of the whole fleet.
  private let allPhones: Int
  /// Whether the rate in the busiest hour is a figure of the sets.
  fileprivate let measuresDemand: Bool
  let kept: KeptFile?
  /// Returns the ensemble of another plan at the same sets.
  let another: @Sendable (_ plan: RunPlan) throws(ScenarioError) -> Ensemble

  /// - Parameters:
  ///   - matched: the recorded sets of the library; nil for points of the whole ranges.
  ///   - known: the keys that the user set; their parameters are not varied.
  ///   - measuresDemand: whether the sets also have a rate in the busiest hour.
  package init(
    _ plan: RunPlan, sets: Int, library: ScenarioLibrary, matched: MatchedSets? = nil,
    known: [String] = [],
    measuresDemand: Bool = false
  ) throws(ScenarioError) {
    another = { plan throws(ScenarioError) in
      try Ensemble(
        plan, sets: sets, library: library, matched: matched, known: known,
        measuresDemand: measuresDemand)
    }
    var plan = plan
    allPhones = plan.scenario.fleet.phones
    self.measuresDemand = measuresDemand
    plan.scenario.fleet.phones = min(plan.scenario.fleet.phones, Self.phonesMax)
    varied = try VariedScenario(
      plan.scenario, library: library,
      holding: { path in known.contains { VariedScenario.isSet(path, by: $0) } })
    places = varied.points(sets, of: matched)
    var ranges = StableHash()
    ranges.combine(matched?.digits ?? "")
    for parameter in varied.parameters.map(\.parameter) {
      ranges.combine("\(parameter.path) \(parameter.low) \(parameter.high)\n")
    }
    kept = KeptFile(
      plan.cache, .figures,
      ["\(LifeKey.hash(plan.scenario))", ranges.digits, "\(sets)"]
        + (measuresDemand ? ["demand"] : []))
    // The warm start of a set is used only once, so caching has no benefit.
    plan.cache = nil
    self.plan = plan
    self.sets = sets
  }

  /// Returns whether previews of all plans take less time than their runs, and at most about 10 s.
  package static func isPreviewCheap(_ plans: [RunPlan]) -> Bool {
    let runs = plans.reduce(0) { $0 + $1.scenario.phoneSeconds }
    let sets = plans.reduce(0) { sum, plan in
      let phones = plan.scenario.fleet.phones
      let share = Double(min(phones, phonesMax)) / Double(max(1, phones))
      return sum + Double(preview) * plan.scenario.phoneSeconds * share
    }
    return sets <= min(runs, previewMax)
  }

  package var phones: Int { plan.scenario.fleet.phones }
  package var phoneSeconds: Double { Double(sets) * plan.scenario.phoneSeconds }

  /// The size of the ensemble, such as "32 sets of 300 phones".
  package var words: String { "\(sets) sets of \(Figure.grouped(phones)) phones" }

  /// Returns the scenario at a set; nil if no valid scenario is near the set.
  func scenario(at set: Int) -> Scenario? {
    var scenario = varied.point(at: places[set])?.scenario
    scenario?.seed = Draw.mix(plan.scenario.seed &+ UInt64(set))
    return scenario
  }

  /// Simulates the sets that are not in the cache.
  /// - Parameters:
  ///   - shouldStop: returns true to end the ensemble after the sets finished so far.
  ///   - planned: returns the figures that follow from a set's rate in the busiest hour, in batches
  ///     a second of the whole fleet.
  /// - Returns: the figures of the finished sets; nil if these are too few.
  package func figures(
    progress: @escaping @Sendable (RunProgress) -> Void,
    shouldStop: @escaping @Sendable () -> Bool,
    planned: (_ busiestHour: Double) -> EnsembleFigures.Values = { _ in [:] }
  ) -> EnsembleFigures? {
    let runs = StudyRuns(plan, phoneSeconds: phoneSeconds, shouldStop: shouldStop, report: progress)
    return EnsembleFigures(
      sets: sets, phones: phones,
      runs.values(of: [self])[0].mapValues { values in
        // The remaining values are for comparisons only.
        var figures = values.filter { one in StudyFigure.ofRun.contains { $0.key == one.key } }
        if let perPhone = values[EnsembleFigures.busiestHour] {
          let rate = perPhone * Double(allPhones)
          figures[EnsembleFigures.busiestHour] = rate
          figures.merge(planned(rate)) { $1 }
        }
        return figures
      })
  }

  // MARK: Cache

  fileprivate func read() -> [Int: EnsembleFigures.Values] {
    kept?.read([Int: EnsembleFigures.Values].self)?.filter { places.indices.contains($0.key) }
      ?? [:]
  }

  fileprivate func keep(_ values: [Int: EnsembleFigures.Values]) { kept?.keep(values) }
}

extension StudyRuns {
  /// Returns values by ensemble and set; after a stop, only sets that all ensembles have finished.
  func values(of ensembles: [Ensemble]) -> [[Int: EnsembleFigures.Values]] {
    let (sets, members) = (ensembles[0].sets, ensembles.count)
    let all = Mutex(ensembles.map { $0.read() })
    // All ensembles run set by set, so that a stopped comparison has complete sets.
    _ = run(sets * members, step: { "set \($0 / members + 1) of \(sets)" }) {
      number, life -> Void? in
      let (set, member) = (number / members, number % members)
      var plan = ensembles[member].plan
      if all.withLock({ $0[member][set] != nil }) { return life.end(plan.scenario) }
      var values = EnsembleFigures.Values()
      // Without a valid scenario near the set, its values stay empty.
      if let scenario = ensembles[member].scenario(at: set) {
        plan.scenario = scenario
        let meter = ensembles[member].measuresDemand ? DemandMeter(scenario) : nil
        guard let outcome = life.outcome(of: plan, meter: meter) else { return nil }
        values = outcome.ensembleValues
        values[EnsembleFigures.busiestHour] = meter?.busiestHourPerPhone(scenario.fleet.phones)
      }
      all.withLock { [values] all in
        all[member][set] = values
        ensembles[member].keep(all[member])
      }
      return ()
    }
    return all.withLock { all in
      let whole = Set((0..<sets).filter { set in all.allSatisfy { $0[set] != nil } })
      return all.map { $0.filter { whole.contains($0.key) } }
    }
  }
}

extension RunOutcome {
  fileprivate var ensembleValues: EnsembleFigures.Values {
    var values = EnsembleFigures.Values()
    for figure in StudyFigure.ofRun { values[figure.key] = figure.value(in: record) }
    for (population, rows) in compared?.rows ?? [:] {
      let columns = ComparedTally.columns
      let sums = (0..<columns).map { column in
        stride(from: column, to: rows.count, by: columns).reduce(0) { $0 + rows[$1] }
      }
      for figure in StudyFigure.compared {
        values[figure.key(of: population)] = ComparedTally.value(figure, of: sums)
      }
    }
    return values.filter { $0.value.isFinite }
  }
}

extension DemandMeter {
  /// Returns batches a second and phone. A set has too few phones for a shorter peak.
  fileprivate func busiestHourPerPhone(_ phones: Int) -> Double {
    DemandCurve(recorder.series).peakHour.batchesPerSecond / Double(max(1, phones))
  }
}
