package import Core
package import Phone

/// A fleet's energy: one meter per cohort, since each cohort has its own energy profile.
package struct FleetEnergy: Codable, Equatable, Sendable {
  package internal(set) var cohorts: [EnergyMeter]

  init(cohorts: Int) { self.cohorts = Array(repeating: EnergyMeter(), count: cohorts) }

  /// Negates every count, so that a later reading adds only the difference.
  mutating func negate() {
    for i in cohorts.indices { cohorts[i] = cohorts[i].negated }
  }

  mutating func merge(_ other: FleetEnergy) {
    for i in cohorts.indices { cohorts[i] += other.cohorts[i] }
  }
}

/// The energy of the tracker on one phone in the measured time, in microjoules.
package struct PhoneEnergy: Equatable, Sendable, BitwiseCopyable {
  package var phone: PhoneID
  package var tracking: Int64
  package var transmission: Int64
}

package struct PhoneCharge: Equatable, Sendable, BitwiseCopyable {
  /// The charge as the phone displays it, 0 to 100.
  package var percent: Int
  /// The charge as a share of the battery's own capacity, 0 to 1.
  package var share: Double
  /// Whether the phone is empty and has switched off (BT3).
  package var isEmpty: Bool
  package var usageMilliwatts: Int
}

extension PhoneFleet {
  /// Returns each phone's charge at its meter's last reading (`Shard.closeEnergy`).
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
