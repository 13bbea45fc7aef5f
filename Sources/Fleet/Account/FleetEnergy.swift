package import Phone
internal import Scenarios
internal import SimulationCore
package import Telemetry

/// Is one phone's account of energy.
struct EnergyAccount: Sendable, BitwiseCopyable {
  /// Is when the cellular radio falls asleep after the app's last send.
  var tailUntil = SimInstant.distantPast
  /// Is the energy in microjoules that the tracker used in the counted part, and the part of it for
  /// sending.
  private(set) var tracking: Int64 = 0
  private(set) var transmission: Int64 = 0

  /// Starts the ledger again; energy drawn before the counting began is not counted.
  mutating func begin() {
    tracking = 0
    transmission = 0
  }

  /// Leaves out what another account has of energy that this one will be charged for.
  mutating func leaveOut(_ other: EnergyAccount) {
    tracking -= other.tracking
    transmission -= other.transmission
  }

  mutating func add(_ bill: EnergyBill) {
    tracking += bill.tracking
    transmission += bill.transmission
  }

  /// Charges what a send takes.
  mutating func send(
    bytes: Int, wifi: Bool, over profile: EnergyProfile, now: SimInstant
  ) -> EnergyMeter {
    var use = EnergyMeter()
    if wifi {
      // Its tail is over before the next exchange can begin.
      var tail = SimInstant.distantPast
      use.wifi = RadioUse(sending: bytes, at: now, over: profile.wifi, tailUntil: &tail)
    } else {
      use.cellular = RadioUse(
        sending: bytes, at: now, over: profile.cellular, tailUntil: &tailUntil)
    }
    return use
  }
}

/// Holds where a fleet's energy went: a meter for each cohort, since each has its own energy
/// profile.
package struct FleetEnergy: Codable, Equatable, Sendable {
  /// Holds one meter a cohort, in the scenario's order.
  package internal(set) var cohorts: [EnergyMeter]

  init(cohorts: Int) { self.cohorts = Array(repeating: EnergyMeter(), count: cohorts) }

  /// Turns every count into its negative, so that a later reading adds what lies between.
  mutating func negate() {
    for i in cohorts.indices { cohorts[i] = cohorts[i].negated }
  }

  mutating func merge(_ other: FleetEnergy) {
    for i in cohorts.indices { cohorts[i] += other.cohorts[i] }
  }
}

/// Is the energy that the tracker on one phone used in the counted part, in microjoules.
package struct PhoneEnergy: Equatable, Sendable, BitwiseCopyable {
  /// Is the phone that the tracker runs on.
  package var phone: PhoneID
  /// Is the tracker's energy in microjoules, sending included.
  package var tracking: Int64
  /// Is the part of it that went into sending, in microjoules.
  package var transmission: Int64
}

/// Is one phone's battery when its meter was last read.
package struct PhoneCharge: Equatable, Sendable, BitwiseCopyable {
  /// Is the charge as the phone shows it, 0 to 100.
  package var percent: Int
  /// Is the charge as a share of the battery's own capacity, 0 to 1.
  package var share: Double
  /// Is true if the phone is empty and has switched itself off (BT3).
  package var isEmpty: Bool
  /// Is what screen and other apps take while the owner is awake, in milliwatts.
  package var usageMilliwatts: Int
}

extension PhoneFleet {
  /// Returns each phone's charge at the last reading of its meter (`Shard.closeEnergy`).
  package func charges() -> [PhoneCharge] {
    var all: [PhoneCharge] = []
    inOrder { $0.forEachCharge { all.append($0) } }
    return all
  }

  /// Returns the energy that each phone's tracker used since the counting began.
  package func energies() -> [PhoneEnergy] {
    var all: [PhoneEnergy] = []
    inOrder { $0.forEachEnergy { all.append($0) } }
    return all
  }
}
