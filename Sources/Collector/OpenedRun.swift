internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Wire

/// The run that this collector serves: what its client asked for, its clock and its brain.
///
/// A class, so that nobody ever holds a second copy of the table, which a mutation would then
/// have to duplicate. Belongs to the loop's thread.
final class OpenedRun {
  let id: String
  private(set) var clock: ScenarioClock
  private(set) var cohorts: [CohortTerms]
  private(set) var measureStart: SimInstant
  private(set) var measureEnd: SimInstant
  var backend: Backend
  /// What is over of the measured time.
  var hasOpenedMeasure = false
  var hasClosedMeasure = false

  init(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    id = request.runID
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
    let ages = Set(FreshnessIntegral.customary + request.freshWithin)
    backend = Backend(
      phones: Int(request.phones), seed: request.seed, push: PushSettings(request.push),
      hashKey: request.hashKey, freshWithin: ages.sorted())
  }

  /// The same run again, from a client that is back or that ends its measured time earlier: its
  /// mapping of the clock is taken over, everything known stays.
  func reopen(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
  }

  private static func clock(_ request: OpenRunRequest, _ wall: WallInstant) -> ScenarioClock {
    ScenarioClock(
      start: request.clock.scenarioStart, liveAt: wall + request.clock.startsIn,
      speed: request.clock.speed)
  }

  // MARK: Duties

  /// What the clock asks the server to do next.
  enum Duty: Equatable {
    case openMeasure, closeMeasure, sweep
  }

  /// In scenario order; at one instant the measured time opens or closes before the sweep. After
  /// its end nobody is pushed any more.
  func nextDuty(after last: SimInstant) -> (duty: Duty, at: SimInstant)? {
    guard !hasClosedMeasure else { return nil }
    let sweep = backend.nextSweep(after: last)
    if !hasOpenedMeasure, measureStart <= sweep { return (.openMeasure, measureStart) }
    return measureEnd <= sweep ? (.closeMeasure, measureEnd) : (.sweep, sweep)
  }

  func openMeasure() {
    hasOpenedMeasure = true
    backend.openMeasure(at: measureStart)
  }

  func closeMeasure() {
    hasClosedMeasure = true
    backend.closeMeasure(at: measureEnd)
  }
}

extension OpenRunRequest {
  /// What is wrong with the request, as a sentence; nil: nothing.
  func fault(phonesMax: Int) -> String? {
    if runID.isEmpty { return "run_id is empty" }
    if phones == 0 || Int(phones) > phonesMax { return "phones is \(phones); 1 to \(phonesMax)" }
    if !(clock.speed > 0) || !clock.speed.isFinite { return "speed is \(clock.speed); above 0" }
    if PushSettings.Scheduler(rawValue: push.scheduler) == nil {
      return "scheduler is '\(push.scheduler)'; 'fixed' or 'none'"
    }
    if push.sweep <= .zero { return "sweep_us is \(push.sweep.microseconds); above 0" }
    if push.spacing < push.within {
      return "spacing is shorter than within, so that two pushes of a phone could be open"
    }
    if !(0...1).contains(push.holdout) { return "holdout is \(push.holdout); 0 to 1" }
    if !(push.rate.perSecond >= 0) { return "rate_per_second is below 0" }
    return nil
  }
}

extension PushSettings {
  /// The server knows nothing of the phone's own budget.
  fileprivate init(_ terms: PushTerms) {
    self.init(
      scheduler: Scheduler(rawValue: terms.scheduler) ?? .none, silentAfter: terms.silentAfter,
      within: terms.within, sweep: terms.sweep, spacing: terms.spacing, rate: terms.rate,
      holdout: terms.holdout, jitter: terms.jitter, accuracyLimit: terms.accuracyLimit,
      expiration: terms.expiration, bucketCapacity: 0, bucketRefillPerHour: 0)
  }
}
