package import Mobility
package import Phone
package import PushService
package import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// What all phones of a run share and nobody changes.
package final class FleetContext: Sendable {
  package let scenario: Scenario
  package let town: Town
  package let habits: Habits
  package let fixMaker: FixMaker
  package let dataPath: DataPath
  package let provider: PushProvider
  /// A cohort's first phone; the last entry is the fleet's size.
  package let cohortStarts: [Int]
  /// The key of the hash over batches, drawn from the seed.
  package let hashKey: UInt64
  let trackers: [TrackerStateMachine.Context]

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    town = Town(seed: scenario.seed, city: scenario.city)
    habits = Habits(
      seed: scenario.seed, mix: scenario.fleet.phone, faults: scenario.faults)
    fixMaker = FixMaker(seed: scenario.seed, projection: scenario.projection)
    dataPath = DataPath(seed: scenario.seed, model: scenario.network)
    provider = PushProvider(seed: scenario.seed)
    hashKey = Draw.mix(scenario.seed ^ 0x466C_6F74_696C_6C61)
    var starts = [0]
    var share = 0.0
    for cohort in scenario.fleet.cohorts {
      share += cohort.share
      starts.append(Int((share * Double(scenario.fleet.phones)).rounded()))
    }
    starts[starts.count - 1] = scenario.fleet.phones
    cohortStarts = starts
    trackers = scenario.fleet.cohorts.map {
      TrackerStateMachine.Context(
        policy: scenario.policies[$0.policy], seed: scenario.seed, phone: PhoneID(rawValue: 0))
    }
  }

  package func cohort(of phone: Int) -> Int {
    for i in 1..<cohortStarts.count where phone < cohortStarts[i] { return i - 1 }
    return cohortStarts.count - 2
  }

  package func os(_ cohort: Int) -> OSProfile { scenario.fleet.cohorts[cohort].os }

  func life(of phone: PhoneID, cohort: Int) -> Life {
    Life(
      town: town, phone: phone.rawValue, kind: scenario.fleet.cohorts[cohort].mobility)
  }
}
