import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Significant changes and visits", .quick)
struct SignificantChangeTests {
  struct Change {
    var at: SimInstant
    var previous: SimInstant
    /// The true position was beyond the trigger distance when it fired.
    var byMovement: Bool
  }

  /// Simulates `hours` of a phone's Monday as a shard does: it computes the next change at every
  /// segment and after every change.
  static func changes(_ number: UInt32, _ profile: SignificantChangeProfile, hours: Int64 = 24)
    -> [Change]
  {
    let phone = PhoneID(rawValue: number)
    var services = LocationServices()
    var changes: [Change] = []
    var now = World.monday
    for segment in World.segments(number, hours: hours) {
      now = max(now, segment.start)
      if !services.significantChangeIsOn {
        services.startSignificantChange(at: segment.position(at: now), now: now)
      }
      while true {
        let due = services.significantChange(
          in: segment, after: now, profile, seed: 5, phone: phone)
        guard due < segment.end else { break }
        let reach = services.triggerDistance(profile, seed: 5, phone: phone)
        changes.append(
          Change(
            at: due, previous: services.significantLast,
            byMovement: wasBeyond(reach, services, segment, from: now, to: due)))
        now = due
        services.significantChangeFired(at: segment.position(at: now), now: now)
      }
    }
    return changes
  }

  /// Computes the same by stepping second by second.
  static func wasBeyond(
    _ reach: Double, _ services: LocationServices, _ segment: Segment, from: SimInstant,
    to: SimInstant
  ) -> Bool {
    guard segment.isMoving else {
      return segment.position(at: to).distance(to: services.significantAnchor.point) > reach
    }
    var t = from
    while t <= to {
      if segment.position(at: t).distance(to: services.significantAnchor.point) > reach {
        return true
      }
      t += .seconds(1)
    }
    return segment.position(at: to).distance(to: services.significantAnchor.point) > reach
  }

  @Test(
    "SL3: two significant changes are at least five minutes apart",
    arguments: [SignificantChangeProfile.legacy, .modern])
  func gap(profile: SignificantChangeProfile) {
    for number in 0..<40 as Range<UInt32> {
      for change in Self.changes(number, profile) {
        #expect(change.at - change.previous >= .seconds(300))
      }
    }
  }

  @Test(
    "SL1, SL4: short of the trigger distance only a change of cell fires, 0.3 an hour"
  )
  func withoutMovement() {
    let all = (0..<120 as Range<UInt32>).flatMap { Self.changes($0, .modern) }
    let hours = (0..<120 as Range<UInt32>).map { number in
      World.segments(number).last.map { ($0.end - World.monday).seconds / 3_600 } ?? 0
    }
    let byCell = Double(all.count { !$0.byMovement }) / hours.reduce(0, +)
    // While a way's trigger waits for its latency the cell may change too, so the count is slightly
    // lower.
    #expect((0.2...0.32).contains(byCell), "\(byCell) an hour")
    #expect(all.count { $0.byMovement } > 120)
  }

  @Test("SL4, SL11: phones at rest at the edge of two cells have many changes, others none")
  func restingDay() {
    let counts = (0..<2_400).map { number -> Double in
      var services = LocationServices()
      let stay = World.stay()
      let phone = World.phone(number)
      var now = stay.start
      services.startSignificantChange(at: stay.position(at: now), now: now)
      var count = 0.0
      while true {
        now = services.significantChange(in: stay, after: now, .modern, seed: 5, phone: phone)
        guard now < stay.start + .hours(24) else { return count }
        services.significantChangeFired(at: stay.position(at: now), now: now)
        count += 1
      }
    }
    #expect(abs(counts.share { $0 == 0 } - 0.7) < 0.03)
    #expect(counts.filter { $0 > 0 }.allSatisfy { $0 > 5 })
    #expect(abs(counts.mean - 7) < 0.7, "\(counts.mean)")
  }

  @Test("C9, SL1: legacy phones trigger by 750 m in half the cases, by 2,500 m in 95 %")
  func legacyDistance() {
    let distances = Self.distances(.legacy)
    #expect(abs(distances.share { $0 <= 750 } - 0.5) < 0.05)
    #expect(abs(distances.share { $0 <= 2_500 } - 0.95) < 0.05)
  }

  @Test("SL1: modern phones trigger from 500 m on, in nine of ten cases by 1 km")
  func modernDistance() {
    let distances = Self.distances(.modern)
    #expect(distances.allSatisfy { $0 >= 500 })
    #expect(distances.share { $0 <= 1_000 } >= 0.9)
  }

  static func distances(_ profile: SignificantChangeProfile) -> [Double] {
    (0..<4_000).map {
      var services = LocationServices()
      services.significantSerial = UInt32($0)
      return services.triggerDistance(profile, seed: 5, phone: World.phone($0 % 7))
    }
  }

  @Test("a service that is off never fires")
  func off() {
    let stay = World.stay()
    let services = LocationServices()
    #expect(
      services.significantChange(
        in: stay, after: stay.start, .modern, seed: 5, phone: World.phone(0)) == .distantFuture)
    #expect(services.visit(in: stay, .standard, seed: 5, phone: World.phone(0)) == .distantFuture)
  }

  @Test(
    "VI1: an arrival is reported once, 4 to 12 minutes after it, at stays of at least that length")
  func arrivals() {
    var delivered = 0
    for number in 0..<60 as Range<UInt32> {
      var services = LocationServices()
      services.visitsAreOn = true
      services.significantChangeIsOn = true
      for stay in World.segments(number).filter({ !$0.isMoving }) {
        let visit = services.visit(in: stay, .standard, seed: 5, phone: PhoneID(rawValue: number))
        guard visit < .distantFuture else {
          #expect(stay.duration < .minutes(12))
          continue
        }
        delivered += 1
        #expect(visit - stay.start >= .minutes(4) && visit - stay.start <= .minutes(12))
        var reported = services
        reported.reportedArrival = stay.start
        #expect(
          reported.visit(in: stay, .standard, seed: 5, phone: PhoneID(rawValue: number))
            == .distantFuture)
      }
    }
    #expect(delivered > 60)
  }

  @Test(
    "VI1: a departure is reported 3 to 8 minutes and 300 m after it, only after a reported arrival"
  )
  func departures() {
    for (phone, leg) in World.legs(60) {
      var services = LocationServices()
      services.visitsAreOn = true
      services.significantChangeIsOn = true
      #expect(services.visit(in: leg, .standard, seed: 5, phone: phone) == .distantFuture)
      services.reportedArrival = .distantPast
      let visit = services.visit(in: leg, .standard, seed: 5, phone: phone)
      guard visit < .distantFuture else {
        let away = leg.exit(from: leg.position(at: leg.start), radius: 300, after: leg.start)
        #expect(leg.duration < .minutes(8) || away == nil || leg.end - leg.start < .minutes(15))
        continue
      }
      let away = leg.position(at: visit).distance(to: leg.position(at: leg.start))
      #expect(visit - leg.start >= .minutes(3))
      #expect(visit - leg.start <= .minutes(8) || abs(away - 300) < 30)
    }
  }

  @Test("SL7: without significant changes fewer visits are detected")
  func visitsWithout() {
    let stay = World.stay()
    let seen = { (significant: Bool) in
      Double(
        (0..<2_000).count {
          var services = LocationServices()
          services.visitsAreOn = true
          services.significantChangeIsOn = significant
          return services.visit(in: stay, .standard, seed: 5, phone: World.phone($0))
            < .distantFuture
        }) / 2_000
    }
    #expect(seen(true) == 1)
    #expect(abs(seen(false) - 0.6) < 0.04)
  }

  @Test("SL5: a start delivers a position that is 20 minutes old in the median, hours at worst")
  func cachedAge() {
    let services = LocationServices()
    let hours = (0..<4_000).map {
      services.cachedAge(at: World.monday, .modern, seed: 5, phone: World.phone($0)).seconds / 3_600
    }
    #expect(abs(hours.share { $0 < 1.0 / 3 } - 0.5) < 0.03)
    #expect(abs(hours.share { $0 < 6 } - 0.95) < 0.015)
    #expect(hours.allSatisfy { $0 >= 0 && $0 <= 24 })
  }

  @Test("NO5: without a SIM no cell changes, and movement is noticed later")
  func withoutSIM() {
    let stay = World.stay()
    var later = 0
    for (phone, leg) in World.legs(40) {
      var services = LocationServices()
      services.startSignificantChange(at: leg.position(at: leg.start), now: leg.start)
      let with = services.significantChange(
        in: leg, after: leg.start, .modern, seed: 5, phone: phone)
      let without = services.significantChange(
        in: leg, after: leg.start, .modern, cells: false, seed: 5, phone: phone)
      #expect(without >= with)
      if without > with { later += 1 }
    }
    #expect(later > 10)
    var services = LocationServices()
    services.startSignificantChange(at: stay.position(at: stay.start), now: stay.start)
    let never = services.significantChange(
      in: stay, after: stay.start, .modern, cells: false, seed: 5, phone: World.phone(0))
    #expect(never == .distantFuture)
  }

  @Test("SL4: if a profile says so, a resting phone is woken every 15 minutes")
  func unmoved() {
    var profile = SignificantChangeProfile.modern
    profile.unmovedEvery = .minutes(15)
    profile.spuriousPerHour = 0
    let stay = World.stay()
    var services = LocationServices()
    services.startSignificantChange(at: stay.position(at: stay.start), now: stay.start)
    let due = services.significantChange(
      in: stay, after: stay.start, profile, seed: 5, phone: World.phone(0))
    #expect(due == stay.start + .minutes(15))
  }
}
