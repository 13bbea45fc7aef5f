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
  /// Copies of the scenario's: reading them there would copy the scenario.
  let clock: CivilClock
  let measureEnd: SimInstant
  /// Each cohort's recordings, which its phones take in turn; empty if its people have
  /// agendas.
  private let tracks: [[RecordedTrack]]
  package let dataPath: DataPath
  package let provider: PushProvider
  /// The first phone of each cohort; the last entry is the fleet's size.
  package let cohortStarts: [Int]
  /// The key of the hash over batches, drawn from the seed.
  package let hashKey: UInt64
  /// The epoch with which the phones begin; each new installation adds one (LC16).
  package let epoch: UInt32
  let packsPhones: Bool
  package let rollouts: RolloutPlan
  package let outages: OutagePlan
  private let rolloutPolicies: [UInt8]
  let trackers: LentList<TrackerStateMachine.Context>
  let systems: LentList<Device.Context>
  private let planes: LentList<CohortPlanes>
  private let energyPrices: LentList<EnergyPrices>
  let batteries: LentList<BatteryConditions>
  let updates: LentList<UpdateHabits>
  let reinstalls: LentList<ReinstallHabits>
  private let clocks: LentList<PhoneClocks>

  package static func hashKey(seed: UInt64) -> UInt64 { Draw.mix(seed ^ 0x466C_6F74_696C_6C61) }

  package static let firstEpoch: UInt32 = 1

  /// Creates the context of a scenario; recordings are shifted to the scenario's time here.
  ///
  /// - Parameter packs: whether phones at rest are packed; nil packs those of a large fleet. It
  ///   affects memory and time, not behaviour.
  package init(_ scenario: Scenario, epoch: UInt32 = FleetContext.firstEpoch, packs: Bool? = nil) {
    self.scenario = scenario
    self.epoch = epoch
    packsPhones = packs ?? (scenario.fleet.phones > PhoneStore.plainMax)
    (clock, measureEnd) = (scenario.clock, scenario.measureEnd)
    town = Town(seed: scenario.seed, city: scenario.city)
    people = LentList(
      scenario.fleet.cohorts.map {
        Habits(seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, faults: scenario.faults)
      })
    fixMaker = FixMaker(
      seed: scenario.seed, projection: scenario.projection, sensors: scenario.sensors.value)
    dataPath = DataPath(seed: scenario.seed, model: scenario.network)
    provider = PushProvider(
      seed: scenario.seed, settings: scenario.push.provider, faults: scenario.faults)
    hashKey = Self.hashKey(seed: scenario.seed)
    var starts = [0]
    var share = 0.0
    for cohort in scenario.fleet.cohorts {
      share += cohort.share
      starts.append(Int((share * Double(scenario.fleet.phones)).rounded()))
    }
    starts[starts.count - 1] = scenario.fleet.phones
    cohortStarts = starts
    tracks = scenario.fleet.cohorts.map { Self.tracks($0, scenario) }
    (planes, systems) = Self.systems(scenario, tracks, starts, fixMaker, town)
    energyPrices = LentList(scenario.fleet.cohorts.map { EnergyPrices($0.energy.value) })
    batteries = LentList(scenario.fleet.cohorts.map { Self.battery($0, scenario) })
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
    clocks = LentList(
      scenario.fleet.cohorts.map {
        PhoneClocks(seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone)
      })
    rollouts = RolloutPlan(
      seed: scenario.seed,
      steps: scenario.rollouts.map { .init(at: $0.at, cohort: $0.cohort, share: $0.share) })
    outages = OutagePlan(
      scenario.faults.filter { $0.kind == .serverOutage }.map { ($0.at, $0.lasts) })
    rolloutPolicies = scenario.rollouts.map { UInt8($0.policy) }
    trackers = LentList(count: scenario.policies.count) {
      TrackerStateMachine.Context(settings: scenario.policies[$0].settings, seed: scenario.seed)
    }
  }

  deinit {
    people.free()
    trackers.free()
    systems.free()
    planes.free()
    energyPrices.free()
    batteries.free()
    updates.free()
    reinstalls.free()
    clocks.free()
  }

  package func cohort(of phone: Int) -> Int {
    for i in 1..<cohortStarts.count where phone < cohortStarts[i] { return i - 1 }
    return cohortStarts.count - 2
  }

  func policy(ofRollout number: UInt8) -> UInt8 { rolloutPolicies[Int(number) - 1] }
  package func habits(_ cohort: Int) -> Habits { people[cohort] }
  @inline(__always) package func prices(_ cohort: Int) -> EnergyPrices { energyPrices[cohort] }

  package func clocks(_ cohort: Int) -> PhoneClocks { clocks[cohort] }

  /// The phone's timestamps (CK2), only for the wire and batch hashes: the fleet has true times.
  package func stamps(of phone: PhoneID, cohort: Int) -> PhoneStamps {
    PhoneStamps(clocks[cohort], of: phone)
  }

  // MARK: Systems

  private struct CohortPlanes: BitwiseCopyable, Sendable {
    var first: Int
    var recordings: Int
    var firstPhone: Int
  }

  private static func systems(
    _ scenario: Scenario, _ tracks: [[RecordedTrack]], _ cohortStarts: [Int], _ maker: FixMaker,
    _ town: Town
  ) -> (LentList<CohortPlanes>, LentList<Device.Context>) {
    var planes: [CohortPlanes] = []
    var systems: [(cohort: Cohort, policy: Policy, maker: FixMaker)] = []
    for (number, cohort) in scenario.fleet.cohorts.enumerated() {
      planes.append(
        CohortPlanes(
          first: systems.count, recordings: tracks[number].count,
          firstPhone: cohortStarts[number]))
      let makers =
        tracks[number].isEmpty
        ? [maker] : tracks[number].map { Self.fixMaker(on: $0.projection, scenario) }
      for maker in makers {
        systems += scenario.policies.map { (cohort, $0, maker) }
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
          app: systems[n].policy.settings.app))
    }
    return (LentList(planes), contexts)
  }

  /// The places that the app of a policy knows; those of a recording are unknown.
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
    return planes.first + plane * trackers.count + Int(phone.policy)
  }

  // MARK: Truth

  private static func tracks(_ cohort: Cohort, _ scenario: Scenario) -> [RecordedTrack] {
    switch cohort.mobility {
    case .agenda: []
    case .recorded(let replay):
      replay.recordings.map { number in
        let recording = scenario.recordings[number]
        return RecordedTrack(
          recording,
          shift: replay.shift(of: recording, start: scenario.start, clock: scenario.clock))
      }
    }
  }

  package func track(of phone: PhoneID, cohort: Int) -> RecordedTrack? {
    tracks[cohort].isEmpty
      ? nil
      : tracks[cohort][(Int(phone.rawValue) - cohortStarts[cohort]) % tracks[cohort].count]
  }

  package func segment(of phone: PhoneID, cohort: Int, at instant: SimInstant) -> Segment {
    switch scenario.fleet.cohorts[cohort].mobility {
    case .agenda(let kind):
      return Life(town: town, phone: phone.rawValue, kind: kind).segment(at: instant)
    case .recorded:
      guard let track = track(of: phone, cohort: cohort) else {
        preconditionFailure("a cohort that replays has at least one recording")
      }
      return track.segment(at: instant)
    }
  }

  func projection(of phone: PhoneID, cohort: Int) -> Projection {
    track(of: phone, cohort: cohort)?.projection ?? fixMaker.projection
  }

  package func fixMaker(of phone: PhoneID, cohort: Int) -> FixMaker {
    guard let track = track(of: phone, cohort: cohort) else { return fixMaker }
    return Self.fixMaker(on: track.projection, scenario)
  }

  private static func fixMaker(on projection: Projection, _ scenario: Scenario) -> FixMaker {
    FixMaker(seed: scenario.seed, projection: projection, sensors: scenario.sensors.value)
  }
}
