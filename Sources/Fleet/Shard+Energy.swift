package import Phone
internal import Scenarios
internal import SimulationCore
package import Telemetry
internal import Tracker

/// One phone's account of energy.
struct EnergyAccount: Sendable, BitwiseCopyable {
  /// When the cellular radio falls asleep after the app's last send.
  var tailUntil = SimInstant.distantPast
  /// Microjoules that the tracker cost in the counted part, and what of it went into sending.
  var tracking: Int64 = 0
  var transmission: Int64 = 0
}

/// Where a fleet's energy went: a meter for each cohort, since each has an energy profile.
package struct FleetEnergy: Equatable, Sendable {
  package internal(set) var cohorts: [EnergyMeter]

  init(cohorts: Int) { self.cohorts = Array(repeating: EnergyMeter(), count: cohorts) }

  mutating func merge(_ other: FleetEnergy) {
    for i in cohorts.indices { cohorts[i] += other.cohorts[i] }
  }
}

/// What the tracker on one phone cost in the counted part, in microjoules.
package struct PhoneEnergy: Equatable, Sendable, BitwiseCopyable {
  package var phone: PhoneID
  package var tracking: Int64
  package var transmission: Int64
}

/// Integrates power exactly from change to change; nothing ticks.
extension Shard {
  mutating func charge(_ i: Int, _ draw: EnergyDraw, for time: SimDuration, scans: Int64) {
    var use = EnergyMeter()
    use.add(draw, for: time)
    use.scans += scans
    charge(i, use)
  }

  private mutating func charge(_ i: Int, _ use: EnergyMeter) {
    if isDraining { return }
    let cohort = Int(phones[i].cohort)
    figures.energy.cohorts[cohort] += use
    let bill = context.prices(cohort).bill(use)
    phones[i].energy.tracking += bill.tracking
    phones[i].energy.transmission += bill.transmission
  }

  /// The app is woken, or relaunched.
  mutating func chargeWake(_ i: Int) {
    var use = EnergyMeter()
    use.wakes = 1
    charge(i, use)
  }

  /// A single position from Wi-Fi.
  mutating func chargeScan(_ i: Int) {
    var use = EnergyMeter()
    use.scans = 1
    charge(i, use)
  }

  mutating func chargeSend(_ i: Int, wifi: Bool, bytes: Int, now: SimInstant) {
    var use = EnergyMeter()
    let profile = context.prices(Int(phones[i].cohort)).profile
    if wifi {
      // Its tail is over before the next exchange can begin.
      var tail = SimInstant.distantPast
      use.wifi = RadioUse(sending: bytes, at: now, over: profile.wifi, tailUntil: &tail)
    } else {
      use.cellular = RadioUse(
        sending: bytes, at: now, over: profile.cellular, tailUntil: &phones[i].energy.tailUntil)
    }
    charge(i, use)
  }

  /// Ledgers begin anew: what was drawn before is nobody's.
  mutating func startEnergy(_ i: Int, at now: SimInstant) {
    phones[i].os.drawnSince = now
    phones[i].energy.tracking = 0
    phones[i].energy.transmission = 0
  }

  /// Closes every phone's account, so that figures and phones say how it stands at the horizon.
  package mutating func closeEnergy() {
    for i in 0..<count { system(i, .meterRead, now: horizon) }
  }

  /// What each phone's tracker cost since the counting began, in the phones' order.
  package func forEachEnergy(_ body: (PhoneEnergy) -> Void) {
    for i in phones.indices {
      body(
        PhoneEnergy(
          phone: phones[i].id, tracking: phones[i].energy.tracking,
          transmission: phones[i].energy.transmission))
    }
  }
}

extension PhoneFleet {
  /// What each phone's tracker cost since the counting began.
  package func energies() -> [PhoneEnergy] {
    var all: [PhoneEnergy] = []
    inOrder { $0.forEachEnergy { all.append($0) } }
    return all
  }
}
