internal import Capacity
internal import Foundation
internal import Run
internal import Scenarios
internal import Synchronization

/// Simulates every claim at the points of a Latin hypercube over the ranges of the model's
/// parameters, or at chosen points, and with the shipped values.
///
/// At one point, a parameter has the same position in its range in all worlds. Point n has seed
/// n modulo 5, so that points differ in their people as well, and two builds have the same people.
struct RangeStudy: Sendable {
  let claims: [RegisteredClaim]
  let points: Int
  /// The number of last points that cover the whole ranges, beside the points with matched sets; 0
  /// if there are no matched sets.
  private(set) var wholeRanges = 0
  /// The positions of parameters at all points, by key. Other parameters follow the hypercube.
  let columns: [String: [Double]]
  let run: ClaimRun
  let commit: String

  /// The values that the model draws for each figure, by claim and case.
  typealias Draws = [String: [[Double]]]

  /// The finished part of a study, as its file contains it.
  struct Progress: Codable, Equatable, Sendable {
    /// The identity of the study. The file of a study with another identity is not continued.
    let study: String
    /// The draws by point. The points after the hypercube's last have the shipped values.
    var draws: [Int: Draws] = [:]
  }

  /// - Parameters:
  ///   - claims: the claims; only those with a measure are simulated.
  ///   - points: the number of points of the hypercube.
  ///   - columns: the chosen positions of parameters, by key.
  ///   - commit: the commit of the program, for the record.
  init(
    _ bench: CalibrationBench, _ claims: [RegisteredClaim],
    _ measures: [ClaimMeasure] = ClaimRegistry.measures, points: Int,
    columns: [String: [Double]] = [:], commit: String = ""
  ) {
    let ids = Set(claims.map(\.id))
    self.claims = claims
    self.points = points
    self.columns = columns
    self.commit = commit
    run = ClaimRun(measures: measures.filter { ids.contains($0.id) }, bench: bench)
  }

  /// Creates a study of `points` matched sets and, for comparison, as many points of the whole
  /// ranges.
  ///
  /// - Throws: the first error of a scenario.
  static func matched(
    _ sets: MatchedSets, _ bench: CalibrationBench, _ claims: [RegisteredClaim],
    _ measures: [ClaimMeasure] = ClaimRegistry.measures, points: Int, commit: String = ""
  ) throws -> RangeStudy {
    let empty = RangeStudy(bench, claims, measures, points: 0)
    var columns: [String: [Double]] = [:]
    for (key, parameter) in try VariedWorlds(empty).parameters() {
      let whole = VariedScenario.column(of: key, points: points)
      columns[key] = (parameter.places(of: key, in: sets, points: points) ?? whole) + whole
    }
    var study = RangeStudy(
      bench, claims, measures, points: 2 * points, columns: columns, commit: commit)
    study.wholeRanges = points
    return study
  }

  // MARK: Simulation

  /// - Parameter shipped: The number of seeds that are also simulated with the shipped values.
  func numbers(shipped: Int) -> Range<Int> { 0..<(points + shipped) }

  /// - Parameters:
  ///   - done: the finished part of an earlier run, which is not simulated again.
  ///   - shouldStop: called on simulation threads before each world.
  ///   - keep: takes the finished part after each point, on a simulation thread.
  /// - Throws: the first error of a scenario or of `keep`.
  func simulate(
    _ done: Progress, shipped: Int = 0, shouldStop: @Sendable () -> Bool = { false },
    keep: @Sendable (Progress) throws -> Void = { _ in }
  ) throws -> Progress {
    let open = numbers(shipped: shipped).filter { done.draws[$0] == nil }
    let varied = VariedWorlds(self)
    let jobs = open.flatMap { number in
      run.worlds.indices.map { ClaimRun.Job(world: $0, number: number) }
    }
    let state = Mutex(State(done: done, worlds: run.worlds.count))
    if run.worlds.isEmpty {
      state.withLock { state in for number in open { state.done.draws[number] = [:] } }
    }
    try run.simulate(jobs) { job, _ in
      if shouldStop() { return nil }
      // A point without a valid scenario has no phones, and hence no value.
      guard let scenario = try varied.scenario(of: job) else { return .people([]) }
      return run.worlds[job.world].live(scenario)
    } ended: { job, figures in
      try state.withLock { state in
        guard let complete = state.note(figures, of: job) else { return }
        state.done.draws[job.number] = draws(complete, at: job.number)
        try keep(state.done)
      }
    }
    return state.withLock { $0.done }
  }

  private typealias Figures = [ClaimRun.Place: [PhoneFigures]]

  private struct State {
    var done: Progress
    /// The number of worlds at each point.
    let worlds: Int
    private var open: [Int: (worlds: Int, figures: Figures)] = [:]

    init(done: Progress, worlds: Int) {
      self.done = done
      self.worlds = worlds
    }

    /// Returns the figures of a point once its last world has ended; nil before.
    mutating func note(_ figures: Figures, of job: ClaimRun.Job) -> Figures? {
      open[job.number, default: (0, [:])].worlds += 1
      open[job.number]?.figures.merge(figures) { $1 }
      guard open[job.number]?.worlds == worlds else { return nil }
      return open.removeValue(forKey: job.number)?.figures
    }
  }

  private func draws(_ figures: Figures, at number: Int) -> Draws {
    var draws: Draws = [:]
    for (m, measure) in run.measures.enumerated() {
      guard let claim = claims.first(where: { $0.id == measure.id }) else { continue }
      var cases: [[Double]] = []
      for (c, ofCase) in measure.cases.enumerated() {
        let parts = ofCase.parts.indices.compactMap { part in
          figures[ClaimRun.Place(measure: m, ofCase: c, part: part)]
        }
        cases.append(ofCase.draws(of: claim.observation.of, parts, key: number))
      }
      draws[measure.id] = cases
    }
    return draws
  }

  // MARK: Result

  /// Returns the forecasts from the finished points of the matched sets, or, without such sets,
  /// those of the hypercube.
  func forecasts(_ progress: Progress) -> [ClaimForecast] {
    forecasts(progress, 0..<(points - wholeRanges))
  }

  /// Returns the forecasts from the points of the whole ranges that accompany matched sets.
  func whole(_ progress: Progress) -> [ClaimForecast] {
    forecasts(progress, (points - wholeRanges)..<points)
  }

  /// Returns the forecasts from the shipped values, which vary only by phones and seeds.
  func shipped(_ progress: Progress) -> [ClaimForecast] {
    forecasts(progress, points..<(points + ClaimRun.seeds))
  }

  private func forecasts(_ progress: Progress, _ numbers: Range<Int>) -> [ClaimForecast] {
    let draws = numbers.compactMap { progress.draws[$0] }
    return claims.map { claim in
      guard run.measures.contains(where: { $0.id == claim.id }) else {
        return ClaimForecast(claim, notJudged: ClaimRegistry.reason(claim.id))
      }
      return ClaimForecast(claim, draws.map { $0[claim.id] ?? [] }, commit: commit)
    }
  }
}

/// The scenarios of worlds at points, each read only once.
final class VariedWorlds: Sendable {
  private struct World {
    let varied: VariedScenario
    let columns: [[Double]]
  }

  private let study: RangeStudy
  private let worlds: Mutex<[Int: World]> = Mutex([:])

  init(_ study: RangeStudy) { self.study = study }

  /// Returns the parameters of all worlds by key.
  func parameters() throws -> [String: VariedParameter] {
    var parameters: [String: VariedParameter] = [:]
    for number in study.run.worlds.indices {
      let varied = try world(number).varied
      parameters.merge(zip(varied.keys, varied.parameters)) { first, _ in first }
    }
    return parameters
  }

  /// Returns the keys of the parameters of a claim's worlds.
  func keys(of claim: String) throws -> Set<String> {
    let run = study.run
    return try run.measures.indices.filter { run.measures[$0].id == claim }
      .flatMap { run.worlds(of: $0) }
      .reduce(into: []) { $0.formUnion(try world($1).varied.keys) }
  }

  /// Returns nil if no valid scenario is near the point.
  func scenario(of job: ClaimRun.Job) throws -> Scenario? {
    let (run, seed) = (study.run, study.run.seed(job.number))
    guard job.number < study.points else {
      return try run.worlds[job.world].scenario(run.bench.library, seed: seed)
    }
    let world = try world(job.world)
    let places = world.columns.map { $0[job.number] }
    var scenario = world.varied.point(at: places)?.scenario
    scenario?.seed = seed
    return scenario
  }

  private func world(_ number: Int) throws -> World {
    if let known = worlds.withLock({ $0[number] }) { return known }
    let (library, plan) = (study.run.bench.library, study.run.worlds[number])
    let conditions = plan.conditions
    let varied = try VariedScenario(
      plan.scenario(library, seed: study.run.seed(0)), library: library,
      holding: { path in conditions.contains { VariedScenario.isSet(path, by: $0) } })
    let world = World(
      varied: varied, columns: varied.columns(points: study.points, besides: study.columns))
    worlds.withLock { $0[number] = world }
    return world
  }
}
