import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Conditions of CLMonitor", .quick)
struct MonitorTests {
  /// An app with conditions round two places, set when it is opened and at each launch.
  static func life(
    _ way: [Stretch], places east: [Double], _ interface: PlaceRule.Interface = .monitor,
    opens: Bool = true, holdsSession: Bool = true, _ change: (inout OSProfile) -> Void = { _ in }
  ) -> PhoneLife {
    var os = ServiceRuleTests.withoutCellChanges()
    PlaceTests.allPrompt(&os.regions)
    change(&os)
    var policy = PolicySettings.standard
    policy.regionRadius = nil
    policy.places = PlaceRule(
      radius: .meters(100), others: east.count - 2, choose: .first, interface: interface,
      opensMonitor: opens, holdsSession: holdsSession)
    let life = PhoneLife(
      .way(way), os: os, policy: policy, places: PlaceTests.places(east, from: way)
    ) { event, _ in
      switch event {
      case .becameActive: [.requestAuthorization(.always), .monitorPlaces(near: nil)]
      case .launched: [.stopSignificantChange, .monitorPlaces(near: nil)]
      case _: []
      }
    }
    life.open()
    life.leave()
    return life
  }

  @Test("CM1: a condition already satisfied when added is an event, a region is not")
  func firstState() throws {
    let condition = Self.life([.stay(.hours(9))], places: [0, 50_000])
    condition.advance(until: .minutes(2))
    #expect(condition.crossings.map(\.isEntry) == [true])
    condition.advance(until: .hours(8))
    #expect(condition.crossings.count == 1, "the state does not change again")
    let region = Self.life([.stay(.hours(9))], places: [0, 50_000], .regions)
    region.advance(until: .hours(8))
    #expect(region.crossings.isEmpty)
    let old = Self.life([.stay(.hours(9))], places: [0, 50_000]) {
      $0.system.rules.hasConditionMonitor = false
    }
    old.advance(until: .hours(8))
    #expect(old.crossings.isEmpty, "a system without CLMonitor has regions")
  }

  @Test("CM2: a condition is dropped when its app is launched for it and opens no monitor")
  func dropped() {
    let forgets = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], opens: false)
    forgets.kill()
    forgets.advance(until: .hours(8))
    #expect(forgets.crossings.isEmpty && forgets.launches == [.user, .location])
    #expect(RegionTailTests.steps(forgets) == [.dropped])
    #expect(!forgets.phone.places.monitored.contains(0))
    forgets.open()
    #expect(forgets.phone.places.monitored.contains(0), "opened, it adds it again")
    let opens = Self.life(PlaceTests.dayOut, places: [4_800, 50_000])
    opens.kill()
    opens.advance(until: .hours(8))
    #expect(opens.crossings.map(\.isEntry) == [true, false])
    // While the process runs, its monitor is open.
    let alive = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], opens: false)
    alive.advance(until: .hours(8))
    #expect(alive.crossings.map(\.isEntry) == [true, false])
  }

  @Test("LC10: on iOS 26 a swiped app comes back for a condition, and not for a region")
  func forceQuit() throws {
    let ios26 = try shipped.osProfile("ios26").value
    for (interface, launches) in [
      (PlaceRule.Interface.monitor, [LaunchReason.user, .location]), (.regions, [.user]),
    ] {
      let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], interface) {
        $0.system = ios26.system
      }
      life.open()
      life.swipeAway()
      life.advance(until: .hours(1))
      #expect(life.launches == launches, "\(interface)")
    }
  }

  @Test("CM3: an event of a condition comes twice, a crossing of a region once")
  func copies() {
    func life(_ interface: PlaceRule.Interface) -> PhoneLife {
      let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], interface) {
        $0.regions.monitorCopies = 1
      }
      life.advance(until: .hours(8))
      return life
    }
    #expect(life(.monitor).crossings.map(\.isEntry) == [true, true, false, false])
    #expect(life(.regions).crossings.map(\.isEntry) == [true, false])
  }

  @Test("CM4: after a launch in the background a deaf monitor loses the crossings that follow")
  func deaf() {
    let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000]) {
      $0.regions.monitorDeaf = 1
      $0.regions.monitorDeafFor = .hours(1_000)
    }
    life.kill()
    life.advance(until: .hours(8))
    #expect(life.crossings.map(\.isEntry) == [true], "the event of the launch alone")
    #expect(RegionTailTests.steps(life).contains(.missed))
  }

  @Test("CM5: from iOS 18 on a monitor without a service session is silent in the background")
  func session() {
    func life(holds: Bool, needs: Bool) -> PhoneLife {
      let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], holdsSession: holds) {
        $0.system.rules.monitorNeedsSession = needs
      }
      life.advance(until: .hours(8))
      return life
    }
    #expect(life(holds: false, needs: true).crossings.isEmpty)
    #expect(life(holds: true, needs: true).crossings.count == 2)
    #expect(life(holds: false, needs: false).crossings.count == 2)
  }

  @Test("CM6: a condition that is added again first reports the old state, then the true one")
  func belief() throws {
    func life(_ interface: PlaceRule.Interface, forget: (PhoneLife) -> Void) -> PhoneLife {
      let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000], interface) {
        $0.regions.monitorEvaluation = .seconds(3)
      }
      life.advance(until: .hours(1))
      forget(life)
      life.advance(until: .hours(3))
      life.open()
      life.advance(.hours(1))
      return life
    }
    let stopped = { (life: PhoneLife) in life.ask(.stopMonitoringPlaces) }
    for forget in [stopped, { $0.remove() }] {
      let monitor = life(.monitor, forget: forget)
      // Only the first of the events is true: the phone has been at home again for an hour.
      try #require(monitor.crossings.map(\.isEntry) == [true, true, false])
      #expect(monitor.crossings[1].at == monitor.truth.birth + .hours(3))
      #expect(monitor.crossings[2].at == monitor.crossings[1].at + .seconds(3))
      #expect(life(.regions, forget: forget).crossings.map(\.isEntry) == [true])
    }
  }

  @Test("CM6: a state that was kept and is right is reported once")
  func rightBelief() {
    let life = Self.life(PlaceTests.dayOut, places: [4_800, 50_000])
    life.advance(until: .hours(1))
    life.ask(.stopMonitoringPlaces)
    life.open()
    life.advance(until: .minutes(80))
    #expect(life.crossings.map(\.isEntry) == [true, true])
  }
}
