internal import Core
internal import Dispatch
internal import Foundation
internal import Scenarios
internal import Synchronization

struct ClaimRun: Sendable {
  static let seeds = 5

  struct Place: Hashable {
    let measure, ofCase, part: Int
  }

  /// A simulation of one world.
  struct Job: Sendable {
    /// The index of the simulated world in `worlds`.
    let world: Int
    /// The number of the seed, or of the hypercube's point.
    let number: Int
  }

  let measures: [ClaimMeasure]
  let bench: CalibrationBench
  let worlds: [ClaimWorld]
  /// The parts of measures, by the index of the world that yields their figures.
  private let places: [[Place]]

  init(measures: [ClaimMeasure], bench: CalibrationBench) {
    self.measures = measures
    self.bench = bench
    var worlds: [ClaimWorld] = []
    var places: [ClaimWorld: [Place]] = [:]
    for (m, measure) in measures.enumerated() {
      for (c, ofCase) in measure.cases.enumerated() {
        for (p, part) in ofCase.parts.enumerated() {
          if places[part.world] == nil { worlds.append(part.world) }
          places[part.world, default: []].append(Place(measure: m, ofCase: c, part: p))
        }
      }
    }
    self.worlds = worlds
    self.places = worlds.map { places[$0] ?? [] }
  }

  /// Returns the indices of the worlds that a measure needs.
  func worlds(of measure: Int) -> [Int] {
    places.indices.filter { world in places[world].contains { $0.measure == measure } }
  }

  var jobCount: Int { worlds.count * Self.seeds }

  /// Returns the seed of a simulation by its number modulo five.
  func seed(_ number: Int) -> UInt64 { bench.seeds.seed(100 + number % Self.seeds) }

  /// - Parameter progress: Called on the simulation thread before each world; false stops.
  /// - Returns: the values of all cases by measure; nil if stopped before a case was complete.
  /// - Throws: the first error of a required scenario.
  func values(
    progress: @Sendable (_ world: String, _ number: Int, _ of: Int) -> Bool
  ) throws -> [[(name: String, measured: Ratio?, phones: Band?)]?] {
    let jobs = worlds.indices.flatMap { world in
      (0..<Self.seeds).map { Job(world: world, number: $0) }
    }
    let found = Mutex<[Place: [Int: [PhoneFigures]]]>([:])
    try simulate(jobs) { job, place in
      let world = worlds[job.world]
      guard progress("\(world.name), seed \(job.number + 1)", place + 1, jobs.count) else {
        return nil
      }
      return world.live(try world.scenario(bench.library, seed: seed(job.number)))
    } ended: { job, figures in
      found.withLock { found in
        for (place, figures) in figures { found[place, default: [:]][job.number] = figures }
      }
    }
    let figures = found.withLock { $0 }
    return measures.enumerated().map { m, measure in
      var values: [(name: String, measured: Ratio?, phones: Band?)] = []
      for (c, ofCase) in measure.cases.enumerated() {
        let runs = (0..<Self.seeds).map { seed in
          ofCase.parts.indices.compactMap { part in
            figures[Place(measure: m, ofCase: c, part: part)]?[seed]
          }
        }
        guard runs.allSatisfy({ $0.count == ofCase.parts.count }) else { return nil }
        let measured = UnitBootstrap.estimate(
          runs: runs, seed: bench.seeds.seed(0), statistic: ofCase.value)
        let phones = runs.flatMap { ofCase.phones($0) }
        let spread = Sample.quantile(phones, 0.05).map { Band($0, Sample.quantile(phones, 0.95)) }
        values.append((ofCase.name, measured, spread))
      }
      return values
    }
  }

  /// Runs jobs in order on the bench's threads.
  ///
  /// - Parameters:
  ///   - live: simulates the world of a job, whose index in `jobs` is `place`; nil stops.
  ///   - ended: takes the figures of a job, on the same thread.
  func simulate(
    _ jobs: [Job], live: @Sendable (_ job: Job, _ place: Int) throws -> LivedWorld?,
    ended: @Sendable (Job, [Place: [PhoneFigures]]) throws -> Void
  ) throws {
    let next = Mutex(0)
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: max(1, min(bench.threads, jobs.count))) { _ in
      while true {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < jobs.count, failure.withLock({ $0 == nil }) else { return }
        let job = jobs[number]
        do {
          guard let lived = try live(job, number) else { return }
          var figures: [Place: [PhoneFigures]] = [:]
          for place in places[job.world] {
            let part = measures[place.measure].cases[place.ofCase].parts[place.part]
            figures[place] = part.figures(lived)
          }
          try ended(job, figures)
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

extension ClaimWorld {
  var name: String {
    switch self {
    case .fleet(let plan): plan.name
    case .people(let plan): plan.name
    }
  }

  /// The paths of the settings that the claim makes; see `FleetPlan.conditions`.
  var conditions: [String] {
    switch self {
    case .fleet(let plan): plan.conditions
    case .people: []
    }
  }

  func scenario(_ library: ScenarioLibrary, seed: UInt64) throws(ScenarioError) -> Scenario {
    let (name, settings) =
      switch self {
      case .fleet(let plan): (plan.place.rawValue, plan.settings)
      case .people(let plan): (plan.scenario, [])
      }
    return try library.load(
      name, settings: (["seed=\(seed)"] + settings).map { ScenarioChange($0) })
  }

  func live(_ scenario: Scenario) -> LivedWorld {
    switch self {
    case .fleet(let plan): .fleet(plan.live(scenario))
    case .people(let plan): .people(plan.live(scenario))
    }
  }
}
