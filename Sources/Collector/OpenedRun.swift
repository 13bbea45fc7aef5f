internal import Figures
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Wire

/// Holds the run that this collector serves: its client's request, its clock and its server logic.
///
/// It is a class, so that no second copy of the table can exist, which a mutation would then have
/// to duplicate. Belongs to the loop's thread.
final class OpenedRun {
  let id: String
  private(set) var clock: PacedClock
  private(set) var cohorts: [CohortTerms]
  private var rollouts: [RolloutTerms] = []
  private var plan: RolloutPlan
  private var outages: OutagePlan
  /// Holds each phone's cohort, as it registered or as its row was restored.
  private var cohortOf: [UInt8?]
  private(set) var measureStart: SimInstant
  private(set) var measureEnd: SimInstant
  var backend: Backend
  /// Says which of the measured time's two ends are over.
  var hasOpenedMeasure = false
  var hasClosedMeasure = false

  init(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    id = request.runID
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    rollouts = request.rollouts
    plan = Self.plan(request)
    outages = Self.outages(request)
    cohortOf = .init(repeating: nil, count: Int(request.phones))
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
    let ages = Set(FreshnessIntegral.customary + request.freshWithin)
    backend = Backend(
      phones: Int(request.phones), seed: request.seed, push: request.push,
      hashKey: request.hashKey, freshWithin: ages.sorted())
  }

  /// Returns why a request cannot be this run's, as a sentence; nil where it can: what phones have
  /// registered with goes on to hold.
  func fault(ofReopening request: OpenRunRequest) -> String? {
    if Int(request.phones) != backend.phones { return "this run was opened with other phones" }
    if request.cohorts.count < cohorts.count {
      return "this run was opened with \(cohorts.count) cohorts, and not \(request.cohorts.count)"
    }
    return nil
  }

  /// Takes the same run again, from a client that is back or that ends its measured time earlier:
  /// its mapping of the clock is replaced, and everything known is kept.
  func reopen(_ request: OpenRunRequest, receivedAt wall: WallInstant) {
    clock = Self.clock(request, wall)
    cohorts = request.cohorts
    rollouts = request.rollouts
    plan = Self.plan(request)
    outages = Self.outages(request)
    measureStart = request.clock.measureStart
    measureEnd = request.clock.measureEnd
  }

  private static func outages(_ request: OpenRunRequest) -> OutagePlan {
    OutagePlan(request.outages.map { ($0.at, $0.lasts) })
  }

  /// Is true during an outage of this server in the scenario.
  func isDown(at instant: SimInstant) -> Bool { outages.isDown(at: instant) }

  private static func plan(_ request: OpenRunRequest) -> RolloutPlan {
    RolloutPlan(
      seed: request.seed,
      steps: request.rollouts.map {
        .init(at: $0.at, cohort: $0.cohort.map { Int($0) }, share: $0.share)
      })
  }

  // MARK: Settings (HY2)

  func note(_ phone: PhoneID, cohort: Int) {
    if cohorts.indices.contains(cohort) { cohortOf[Int(phone.rawValue)] = UInt8(clamping: cohort) }
  }

  /// Returns the settings that the server wants a phone to use.
  func settings(for phone: PhoneID, cohort: Int, at now: SimInstant) -> TrackerSettings {
    let newest = plan.newest(for: phone, cohort: cohort, at: now)
    return newest == 0 ? cohorts[cohort].settings : rollouts[newest - 1].settings
  }

  /// Returns the settings that an ack has to carry: newer ones than the phone reports; nil for
  /// none.
  func settingsUpdate(for phone: PhoneID, has version: UInt32, at now: SimInstant)
    -> TrackerSettings?
  {
    // The common case costs one comparison per batch.
    guard version > 0, !plan.isEmpty, Int(phone.rawValue) < cohortOf.count,
      let cohort = cohortOf[Int(phone.rawValue)]
    else { return nil }
    let wanted = settings(for: phone, cohort: Int(cohort), at: now)
    return wanted.version > version ? wanted : nil
  }

  private static func clock(_ request: OpenRunRequest, _ wall: WallInstant) -> PacedClock {
    PacedClock(
      scenarioStart: request.clock.scenarioStart, wallStart: wall + request.clock.startsIn,
      speed: request.clock.speed, standsUntilStart: true)
  }

  // MARK: Duties

  /// Is what the clock requires of the server next.
  enum Duty: Equatable {
    case openMeasure, closeMeasure, sweep
  }

  /// Returns the next duty in scenario order; at one instant the measured time opens or closes
  /// before the sweep. After its end no phone is pushed.
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
  /// Says what is wrong with the request, as a sentence; nil where nothing is.
  func fault(phonesMax: Int) -> String? {
    if runID.isEmpty { return "run_id is empty" }
    // It stands in logs, on pages and in terminals.
    if runID.unicodeScalars.contains(where: ForeignText.isControl) {
      return "run_id has a control character"
    }
    if phones == 0 || Int(phones) > phonesMax { return "phones is \(phones); 1 to \(phonesMax)" }
    // Freshness sums the time of all phones, in microseconds.
    let measured = (clock.measureEnd - clock.measureStart).seconds
    if Double(phones) * measured > Self.phoneSecondsMax {
      return "\(phones) phones for \(Int(measured)) s are measured; at most 4e12 seconds in all"
    }
    // Sweeps are numbered from 1970.
    if push.sweep < .seconds(1) || clock.measureEnd > push.numberedUntil {
      return "sweep_us is \(push.sweep.microseconds); at least 1000000, from 2038 on 2000000"
    }
    if push.spacing < push.within {
      return "spacing is shorter than within, so that two pushes of a phone could be open"
    }
    if push.backoff.after > 0, !(push.backoff.factor >= 1) { return "backoff.factor is below 1" }
    if cohorts.count > 255 || rollouts.count > 255 { return "more than 255 cohorts or rollouts" }
    // Each is looked at for every batch.
    if freshWithin.count > 255 || outages.count > 1_000 {
      return "more than 255 ages in fresh_within_us, or more than 1000 outages"
    }
    return nil
  }

  /// The most phone-time that is measured, in seconds: 1.5 million phones for a month.
  private static let phoneSecondsMax = 4e12
}
