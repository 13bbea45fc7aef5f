import Core
import PhoneSupport
@testable import Scenarios
import TestSupport
import Testing

@testable import Phone

@Suite("Events beside fixes, on a phone", .quick)
struct RegionEventTests {
  private static func life(
    _ kinds: EventUse.Kinds = [.regions], capacity: UInt8 = 100,
    _ change: (inout RegionProfile) -> Void = PlaceTests.allPrompt
  ) -> PhoneLife {
    var os = ServiceRuleTests.withoutCellChanges()
    change(&os.regions)
    var policy = PolicySettings.standard
    policy.regionRadius = nil
    policy.places = PlaceRule(radius: .meters(100), others: 0, choose: .nearest)
    policy.events.kinds = kinds
    policy.events.capacity = capacity
    let life = PhoneLife(
      .way(PlaceTests.dayOut), os: os, policy: policy,
      places: PlaceTests.places([0, 4_800], from: PlaceTests.dayOut)
    ) { event, _ in
      switch event {
      case .becameActive: [.requestAuthorization(.always), .startVisits, .monitorPlaces(near: nil)]
      case .launched: [.monitorPlaces(near: nil)]
      case _: []
      }
    }
    life.open()
    life.leave()
    return life
  }

  private static func steps(of life: PhoneLife) -> [EventStep] {
    life.effectsInTime.compactMap { if case .event(let step) = $0.effect { step } else { nil } }
  }

  @Test("each crossing is an event with the instants of the crossing and of the callback")
  func crossings() throws {
    let life = Self.life()
    life.advance(until: .hours(9))
    let events = life.waitingEvents
    try #require(events.count == 4)
    #expect(events.map(\.kind) == [.exit, .enter, .exit, .enter])
    #expect(events.map(\.place) == [0, 1, 1, 0])
    #expect(events.map(\.number) == [1, 2, 3, 4])
    #expect(events.map(\.noticed) == life.crossings.map(\.at))
    // 100 m at 8 m/s after the start of the ride, and before its end.
    let minutes = [30.0, 40, 100, 110]
    for (event, minute) in zip(events, minutes) {
      let edge = event.kind == .exit ? 12.5 : -12.5
      let happened = try #require(event.happened) - life.truth.birth
      #expect(abs(happened.seconds - minute * 60 - edge) < 0.1, "\(event)")
      #expect(event.fix != nil)
    }
    for step in Self.steps(of: life) {
      guard case .generated(let isFalse, let isRepeated) = step else { continue }
      #expect(!isFalse && !isRepeated)
    }
  }

  @Test("a visit is an arrival and a departure, with the time spent as the dwell")
  func visits() throws {
    let life = Self.life([.visits])
    life.advance(until: .hours(9))
    let events = life.waitingEvents
    let departures = events.filter { $0.kind == .depart }
    #expect(events.contains { $0.kind == .arrive } && !departures.isEmpty)
    for event in events { #expect(event.noticed >= event.happened ?? .distantPast) }
    let away = try #require(departures.last { $0.dwellSeconds != nil })
    #expect(abs(Int(away.dwellSeconds ?? 0) - 3_600) < 60)
  }

  @Test("a policy without a kind keeps no event of it; a full outbox evicts the oldest")
  func kinds() {
    let without = Self.life([.motion])
    without.advance(until: .hours(9))
    #expect(without.waitingEvents.isEmpty)
    let small = Self.life(capacity: 2)
    small.advance(until: .hours(9))
    #expect(small.waitingEvents.map(\.number) == [3, 4])
    #expect(Self.steps(of: small).count { if case .evicted = $0 { true } else { false } } == 2)
  }

  @Test("opening the app and a change of permission are events")
  func owner() {
    let life = Self.life([.opened, .permission])
    life.advance(until: .minutes(5))
    let kinds = life.waitingEvents.map(\.kind)
    #expect(kinds.contains(.opened) && kinds.contains(.permission))
    #expect(life.waitingEvents.first { $0.kind == .opened }?.happened == life.truth.birth)
  }

  @Test("CM3: the second copy of a monitor's event counts as repeated")
  func copies() {
    var policy = PolicySettings.standard
    policy.places = PlaceRule(
      radius: .meters(100), others: 0, choose: .nearest, interface: .monitor)
    policy.events.kinds = [.regions]
    var os = ServiceRuleTests.withoutCellChanges()
    PlaceTests.allPrompt(&os.regions)
    os.regions.monitorCopies = 1
    let life = PhoneLife(
      .way(PlaceTests.dayOut), os: os, policy: policy,
      places: PlaceTests.places([0, 4_800], from: PlaceTests.dayOut)
    ) { event, _ in
      switch event {
      case .becameActive: [.requestAuthorization(.always), .monitorPlaces(near: nil)]
      case .launched: [.monitorPlaces(near: nil)]
      case _: []
      }
    }
    life.open()
    life.leave()
    life.advance(until: .hours(9))
    var (all, repeated) = (0, 0)
    for case .generated(_, let isRepeated) in Self.steps(of: life) {
      all += 1
      if isRepeated { repeated += 1 }
    }
    #expect(all >= 8 && repeated * 2 == all, "\(repeated) of \(all)")
  }
}
