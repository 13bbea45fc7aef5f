internal import Core
internal import ServerLogic
internal import Wire

/// The run that this collector serves, with its request, clock and server logic. It is a class, so
/// that no mutation copies the table of phones. For the loop's thread only.
final class OpenedRun {
  let id: String
  private(set) var clock: PacedClock
  private(set) var cohorts: [CohortTerms]
  private var rollouts: [RolloutTerms] = []
  private var plan: RolloutPlan
  private var outages: OutagePlan
  /// The names of the phones' operating systems, in the order of the backend's parts.
  let systems: [String]
  private(set) var measureStart: SimInstant
  private(set) var measureEnd: SimInstant
  var backend: Backend
  var hasOpenedMeasure = false
  var hasClosedMeasure = false

  init(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    id = request.runID
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    rollouts = request.rollouts
    plan = Self.plan(request)
    outages = Self.outages(request)
    let systems = Set(request.cohorts.map(\.system)).sorted()
    self.systems = systems
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
    let ages = Set(FreshnessIntegral.customary + request.freshWithin)
    backend = Backend(
      phones: Int(request.phones), seed: request.seed, push: request.push,
      hashKey: request.hashKey, freshWithin: ages.sorted(),
      partOfCohort: request.cohorts.map { systems.firstIndex(of: $0.system) ?? 0 })
  }

  /// Returns why a request cannot reopen this run; nil if registrations stay valid.
  func fault(ofReopening request: OpenRunRequest) -> String? {
    if Int(request.phones) != backend.phones { return "the run has \(backend.phones) phones" }
    if request.cohorts.count < cohorts.count {
      return "this run was opened with \(cohorts.count) cohorts, not \(request.cohorts.count)"
    }
    return nil
  }

  /// Takes the clock, terms and outages of a client that returned or ends measuring earlier.
  func reopen(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    backend.parts.ofCohort = cohorts.map { systems.firstIndex(of: $0.system) }
    rollouts = request.rollouts
    plan = Self.plan(request)
    outages = Self.outages(request)
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
  }

  private static func outages(_ request: OpenRunRequest) -> OutagePlan {
    OutagePlan(request.outages.map { ($0.at, $0.lasts) })
  }

  func isDown(at instant: SimInstant) -> Bool { outages.isDown(at: instant) }

  private static func plan(_ request: OpenRunRequest) -> RolloutPlan {
    RolloutPlan(
      seed: request.seed,
      steps: request.rollouts.map {
        .init(at: $0.at, cohort: $0.cohort.map { Int($0) }, share: $0.share)
      })
  }

  // MARK: Settings (HY2)

  func settings(for phone: PhoneID, cohort: Int, at now: SimInstant) -> TrackerSettings {
    let newest = plan.newest(for: phone, cohort: cohort, at: now)
    return newest == 0 ? cohorts[cohort].settings : rollouts[newest - 1].settings
  }

  func settingsUpdate(for phone: PhoneID, has version: UInt32, at now: SimInstant)
    -> TrackerSettings?
  {
    // Most batches need one comparison only.
    guard version > 0, !plan.isEmpty, let cohort = backend.parts.cohort(of: phone) else {
      return nil
    }
    let wanted = settings(for: phone, cohort: cohort, at: now)
    return wanted.version > version ? wanted : nil
  }

  private static func clock(_ request: OpenRunRequest, _ wall: WallInstant) -> PacedClock {
    PacedClock(
      scenarioStart: request.clock.scenarioStart, wallStart: wall + request.clock.startsIn,
      speed: request.clock.speed, standsUntilStart: true)
  }

  // MARK: Duties

  enum Duty: Equatable {
    case openMeasure, closeMeasure, sweep
  }

  /// Returns the next duty in the order of scenario time; at one instant, the measured time opens
  /// or closes before the sweep. nil after the measured time, when no phone is pushed.
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
  func fault(phonesMax: Int) -> String? {
    if runID.isEmpty { return "run_id is empty" }
    // The run ID appears in logs, on pages and in terminals, so it must have no control characters.
    if runID.unicodeScalars.contains(where: ForeignText.isControl) {
      return "run_id has a control character"
    }
    if phones == 0 || Int(phones) > phonesMax { return "phones is \(phones); 1 to \(phonesMax)" }
    // The measured time of all phones must fit into a sum of microseconds.
    let measured = (clock.measureEnd - clock.measureStart).seconds
    if Double(phones) * measured > Self.phoneSecondsMax {
      return "\(phones) phones × \(Int(measured)) s of measured time; the maximum is 4e12 s"
    }
    // Sweeps have numbers that count from 1970.
    if push.sweep < .seconds(1) || clock.measureEnd > push.numberedUntil {
      return "sweep_us is \(push.sweep.microseconds); at least 1000000, from 2038 on 2000000"
    }
    if push.spacing < push.within {
      return "spacing is shorter than within: two pushes to a phone could be open"
    }
    if push.backoff.after > 0, !(push.backoff.factor >= 1) { return "backoff.factor is below 1" }
    if cohorts.count > 255 || rollouts.count > 255 { return "more than 255 cohorts or rollouts" }
    // Each age and each outage is checked for every batch.
    if freshWithin.count > 255 || outages.count > 1_000 {
      return "more than 255 ages in fresh_within_us, or more than 1000 outages"
    }
    // The name is a label of the metrics.
    if !cohorts.allSatisfy({ $0.system.isEmpty || SystemKind(rawValue: $0.system) != nil }) {
      return "the system of a cohort is neither iOS nor Android"
    }
    return nil
  }

  /// The maximum measured time of all phones, in seconds: 1.5 million phones for a month.
  private static let phoneSecondsMax = 4e12
}
