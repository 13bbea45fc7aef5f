internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Synchronization

/// Simulates every claim at the points of a Latin hypercube over the ranges of the model's
/// parameters, and with the shipped values.
///
/// At one point, a parameter has the same position in its range in all worlds. Point n has seed
/// n modulo 5, so that points differ in their people as well, and two builds have the same people.
struct RangeStudy: Sendable {
  let claims: [RegisteredClaim]
  let points: Int
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
  ///   - commit: the commit of the program, for the record.
  init(
    _ bench: CalibrationBench, _ claims: [RegisteredClaim],
    _ measures: [ClaimMeasure] = ClaimRegistry.measures, points: Int, commit: String = ""
  ) {
    let ids = Set(claims.map(\.id))
    self.claims = claims
    self.points = points
    self.commit = commit
    run = ClaimRun(measures: measures.filter { ids.contains($0.id) }, bench: bench)
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
    let jobs = open.flatMap { number in
      run.worlds.indices.map { ClaimRun.Job(world: $0, number: number) }
    }
    let varied = VariedWorlds(self)
    let state = Mutex(State(done: done, worlds: run.worlds.count))
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
      draws[measure.id] = measure.cases.enumerated().map { c, ofCase in
        let parts = ofCase.parts.indices.map { part in
          figures[ClaimRun.Place(measure: m, ofCase: c, part: part)] ?? []
        }
        return ofCase.draws(of: claim.observation.of, parts, key: number)
      }
    }
    return draws
  }

  // MARK: Result

  /// Returns the forecasts from the finished points of the hypercube.
  func forecasts(_ progress: Progress) -> [ClaimForecast] {
    forecasts(progress, numbers(shipped: 0))
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
private final class VariedWorlds: Sendable {
  private struct World {
    let varied: VariedScenario
    let places: [[Double]]
  }

  private let study: RangeStudy
  private let worlds: Mutex<[Int: World]> = Mutex([:])

  init(_ study: RangeStudy) { self.study = study }

  /// Returns nil if no valid scenario is near the point.
  func scenario(of job: ClaimRun.Job) throws -> Scenario? {
    let (run, seed) = (study.run, study.run.seed(job.number))
    guard job.number < study.points else {
      return try run.worlds[job.world].scenario(run.bench.library, seed: seed)
    }
    let world = try world(job.world)
    var scenario = world.varied.point(at: world.places[job.number])?.scenario
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
    let world = World(varied: varied, places: varied.hypercube(points: study.points))
    worlds.withLock { $0[number] = world }
    return world
  }
}
