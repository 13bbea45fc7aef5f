import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Regions round places", .quick)
struct PlaceTests {
  /// Half an hour at home, 4.8 km by car, an hour there, the way back, and the night.
  static let dayOut: [Stretch] = [
    .stay(.minutes(30)), .ride(.minutes(10), metersPerSecond: 8), .stay(.hours(1)),
    .ride(.minutes(10), metersPerSecond: -8), .stay(.hours(9)),
  ]
  static let arrives = SimDuration.minutes(40)

  /// Where the phone of `dayOut` begins, and places at distances in metres east of it.
  static func places(_ east: [Double], from way: [Stretch]) -> PlaceBook {
    let life = PhoneLife(.way(way)) { _ in [] }
    return PlaceBook(common: east.map { life.home + PlanePoint(x: $0, y: 0) })
  }

  /// An app that has these places and nothing else, left in the background.
  static func life(
    _ way: [Stretch], places east: [Double] = [0, 4_800], seed: UInt64 = 1,
    choose: PlaceRule.Choice = .nearest, isKilled: Bool = false,
    _ change: (inout RegionProfile) -> Void = { _ in }
  ) -> PhoneLife {
    var os = ServiceRuleTests.withoutCellChanges()
    change(&os.regions)
    var policy = PolicySettings.standard
    policy.regionRadius = nil
    policy.places = PlaceRule(radius: .meters(100), others: east.count - 2, choose: choose)
    var place: Coordinate?
    let life = PhoneLife(
      .way(way, seed: seed), os: os, policy: policy, places: places(east, from: way)
    ) { event, _ in
      switch event {
      case .becameActive: [.requestAuthorization(.always), .monitorPlaces(near: place)]
      case .launched: [.monitorPlaces(near: nil)]
      // RG10: beyond the region round itself it chooses again.
      case .regionExited(.imprecise, let fix): [.monitorPlaces(near: fix?.coordinate)]
      case _: []
      }
    }
    place = life.place
    life.open()
    life.leave()
    if isKilled { life.kill() }
    return life
  }

  static func allPrompt(_ regions: inout RegionProfile) {
    regions.promptShare = 1
    regions.promptShareTerminated = 1
    regions.missed = 0
    regions.missedByMonitor = 0
  }

  static func allLate(_ regions: inout RegionProfile) { RegionTailTests.allLate(&regions) }

  // MARK: Entry and exit

  @Test(
    "RG5: entry is reported once the phone has been inside for the dwell, exit once it is outside")
  func entryAndExit() throws {
    let life = Self.life(Self.dayOut, Self.allPrompt)
    life.advance(until: .hours(9))
    #expect(life.crossings.map(\.place) == [0, 1, 1, 0])
    #expect(life.crossings.map(\.isEntry) == [false, true, false, true])
    let times = life.crossings.map { $0.at - life.truth.birth }
    try #require(times.count == 4)
    // 200 m of radius and cushion away from home, and the dwell.
    let left = SimDuration.minutes(30) + .seconds(25 + 20)
    #expect(times[0] >= left && times[0] < left + .minutes(2))
    // 100 m before the place, and the dwell.
    let entered = Self.arrives - .seconds(12) + .seconds(20)
    #expect(times[1] >= entered - .seconds(1) && times[1] < entered + .minutes(2))
  }

  @Test("RG5: being inside at the registration is no event, nor is driving past within the dwell")
  func noEvent() {
    let staying = Self.life([.stay(.hours(9))], places: [0, 50], Self.allPrompt)
    staying.advance(until: .hours(8))
    #expect(staying.crossings.isEmpty)
    // At 15 m/s the chord of 200 m takes 13 s.
    let passing = Self.life(
      [.stay(.minutes(10)), .ride(.minutes(20), metersPerSecond: 15), .stay(.hours(1))],
      places: [9_000, 50_000], Self.allPrompt)
    passing.advance(until: .hours(1))
    #expect(passing.crossings.isEmpty)
  }

  @Test(
    "RG5: a phone that enters and stays is mostly told within half a minute after the dwell")
  func prompt() {
    let delays = (1...200).compactMap { seed in
      // RG11: An entry that a check does not show is reported at a later check.
      let way = Array(Self.dayOut.prefix(2)) + [.stay(.hours(9))]
      let life = Self.life(way, places: [4_800, 50_000], seed: UInt64(seed))
      life.advance(until: .hours(9))
      return life.crossings.first.map { $0.at - life.truth.birth - Self.arrives + .seconds(12) }
    }
    #expect(delays.count >= 190)
    #expect(delays.share { $0 <= .seconds(50) } > 0.8)
    #expect(delays.allSatisfy { $0 >= .seconds(19) })
  }

  @Test("RG7: entry is reported late to more ended apps, and never after it was undone")
  func late() {
    let far = (1...150).compactMap { seed in
      let life = Self.life(
        [.stay(.minutes(30)), .ride(.minutes(10), metersPerSecond: 8), .stay(.hours(9))],
        places: [4_800, 50_000], seed: UInt64(seed), isKilled: true)
      life.advance(until: .hours(6))
      return life.crossings.first.map { $0.at - life.truth.birth - Self.arrives }
    }
    #expect((0.25...0.6).contains(far.share { $0 > .minutes(5) }))
    #expect(far.contains { $0 > .hours(1) } && far.allSatisfy { $0 < .hours(3) + .minutes(1) })
    // The stay of an hour is over before the check after 90 minutes.
    let undone = Self.life(Self.dayOut, places: [4_800, 50_000]) { regions in
      Self.allLate(&regions)
      regions.lateMax = .minutes(90)
    }
    undone.advance(until: .hours(9))
    #expect(undone.crossings.isEmpty)
    #expect(RegionTailTests.steps(undone) == [.unnoticed, .undone])
  }

  @Test("RG6: when one crossing is reported, waiting ones are reported with it")
  func together() {
    let life = Self.life(Self.dayOut, Self.allLate)
    life.advance(until: .minutes(41))
    #expect(life.crossings.isEmpty)
    life.open()
    life.advance(.seconds(1))
    #expect(life.crossings.map(\.place) == [0, 1])
    #expect(life.crossings.map(\.isEntry) == [false, true])
  }

  @Test("RG6: a start of the phone delays the entry by three minutes")
  func afterBoot() {
    let life = Self.life(Self.dayOut, places: [4_800, 50_000], Self.allPrompt)
    life.advance(until: .minutes(38))
    life.turnOff(for: .minutes(1))
    life.advance(until: .minutes(42))
    #expect(life.crossings.isEmpty)
    life.advance(until: .minutes(44))
    #expect(life.crossings.map(\.isEntry) == [true])
  }

  // MARK: Twenty

  /// Places 1 km apart, and a ride along them that pauses a minute at each.
  static let row = (0..<25).map { Double($0) * 1_000 }
  static let along: [Stretch] =
    [.stay(.minutes(10))]
    + (0..<24).flatMap { _ in
      [Stretch.ride(.seconds(125), metersPerSecond: 8), .stay(.minutes(5))]
    }

  @Test("RG9: an app has twenty regions; later ones are not monitored, and it receives an error")
  func twenty() {
    let life = Self.life(Self.along, places: Self.row, choose: .first, Self.allPrompt)
    #expect(life.phone.places.monitored.count == 20)
    #expect(RegionTailTests.steps(life) == Array(repeating: .refused, count: 5))
    #expect(
      life.count { if case .regionsRefused(5) = $0 { true } else { false } } == 1,
      "one error")
    life.advance(until: .hours(4))
    let entered = Set(life.crossings.filter(\.isEntry).map(\.place))
    #expect(entered == Set(1..<20), "the last five are silent")
    let full = Self.life(Self.along, places: Self.row, choose: .first)
    full.open()
    full.ask(.monitorRegion(centre: full.place, radius: .meters(100)))
    #expect(!full.phone.services.regionIsSet, "the twenty-first of any kind")
  }

  @Test("RG10: the nearest places and one extra region reach every place on the way")
  func nearest() {
    let life = Self.life(Self.along, places: Self.row, Self.allPrompt)
    #expect(life.phone.places.monitored.count == 19 && life.phone.services.regionIsSet)
    var most = 0
    var choices: Set<[Int]> = []
    for _ in 0..<240 {
      life.advance(.minutes(1))
      let set = life.phone.places.monitored
      most = max(most, set.count + (life.phone.services.regionIsSet ? 1 : 0))
      choices.insert((0..<25).filter(set.contains))
    }
    #expect(most == 20)
    #expect(choices.count >= 2, "24 km: at least one new choice in 15")
    #expect(Set(life.crossings.filter(\.isEntry).map(\.place)) == Set(1..<25))
    #expect(RegionTailTests.steps(life).allSatisfy { $0 != .refused })
  }

  @Test("RG10: all places within the system's limit are set, without an extra region")
  func fits() {
    let life = Self.life(Self.along, places: Array(Self.row.prefix(20)))
    #expect(life.phone.places.monitored.count == 20 && !life.phone.services.regionIsSet)
  }

  @Test("RG5: regions round places are removed when the policy names none")
  func stopped() {
    let life = Self.life(Self.dayOut, Self.allPrompt)
    life.open()
    life.ask(.stopMonitoringPlaces)
    life.leave()
    life.advance(until: .hours(9))
    #expect(life.crossings.isEmpty && life.phone.due[.place] == .distantFuture)
  }
}
