import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("The tail of region events", .quick)
struct RegionTailTests {
  /// Ten minutes at home, a ride of 1.9 km away, twenty minutes there, and the ride back.
  static let thereAndBack: [Stretch] = [
    .stay(.minutes(10)), .ride(.minutes(4), metersPerSecond: 8), .stay(.minutes(20)),
    .ride(.minutes(4), metersPerSecond: -8), .stay(.hours(9)),
  ]

  /// Ten minutes at home, and the rest of the day 4.8 km away.
  static let away: [Stretch] = [
    .stay(.minutes(10)), .ride(.minutes(10), metersPerSecond: 8), .stay(.hours(9)),
  ]

  /// When the phone has been outside the region and its cushion for 20 s: after 200 m at 8 m/s.
  static let dwelt = SimDuration.minutes(10) + .seconds(45)

  /// An app with a region of 100 m round its home and nothing else, left in the background.
  static func life(
    _ way: [Stretch], seed: UInt64 = 1, isKilled: Bool = false, _ wishes: OSCommand...,
    change: (inout RegionProfile) -> Void = { _ in }
  ) -> PhoneLife {
    var os = ServiceRuleTests.withoutCellChanges()
    change(&os.regions)
    let life = PhoneLife(
      .way(way, seed: seed), os: os, app: DeviceTests.careful([.stopSignificantChange] + wishes))
    life.open()
    life.ask(.monitorRegion(centre: life.place, radius: .meters(100)))
    life.leave()
    if isKilled { life.kill() }
    return life
  }

  /// No crossing is prompt, and a check without a reason comes after 45 minutes.
  static func allLate(_ regions: inout RegionProfile) {
    regions.promptShare = 0
    regions.promptShareTerminated = 0
    regions.lateLook = .hours(24)
    regions.lateMax = .minutes(45)
    regions.missed = 0
  }

  static func steps(_ life: PhoneLife) -> [RegionStep] {
    life.effects.compactMap { if case .region(let step, _) = $0 { step } else { nil } }
  }

  /// Delay from dwell to reported exit, for each of two hundred phones that had one.
  static func delays(isKilled: Bool) -> [SimDuration] {
    (1...200).compactMap { seed in
      // RG11: Without jumps at rest, and with a home that is no far cell, no exit is false.
      let life = life(away, seed: UInt64(seed), isKilled: isKilled) { $0.leapsSeen = 0 }
      let (now, phone) = (life.now, life.phone)
      var memory = SightingMemory()
      let seen = life.truth.maker.believed(
        at: now, life.truth.segment(now), phone.radios, phone.id, &memory)
      guard let seen, seen.distance(to: life.home) < 200 else { return nil }
      life.advance(until: .hours(9))
      return life.exits.first.map { $0.at - life.truth.birth - dwelt }
    }
  }

  @Test("RG6: most exits are reported within half a minute, and some much later than ten minutes")
  func prompt() {
    let delays = Self.delays(isKilled: false)
    #expect(delays.count >= 190, "one in a hundred is missed")
    #expect(delays.share { $0 < .seconds(35) } > 0.85)
    #expect(delays.contains { $0 > .minutes(10) })
    #expect(delays.allSatisfy { $0 >= .seconds(-2) && $0 <= .hours(3) + .seconds(1) })
  }

  @Test("RG7: an ended app receives exits late more often, at times after an hour")
  func terminated() {
    let delays = Self.delays(isKilled: true)
    #expect((0.25...0.6).contains(delays.share { $0 > .minutes(5) }))
    #expect(delays.contains { $0 > .hours(1) })
    #expect(delays.allSatisfy { $0 <= .hours(3) + .seconds(1) })
  }

  @Test("RG7: an exit undone before the system checks is never reported")
  func undone() {
    let life = Self.life(Self.thereAndBack, isKilled: true, change: Self.allLate)
    life.advance(until: .hours(5))
    #expect(life.exits.isEmpty && life.launches == [.user])
    #expect(Self.steps(life) == [.unnoticed, .undone])
    // A prompt one is reported, although the phone comes back.
    let prompt = Self.life(Self.thereAndBack, isKilled: true) { regions in
      regions.promptShareTerminated = 1
      regions.missed = 0
    }
    prompt.advance(until: .hours(5))
    #expect(prompt.exits.count == 2)
  }

  @Test("RG6: a missed exit is reported when the phone gets a position for another reason")
  func looks() throws {
    let alone = Self.life(Self.away, change: Self.allLate)
    alone.advance(until: .hours(2))
    let reported = try #require(alone.exits.first?.at) - alone.truth.birth
    #expect(abs((reported - Self.dwelt - .minutes(45)).seconds) < 3, "without a reason")
    let opened = Self.life(Self.away, change: Self.allLate)
    opened.advance(until: .minutes(30))
    opened.open()
    opened.advance(.seconds(1))
    #expect(opened.exits.map(\.manager) == [.standard, .imprecise], "the screen is switched on")
    let changed = Self.life(Self.away, .startSignificantChange, change: Self.allLate)
    changed.advance(until: .hours(2))
    let change = try #require(
      changed.fixes(.imprecise).first { $0 > changed.truth.birth + Self.dwelt })
    let exit = try #require(changed.exits.first?.at)
    #expect(exit == change && change < changed.truth.birth + .minutes(50), "a new cell")
    let locating = Self.life(Self.away, change: Self.allLate)
    locating.advance(until: .minutes(30))
    #expect(locating.exits.isEmpty)
    locating.open()
    locating.ask(.monitorRegion(centre: locating.place, radius: .meters(100)))
    #expect(locating.exits.isEmpty, "a new region replaces the crossed one")
  }

  @Test("RG12: an exit counts nearer to the border while the standard service locates")
  func nearExit() throws {
    func exit(isLocating: Bool) throws -> SimDuration {
      var request = ServiceRequest.background
      request.accuracy = .best
      var os = ServiceRuleTests.withoutCellChanges()
      PlaceTests.allPrompt(&os.regions)
      let service = isLocating ? [OSCommand.startStandard(request)] : []
      let life = PhoneLife(
        .way(Self.away), os: os, app: DeviceTests.careful([.stopSignificantChange] + service))
      life.open()
      life.ask(.monitorRegion(centre: life.place, radius: .meters(100)))
      life.leave()
      life.advance(until: .minutes(15))
      return try #require(life.exits.first?.at) - life.truth.birth
    }
    let (without, located) = (try exit(isLocating: false), try exit(isLocating: true))
    // 70 m less at 8 m/s.
    #expect(abs((without - located).seconds - 70.0 / 8) < 3, "\(without), \(located)")
  }

  @Test("RG6: after a start of the phone no region is checked for three minutes")
  func afterBoot() throws {
    let life = Self.life(Self.away) { regions in
      regions.promptShare = 1
      regions.promptShareTerminated = 1
      regions.missed = 0
    }
    life.advance(until: .minutes(9))
    life.turnOff(for: .minutes(3))
    life.advance(until: .hours(1))
    let reported = try #require(life.exits.first?.at) - life.truth.birth
    #expect(reported > .minutes(15) + .seconds(20) && reported < .minutes(17))
  }

  @Test("an exit that the system misses is not reported, and the region stays")
  func missed() {
    let life = Self.life(Self.thereAndBack) { $0.missed = 1 }
    life.advance(until: .hours(9))
    #expect(life.exits.isEmpty && Self.steps(life).contains(.missed))
    #expect(life.phone.services.regionIsSet && !life.phone.services.regionIsLeft)
  }
}
