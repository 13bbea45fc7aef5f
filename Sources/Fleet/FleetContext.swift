package import Core
package import Phone
package import Push
package import Scenarios
package import ServerLogic

package final class FleetContext: Sendable {
  package let scenario: Scenario
  package let town: Town
  let people: LentList<Habits>
  private let fixMaker: FixMaker
  /// Copies of the scenario's values, because reading them in `scenario` would copy the scenario.
  let clock: CivilClock
  let measureEnd: SimInstant
  private let policyCount: Int
  /// Each cohort's agenda, or the recordings that its phones use in turn.
  private let courses: [[Course]]
  package let dataPath: DataPath
  package let provider: PushProvider
  /// The first phone of each cohort; the last entry is the fleet's size.
  package let cohortStarts: [Int]
  let packsPhones: Bool
  package let rollouts: RolloutPlan
  private let rolloutPolicies: [UInt8]
  let systems: LentList<Device.Context>
  private let planes: LentList<CohortPlanes>
  let updates: LentList<UpdateHabits>
  let reinstalls: LentList<ReinstallHabits>

  package var hashKey: UInt64 { dataPath.hashKey }
  package var epoch: UInt32 { dataPath.epoch }
  package var outages: OutagePlan { dataPath.outages }

  /// The key of the hash over batches, drawn from the seed.
  package static func hashKey(seed: UInt64) -> UInt64 { Draw.mix(seed ^ 0x466C_6F74_696C_6C61) }

  package static let firstEpoch: UInt32 = 1

  /// Creates the context of a scenario, and shifts recordings to the scenario's time.
  ///
  /// - Parameter packs: whether phones at rest are packed; nil packs the phones of a large fleet.
  ///   Packing affects memory and time, not behaviour.
  package init(_ scenario: Scenario, epoch: UInt32 = FleetContext.firstEpoch, packs: Bool? = nil) {
    self.scenario = scenario
    packsPhones = packs ?? (scenario.fleet.phones > PhoneStore.plainMax)
    (clock, measureEnd) = (scenario.clock, scenario.measureEnd)
    policyCount = scenario.policies.count
    town = Town(seed: scenario.seed, city: scenario.city)
    people = LentList(
      scenario.fleet.cohorts.map {
        Habits(seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, faults: scenario.faults)
      })
    fixMaker = FixMaker(
      seed: scenario.seed, projection: scenario.projection, sensors: scenario.sensors.value)
    dataPath = DataPath(
      seed: scenario.seed, model: scenario.network, encoding: scenario.encoding, epoch: epoch,
      hashKey: Self.hashKey(seed: scenario.seed),
      outages: OutagePlan(
        scenario.faults.filter { $0.kind == .serverOutage }.map { ($0.at, $0.lasts) }))
    provider = PushProvider(
      seed: scenario.seed, settings: scenario.push.provider, faults: scenario.faults)
    let starts = Self.cohortStarts(scenario)
    cohortStarts = starts
    courses = scenario.fleet.cohorts.map { [town] in Self.courses($0, scenario, town) }
    (planes, systems) = Self.systems(scenario, courses, starts, fixMaker, town, dataPath)
    updates = LentList(
      scenario.fleet.cohorts.map {
        UpdateHabits(
          seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, Self.battery($0, scenario))
      })
    reinstalls = LentList(
      scenario.fleet.cohorts.map {
        ReinstallHabits(
          seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, clock: scenario.clock)
      })
    rollouts = RolloutPlan(
      seed: scenario.seed,
      steps: scenario.rollouts.map { .init(at: $0.at, cohort: $0.cohort, share: $0.share) })
    rolloutPolicies = scenario.rollouts.map { UInt8($0.policy) }
  }

  deinit {
    people.free()
    systems.free()
    planes.free()
    updates.free()
    reinstalls.free()
  }

  static func cohortStarts(_ scenario: Scenario) -> [Int] {
    var starts = [0]
    var share = 0.0
    for cohort in scenario.fleet.cohorts {
      share += cohort.share
      starts.append(Int((share * Double(scenario.fleet.phones)).rounded()))
    }
    starts[starts.count - 1] = scenario.fleet.phones
    return starts
  }

  package func cohort(of phone: Int) -> Int {
    for i in 1..<cohortStarts.count where phone < cohortStarts[i] { return i - 1 }
    return cohortStarts.count - 2
  }

  func policy(ofRollout number: UInt8) -> UInt8 { rolloutPolicies[Int(number) - 1] }
  package func habits(_ cohort: Int) -> Habits { people[cohort] }
  package func prices(_ cohort: Int) -> EnergyPrices { systems[planes[cohort].first].prices }
  package func clocks(_ cohort: Int) -> PhoneClocks { systems[planes[cohort].first].clocks }
  package func battery(_ cohort: Int) -> BatteryConditions { systems[planes[cohort].first].battery }

  /// Returns the phone's timestamps (CK2), used only on the wire and in the hashes of batches.
  package func stamps(of phone: PhoneID, cohort: Int) -> PhoneStamps {
    PhoneStamps(clocks(cohort), of: phone)
  }

  // MARK: Systems

  private struct CohortPlanes: BitwiseCopyable, Sendable {
    var first: Int
    var recordings: Int
    var firstPhone: Int
  }

  private static func systems(
    _ scenario: Scenario, _ courses: [[Course]], _ cohortStarts: [Int], _ maker: FixMaker,
    _ town: Town, _ path: DataPath
  ) -> (LentList<CohortPlanes>, LentList<Device.Context>) {
    var planes: [CohortPlanes] = []
    var systems: [(cohort: Cohort, policy: Policy, maker: FixMaker, course: Course)] = []
    for (number, cohort) in scenario.fleet.cohorts.enumerated() {
      planes.append(
        CohortPlanes(
          first: systems.count, recordings: courses[number].count,
          firstPhone: cohortStarts[number]))
      for course in courses[number] {
        let maker = course.track.map { fixMaker(on: $0.projection, scenario) } ?? maker
        systems += scenario.policies.map { (cohort, $0, maker, course) }
      }
    }
    let contexts = LentList(count: systems.count) { n in
      let cohort = systems[n].cohort
      return Device.Context(
        seed: scenario.seed, profile: cohort.os.value,
        significantChange: cohort.significantChange.value,
        policy: systems[n].policy.settings, maker: systems[n].maker,
        battery: Self.battery(cohort, scenario),
        push: PushConditions(
          seed: scenario.seed, cohort.os.value.system, scenario.push.request, scenario.push.phone,
          mix: cohort.phone ?? scenario.fleet.phone, clock: scenario.clock),
        permission: PermissionConditions(
          seed: scenario.seed, mix: cohort.phone ?? scenario.fleet.phone,
          until: scenario.measureEnd),
        places: Self.places(systems[n].policy.settings, of: cohort, town),
        memory: MemoryConditions(
          seed: scenario.seed, mix: cohort.phone ?? scenario.fleet.phone,
          app: systems[n].policy.settings.app),
        prices: EnergyPrices(cohort.energy.value),
        clocks: PhoneClocks(seed: scenario.seed, mix: cohort.phone ?? scenario.fleet.phone),
        path: path, course: systems[n].course)
    }
    return (LentList(planes), contexts)
  }

  /// Returns the places that a policy's app knows; the places of a recording are unknown.
  private static func places(
    _ policy: PolicySettings, of cohort: Cohort, _ town: Town
  ) -> PlaceBook? {
    guard let rule = policy.places else { return nil }
    switch cohort.mobility {
    case .agenda(let kind): return PlaceBook(of: rule, town: town, kind: kind)
    case .recorded: return nil
    }
  }

  private static func battery(_ cohort: Cohort, _ scenario: Scenario) -> BatteryConditions {
    BatteryConditions(
      seed: scenario.seed, mix: cohort.phone ?? scenario.fleet.phone, clock: scenario.clock,
      EnergyPrices(cohort.energy.value))
  }

  @inline(__always) func system(of phone: borrowing Device) -> Int {
    let planes = planes[Int(phone.cohort)]
    var plane = 0
    if planes.recordings > 1 {
      plane = (Int(phone.id.rawValue) - planes.firstPhone) % planes.recordings
    }
    return planes.first + plane * policyCount + Int(phone.policy)
  }

  // MARK: Truth

  private static func courses(_ cohort: Cohort, _ scenario: Scenario, _ town: Town) -> [Course] {
    switch cohort.mobility {
    case .agenda(let kind): [.agenda(town, kind)]
    case .recorded(let replay):
      replay.recordings.map { number in
        let recording = scenario.recordings[number]
        return .recorded(
          RecordedTrack(
            recording,
            shift: replay.shift(of: recording, start: scenario.start, clock: scenario.clock)))
      }
    }
  }

  private func course(of phone: PhoneID, cohort: Int) -> Course {
    let courses = courses[cohort]
    return courses[(Int(phone.rawValue) - cohortStarts[cohort]) % courses.count]
  }

  package func track(of phone: PhoneID, cohort: Int) -> RecordedTrack? {
    course(of: phone, cohort: cohort).track
  }

  /// Returns how much later a phone replays a recording that phones before it replay too, so that
  /// the copies do not send at the same instant.
  func replayDelay(of phone: PhoneID, cohort: Int) -> SimDuration {
    let copy = (Int(phone.rawValue) - cohortStarts[cohort]) / courses[cohort].count
    guard copy > 0 else { return .zero }
    var draw = Draw(seed: scenario.seed, phone: phone.rawValue, .replayDelay)
    return SimDuration(seconds: draw.uniform(0, 60))
  }

  package func segment(of phone: PhoneID, cohort: Int, at instant: SimInstant) -> Segment {
    course(of: phone, cohort: cohort).segment(of: phone, at: instant)
  }

  func projection(of phone: borrowing Device) -> Projection {
    systems[system(of: phone)].maker.projection
  }

  package func fixMaker(of phone: PhoneID, cohort: Int) -> FixMaker {
    guard let track = track(of: phone, cohort: cohort) else { return fixMaker }
    return Self.fixMaker(on: track.projection, scenario)
  }

  private static func fixMaker(on projection: Projection, _ scenario: Scenario) -> FixMaker {
    FixMaker(seed: scenario.seed, projection: projection, sensors: scenario.sensors.value)
  }
}
