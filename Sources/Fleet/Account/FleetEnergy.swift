package import Phone
internal import Scenarios
internal import SimulationCore
package import Telemetry

/// Where a fleet's energy went: a meter for each cohort, since each has its own energy
/// profile.
package struct FleetEnergy: Codable, Equatable, Sendable {
  /// One meter a cohort, in the scenario's order.
  package internal(set) var cohorts: [EnergyMeter]

  init(cohorts: Int) { self.cohorts = Array(repeating: EnergyMeter(), count: cohorts) }

  /// Negates every count, so that a later reading adds the difference.
  mutating func negate() {
    for i in cohorts.indices { cohorts[i] = cohorts[i].negated }
  }

  mutating func merge(_ other: FleetEnergy) {
    for i in cohorts.indices { cohorts[i] += other.cohorts[i] }
  }
}

/// The energy that the tracker on one phone used in the counted part, in microjoules.
package struct PhoneEnergy: Equatable, Sendable, BitwiseCopyable {
  /// The phone that the tracker runs on.
  package var phone: PhoneID
  /// The tracker's energy in microjoules, sending included.
  package var tracking: Int64
  /// The part of it that went into sending, in microjoules.
  package var transmission: Int64
}

/// One phone's battery when its meter was last read.
package struct PhoneCharge: Equatable, Sendable, BitwiseCopyable {
  /// The charge as the phone shows it, 0 to 100.
  package var percent: Int
  /// The charge as a share of the battery's own capacity, 0 to 1.
  package var share: Double
  /// Whether the phone is empty and has switched itself off (BT3).
  package var isEmpty: Bool
  /// What screen and other apps take while the owner is awake, in milliwatts.
  package var usageMilliwatts: Int
}

extension PhoneFleet {
  /// Each phone's charge at the last reading of its meter (`Shard.closeEnergy`).
  package func charges() -> [PhoneCharge] {
    var all: [PhoneCharge] = []
    inOrder { $0.forEachCharge { all.append($0) } }
    return all
  }

  package func energies() -> [PhoneEnergy] {
    var all: [PhoneEnergy] = []
    inOrder { $0.forEachEnergy { all.append($0) } }
    return all
  }
}
