package import Capacity
internal import Core
package import Figures
internal import Scenarios
internal import Uploads

/// Measures how a scenario's results depend on its model: simulates it with the model's parameters
/// varied over their ranges, several runs at once, one thread each.
///
/// All runs but those of another seed have the scenario's seed. Draws are keyed by purpose, not by
/// order, so that the same people behave the same unless a varied parameter affects them (common
/// random numbers), and an irrelevant parameter has an effect of exactly zero.
package struct SensitivityStudy: Study {
  package let varied: VariedScenario
  package let figures: [StudyFigure]
  package let plan: RunPlan
  /// nil if no effects are requested.
  private let design: MorrisDesign?
  /// The places of the points.
  private let cube: [[Double]]

  /// - Parameter stars: The bases from which every parameter is moved once; 0 for no effects.
  /// - Parameter points: Of the Latin hypercube; 0 for no interval.
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
    cube = varied.hypercube(points: points)
  }

  enum Job: Equatable, Sendable {
    case asWritten
    case point(Int)
    case base(Int)
    case otherSeed(Int)
    /// A step from the base of a star along a parameter.
    case step(Int, Int)
  }

  struct Result: Sendable {
    /// By figure of the study; nil where unknown.
    var values: [Double?]
    var isLoss: Bool
    /// Of the scenario as written: intervals from resampled phones.
    var sampled: [Ratio?] = []
    /// The actual places of the run; nil for a blocked step, which was not run.
    var places: [Double]?
    /// The parameters moved because the scenario refused their values.
    var moved: [Int] = []
  }

  private var bases: [[Double]] { design?.bases ?? [] }

  /// Ordered so that a stopped study has the interval before the effects, and whole stars before
  /// halves.
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
    // Steps begin at bases, which are all valid before the first step.
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

  /// nil if it was stopped, or no valid scenario is near.
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

  /// Returns nil if stopped.
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
  /// The end of a step from a valid base along one parameter, shortened if the scenario refuses it;
  /// nil if it refuses every other value.
  func step(from base: [Double], along parameter: Int) -> Point? {
    var end = MorrisDesign.end(from: base[parameter])
    for attempt in 0...Self.shorteningsMax {
      var places = base
      places[parameter] = end
      let scenario: Scenario? = try? scenario(at: places)
      if let scenario {
        let places = written(places)
        // Rounding may have restored the original count.
        guard places[parameter] != base[parameter] else { return nil }
        return Point(
          places: places, scenario: scenario, moved: attempt > 0 ? [parameter] : [])
      }
      end = (end + base[parameter]) / 2
    }
    return nil
  }

  /// After this many halvings a step is a tenth of its length.
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
    // Tallies start with the scenario, batch records after its ramp: the interval has the same
    // relative width as theirs.
    let factor = value / ratio.value
    return Ratio(value: value, low: ratio.low * factor, high: ratio.high * factor)
  }
}
