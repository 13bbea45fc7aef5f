package import Mobility
package import Phone
package import PushService
package import Scenarios
package import SimulationCore
package import Telemetry
package import ServerLogic
internal import Tracker

/// What all phones of a run share and nobody changes.
package final class FleetContext: Sendable {
  package let scenario: Scenario
  package let town: Town
  private let habits: [Habits]
  /// Of the city's plane, on which people with an agenda live.
  private let fixMaker: FixMaker
  /// A cohort's recordings, which its phones take in turn; empty: its people have agendas.
  private let tracks: [[RecordedTrack]]
  package let dataPath: DataPath
  package let provider: PushProvider
  /// A cohort's first phone; the last entry is the fleet's size.
  package let cohortStarts: [Int]
  /// The key of the hash over batches, drawn from the seed.
  package let hashKey: UInt64
  /// The installation of the app that all phones have: nobody reinstalls it yet.
  package let epoch: UInt32
  /// Which settings the server wants on a phone, and the policy of each step.
  package let rollouts: RolloutPlan
  /// When the server is down.
  package let outages: OutagePlan
  private let rolloutPolicies: [UInt8]
  /// What the trackers of a policy read.
  let trackers: LentList<TrackerStateMachine.Context>
  private let osProfiles: LentList<OSProfile>
  private let significantChanges: LentList<SignificantChangeProfile>
  private let energyPrices: LentList<EnergyPrices>

  /// The key of the hash over the batches of a run.
  package static func hashKey(seed: UInt64) -> UInt64 { Draw.mix(seed ^ 0x466C_6F74_696C_6C61) }

  /// The first installation.
  package static let firstEpoch: UInt32 = 1

  package init(_ scenario: Scenario, epoch: UInt32 = FleetContext.firstEpoch) {
    self.scenario = scenario
    self.epoch = epoch
    town = Town(seed: scenario.seed, city: scenario.city)
    habits = scenario.fleet.cohorts.map {
      Habits(seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, faults: scenario.faults)
    }
    fixMaker = FixMaker(
      seed: scenario.seed, projection: scenario.projection, sensors: scenario.sensors)
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
    osProfiles = LentList(scenario.fleet.cohorts.map(\.os.value))
    significantChanges = LentList(scenario.fleet.cohorts.map(\.significantChange.value))
    energyPrices = LentList(scenario.fleet.cohorts.map { EnergyPrices($0.energy.value) })
    rollouts = RolloutPlan(
      seed: scenario.seed,
      steps: scenario.rollouts.map { .init(at: $0.at, cohort: $0.cohort, share: $0.share) })
    outages = OutagePlan(scenario.faults)
    rolloutPolicies = scenario.rollouts.map { UInt8($0.policy) }
    trackers = LentList(
      scenario.policies.map {
        TrackerStateMachine.Context(settings: $0.settings, seed: scenario.seed)
      })
  }

  package func cohort(of phone: Int) -> Int {
    for i in 1..<cohortStarts.count where phone < cohortStarts[i] { return i - 1 }
    return cohortStarts.count - 2
  }

  /// The index of the settings that a rollout hands out, counted from 1.
  func policy(ofRollout number: UInt8) -> UInt8 { rolloutPolicies[Int(number) - 1] }
  /// What the owners of a cohort's phones do.
  package func habits(_ cohort: Int) -> Habits { habits[cohort] }
  @inline(__always) package func app(_ policy: Int) -> AppManifest { trackers[policy].settings.app }
  @inline(__always) package func os(_ cohort: Int) -> OSProfile { osProfiles[cohort] }
  /// How long fixes of the standard service may pile up before they are looked at. What they make
  /// the app send starts no earlier than that, so an app that sends every fix is looked at each
  /// time.
  func pace(_ policy: Int) -> SimDuration {
    guard case .everything = trackers[policy].settings.background.filter.rule else {
      return .minutes(1)
    }
    return min(
      .minutes(1), max(StandardService.interval, trackers[policy].settings.send.interval))
  }

  @inline(__always) package func prices(_ cohort: Int) -> EnergyPrices { energyPrices[cohort] }
  package func significantChange(_ cohort: Int) -> SignificantChangeProfile {
    significantChanges[cohort]
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

  /// The recording that a phone replays; nil: its person has an agenda.
  package func track(of phone: PhoneID, cohort: Int) -> RecordedTrack? {
    tracks[cohort].isEmpty
      ? nil
      : tracks[cohort][(Int(phone.rawValue) - cohortStarts[cohort]) % tracks[cohort].count]
  }

  /// The segment of a phone's truth with start ≤ `instant` < end.
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

  /// Of the plane on which a phone's truth lies.
  func projection(of phone: PhoneID, cohort: Int) -> Projection {
    track(of: phone, cohort: cohort)?.projection ?? fixMaker.projection
  }

  /// Makes fixes on the plane on which a phone's truth lies: each recording has its own.
  package func fixMaker(of phone: PhoneID, cohort: Int) -> FixMaker {
    guard let track = track(of: phone, cohort: cohort) else { return fixMaker }
    return FixMaker(
      seed: scenario.seed, projection: track.projection, sensors: scenario.sensors)
  }
}
