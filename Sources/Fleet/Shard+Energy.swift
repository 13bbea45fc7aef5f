package import Phone
internal import Scenarios
internal import SimulationCore
package import Telemetry
internal import Tracker

/// One phone's account of energy.
struct EnergyAccount: Sendable, BitwiseCopyable {
  var since = SimInstant.distantPast
  /// When the cellular radio falls asleep after the app's last send.
  var tailUntil = SimInstant.distantPast
  /// Microjoules that the tracker cost in the counted part, and what of it went into sending.
  var tracking: Int64 = 0
  var transmission: Int64 = 0
  /// What has been drawing power since `since`, unchanged.
  var draw = EnergyDraw()
}

/// Where a fleet's energy went: a meter for each cohort, since each has an energy profile.
package struct FleetEnergy: Codable, Equatable, Sendable {
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
  /// Whatever of the phone may have changed what draws power: closes the account of before.
  mutating func noteDraw(_ i: Int, now: SimInstant) {
    let draw = draw(i, at: now)
    guard draw != phones[i].energy.draw else { return }
    closeEnergy(i, upTo: now)
    phones[i].energy.draw = draw
  }

  mutating func closeEnergy(_ i: Int, upTo now: SimInstant) {
    // A fix that is evaluated late may stop the service at its tick, before the phone's last event.
    let from = phones[i].energy.since
    guard now > from else { return }
    phones[i].energy.since = now
    var use = EnergyMeter()
    use.add(phones[i].energy.draw, for: now - from)
    use.scans += scans(i, from: from, to: now)
    charge(i, use)
  }

  /// SF3: significant changes look round with Wi-Fi every 5 min in a vehicle and every 15 min
  /// otherwise (A); where their manager pauses and is for vehicles, not at all otherwise.
  private func scans(_ i: Int, from: SimInstant, to: SimInstant) -> Int64 {
    guard phones[i].services.significantChangeIsOn, servicesRun(i, now: from) else { return 0 }
    let isVehicle = !phones[i].segment.isRest(for: .automotive)
    let use = context.trackers[Int(phones[i].policy)].settings.background.service
    if !isVehicle && use.pausesAutomatically && use.activityType == .automotive { return 0 }
    let every = (isVehicle ? SimDuration.minutes(5) : .minutes(15)).microseconds
    return to.microseconds / every - from.microseconds / every
  }

  private func draw(_ i: Int, at now: SimInstant) -> EnergyDraw {
    if phones[i].switchedOff.contains(now) { return [] }
    var draw = EnergyDraw.idle
    // The coprocessor counts while its app sleeps.
    if phones[i].process.hearsMotion { draw.insert(.motion) }
    let hears = phones[i].standard.isOn
    if hears { draw.insert(.positioning(phones[i].standard.accuracy)) }
    switch phones[i].process.state {
    case .notRunning, .suspended: return draw
    case .foreground: draw.insert(.screen)
    case .background: break
    }
    if hears || phones[i].process.state == .background {
      let filtered = hears && phones[i].standard.distanceFilterMeters > 0
      draw.insert(filtered ? .filteredCallbacks : .callbacks)
    }
    return draw
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

  mutating func chargeSend(_ i: Int, bytes: Int, now: SimInstant) {
    var use = EnergyMeter()
    let profile = context.prices(Int(phones[i].cohort)).profile
    if phones[i].isOnWifi {
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
    phones[i].energy.since = now
    phones[i].energy.tracking = 0
    phones[i].energy.transmission = 0
  }

  /// Closes every phone's account, so that figures and phones say how it stands at the horizon.
  package mutating func closeEnergy() {
    for i in 0..<count { closeEnergy(i, upTo: horizon) }
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
