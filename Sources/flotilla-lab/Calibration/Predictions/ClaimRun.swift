internal import Core
internal import Dispatch
internal import Foundation
internal import Scenarios
internal import Synchronization

struct ClaimRun: Sendable {
  static let seeds = 5
  static let firstSeed = 100

  private struct Place: Hashable {
    let measure, ofCase, part: Int
  }

  private struct Job {
    let world: ClaimWorld
    let seed: Int
    let places: [Place]
  }

  let measures: [ClaimMeasure]
  let bench: CalibrationBench

  var jobCount: Int { jobs.count }

  private var jobs: [Job] {
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
    return worlds.flatMap { world in
      (0..<Self.seeds).map { Job(world: world, seed: $0, places: places[world] ?? []) }
    }
  }

  private func part(_ place: Place) -> ClaimPart {
    measures[place.measure].cases[place.ofCase].parts[place.part]
  }

  /// - Parameter progress: called on the simulation thread before each world; false stops.
  /// - Returns: the cases' values, in the measures' order; nil if stopped before a case was
  ///   complete.
  /// - Throws: the first error of a required scenario.
  func values(
    progress: @Sendable (_ world: String, _ number: Int, _ of: Int) -> Bool
  ) throws -> [[(name: String, measured: Ratio?, phones: Band?)]?] {
    let figures = try figures(progress: progress)
    return measures.enumerated().map { m, measure in
      var values: [(name: String, measured: Ratio?, phones: Band?)] = []
      for (c, ofCase) in measure.cases.enumerated() {
        let parts = ofCase.parts.indices.map { Place(measure: m, ofCase: c, part: $0) }
        let runs = (0..<Self.seeds).map { seed in parts.compactMap { figures[$0]?[seed] } }
        guard runs.allSatisfy({ $0.count == parts.count }) else { return nil }
        let measured = UnitBootstrap.estimate(
          runs: runs, seed: bench.seeds.seed(0), statistic: ofCase.value)
        let phones = runs.flatMap { ofCase.phones($0) }
        let spread = Sample.quantile(phones, 0.05).map { Band($0, Sample.quantile(phones, 0.95)) }
        values.append((ofCase.name, measured, spread))
      }
      return values
    }
  }

  private func figures(
    progress: @Sendable (_ world: String, _ number: Int, _ of: Int) -> Bool
  ) throws -> [Place: [Int: [PhoneFigures]]] {
    let jobs = jobs
    let next = Mutex(0)
    let found = Mutex<[Place: [Int: [PhoneFigures]]]>([:])
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: max(1, min(bench.threads, jobs.count))) { _ in
      while true {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < jobs.count, failure.withLock({ $0 == nil }) else { return }
        let job = jobs[number]
        guard progress("\(job.world.name), seed \(job.seed + 1)", number + 1, jobs.count) else {
          return
        }
        do {
          let lived = try job.world.live(bench, seed: bench.seeds.seed(Self.firstSeed + job.seed))
          for place in job.places {
            let figures = part(place).figures(lived)
            found.withLock { $0[place, default: [:]][job.seed] = figures }
          }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return found.withLock { $0 }
  }
}

extension ClaimWorld {
  var name: String {
    switch self {
    case .fleet(let plan): plan.name
    case .people(let plan): plan.name
    }
  }

  func live(_ bench: CalibrationBench, seed: UInt64) throws -> LivedWorld {
    switch self {
    case .fleet(let plan): .fleet(try plan.live(bench, seed: seed))
    case .people(let plan): .people(try plan.live(bench, seed: seed))
    }
  }
}
