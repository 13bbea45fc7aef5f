package import Capacity
internal import Core
package import Figures
internal import Scenarios
internal import Uploads

/// Measures how a scenario's results depend on its model. Simulates the scenario with the model's
/// parameters varied over their ranges, several runs at once, one thread each.
///
/// All runs but those of `otherSeed` have the scenario's seed. Draws are keyed by purpose, not by
/// order, so people behave the same unless a varied parameter affects them (common random numbers).
/// An irrelevant parameter thus has an effect of exactly zero.
package struct SensitivityStudy: Study {
  package let varied: VariedScenario
  package let figures: [StudyFigure]
  package let plan: RunPlan
  /// The bases and steps of the effects; nil if no effects are requested.
  private let design: MorrisDesign?
  /// The points of the Latin hypercube, each with every parameter's position in its range.
  private let cube: [[Double]]

  /// - Parameter stars: the number of bases from which every parameter is moved; 0 for no effects.
  /// - Parameter points: the number of points of the Latin hypercube; 0 for no interval.
  package init(
    _ plan: RunPlan, _ varied: VariedScenario, figures: [StudyFigure], stars: Int,
    points: Int
  ) {
    self.plan = plan
    self.varied = varied
    self.figures = figures
    design =
      stars > 0
      ? MorrisDesign(
        stars: stars, dimensions: varied.parameters.count, seed: plan.scenario.seed) : nil
    cube = varied.points(points)
  }

  enum Job: Equatable, Sendable {
    case asWritten
    case point(Int)
    case base(Int)
    case otherSeed(Int)
    /// A step from a base along a parameter. The indices are the base's and the parameter's.
    case step(Int, Int)
  }

  struct Result: Sendable {
    /// The value of each of the study's figures; nil where unknown.
    var values: [Double?]
    var isLoss: Bool
    /// The intervals from resampled phones; empty unless the scenario runs as written.
    var sampled: [Ratio?] = []
    /// The positions in the ranges; nil for the scenario as written, and for a step without a run.
    var places: [Double]?
    /// The indices of parameters that were moved because the scenario refused their values.
    var moved: [Int] = []
  }

  private var bases: [[Double]] { design?.bases ?? [] }

  /// The runs in order, so that a stopped study has the interval first, and then the effects of
  /// whole stars.
  var jobs: [Job] {
    var jobs: [Job] = [.asWritten] + cube.indices.map { .point($0) }
    for star in bases.indices {
      jobs += [.base(star), .otherSeed(star)]
      jobs += varied.parameters.indices.map { .step(star, $0) }
    }
    return jobs
  }

  package var runs: Int { jobs.count }
  package var workers: Int { max(1, min(plan.threads, jobs.count)) }

  package var phoneSeconds: Double { Double(runs) * plan.scenario.phoneSeconds }

  package func record(_ runs: StudyRuns) -> SensitivityRecord? {
    let jobs = jobs
    // Bases are moved to valid scenarios first, because steps begin there.
    let bases = bases.map { varied.point(at: $0) }
    let results = runs.run(jobs.count, step: { _ in nil }) { number, life in
      result(of: jobs[number], bases, life)
    }
    guard results[0] != nil else { return nil }
    var record = SensitivityRecord(plan)
    (record.runs.stars, record.runs.points) = (bases.count, cube.count)
    record.parameters = varied.parameters.map(SensitivityRecord.Parameter.init)
    record.held = varied.held
    record.measure(figures, jobs, results)
    return record
  }

  // MARK: One run

  /// Returns nil if the run was stopped, or if no valid scenario is near the job's point.
  private func result(
    of job: Job, _ bases: [VariedScenario.Point?], _ life: StudyRuns.Life
  ) -> Result? {
    func live(_ point: VariedScenario.Point) -> Result? {
      var result = lived(point.scenario, life)
      result?.places = point.places
      result?.moved = point.moved
      return result
    }
    switch job {
    case .asWritten: return lived(plan.scenario, life, samples: true)
    case .point(let number): return varied.point(at: cube[number]).flatMap(live)
    case .base(let star): return bases[star].flatMap(live)
    case .otherSeed(let star):
      guard var base = bases[star] else { return nil }
      base.scenario.seed = Draw.mix(base.scenario.seed &+ UInt64(star))
      return live(base)
    case .step(let star, let parameter):
      guard let base = bases[star] else { return nil }
      guard let point = varied.step(from: base.places, along: parameter) else {
        life.end(base.scenario)
        return Result(values: figures.map { _ in nil }, isLoss: false)
      }
      return live(point)
    }
  }

  /// Simulates a scenario; returns nil if the run was stopped.
  private func lived(
    _ scenario: Scenario, _ life: StudyRuns.Life, samples: Bool = false
  ) -> Result? {
    var plan = plan
    plan.scenario = scenario
    guard let outcome = life.outcome(of: plan, compares: samples) else { return nil }
    let record = outcome.record
    var result = Result(
      values: figures.map { $0.value(in: record) }, isLoss: record.verdict == .loss)
    if samples { result.sampled = figures.map { $0.sampled(in: outcome) } }
    return result
  }
}

extension VariedScenario {
  /// Returns the end of a step from a valid base along one parameter. Halves a step that the
  /// scenario refuses; returns nil if every shortened step is refused, too.
  func step(from base: [Double], along parameter: Int) -> Point? {
    var end = MorrisDesign.end(from: base[parameter])
    let varied = parameters[parameter]
    // A value at an end of its range fills half of the places, so a step may have to go the other way.
    if varied.text(at: end) == varied.text(at: base[parameter]) { end = 1 - end }
    for attempt in 0...Self.shorteningsMax {
      var places = base
      places[parameter] = end
      let scenario: Scenario? = try? scenario(at: places)
      if let scenario {
        let places = written(places)
        // Rounding to whole numbers may have restored the base's value.
        guard places[parameter] != base[parameter] else { return nil }
        return Point(
          places: places, scenario: scenario, moved: attempt > 0 ? [parameter] : [])
      }
      end = (end + base[parameter]) / 2
    }
    return nil
  }

  /// The maximum number of halvings, after which a step has an eighth of its length.
  private static var shorteningsMax: Int { 3 }
}

extension StudyFigure {
  fileprivate func sampled(in outcome: RunOutcome) -> Ratio? {
    guard let value = value(in: outcome.record) else { return nil }
    if self == .answered { return outcome.record.wake.answered }
    if self == .answeredOfSilent { return outcome.record.wake.answeredOfSilent }
    guard let rows = outcome.compared?.rows[population] else { return nil }
    let bootstrap = PairedBootstrap(
      tables: [rows], columns: ComparedTally.columns, seed: outcome.record.seed)
    guard let ratio = bootstrap.ratio(0, { ComparedTally.value(self, of: $0) }),
      ratio.value > 0
    else { return nil }
    // Tallies start with the scenario, and batch records after its ramp, so the two ratios differ.
    // The interval keeps the relative width of the tallies' interval.
    let factor = value / ratio.value
    return Ratio(value: value, low: ratio.low * factor, high: ratio.high * factor)
  }
}
