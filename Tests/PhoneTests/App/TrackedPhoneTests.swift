import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: on a phone, without a fleet", .quick)
struct TrackedPhoneTests {
  @Test("RG4: after every exit the hybrid has exactly one region, round its position")
  func oneRegion() {
    let phone = TrackedPhone(.standard, way: Stretch.rides)
    let life = phone.life
    life.open()
    life.advance(.seconds(40))
    life.leave()
    life.advance(until: .hours(3))
    #expect(life.exits.count >= 4)
    #expect(life.phone.services.regionIsSet && !life.phone.services.regionIsLeft)
    #expect(life.phone.services.regionCentre.point.distance(to: life.here) < 200)
  }

  @Test("SL5: of the cached positions at a start only those of the last minute are kept")
  func stalePosition() {
    var policy = PolicySettings.quiet
    policy.significantChange = true
    policy.background.filter.maxAge = .minutes(1)
    policy.foreground.filter.maxAge = .minutes(1)
    var old = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let phone = TrackedPhone(policy, way: [.stay(.hours(9))], seed: seed)
      let fixes = phone.life.positions(.imprecise)
      #expect(fixes.count == 1)
      let fresh = fixes.filter { phone.life.now - $0.time.instant <= .minutes(1) }
      #expect(phone.kept == fresh)
      old += fixes.count - fresh.count
    }
    #expect((1..<40).contains(old))
  }

  @Test("VI3: two visits with unknown arrivals do not replace each other")
  func unknownArrivals() {
    var policy = PolicySettings.quiet
    policy.significantChange = true
    let phone = TrackedPhone(
      policy,
      way: [.stay(.hours(1)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(2))])
    let life = phone.life
    life.advance(until: .minutes(30))
    life.open()
    life.ask(.startVisits)
    life.leave()
    life.advance(until: .minutes(90))
    life.open()
    life.ask(.stopVisits, .startVisits)
    life.leave()
    life.advance(until: .minutes(120))
    let visits = life.visits.filter { !$0.hasEnded && $0.arrival == .distantPast }
    #expect(visits.count == 2)
    let times = visits.map(\.fix.time)
    #expect(Set(times).count == 2)
    #expect(Set(phone.kept.map(\.time)).isSuperset(of: times))
  }
}
