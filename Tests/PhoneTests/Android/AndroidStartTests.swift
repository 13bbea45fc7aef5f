import Core
import PhoneSupport
@testable import Phone
import Scenarios
import TestSupport
import Testing

@Suite("Fences and the phone's start", .quick)
struct AndroidStartTests {
  static func often(_ setup: inout AndroidSetup) {
    setup.world.owner.battery.unlocksPerDay = 100
    setup.rules.restartAfter = .seconds(20)
  }

  @Test("ABO2: after the first unlock an app that asks for it starts, with its service")
  func boot() throws {
    for starts in [true, false] {
      let life = PhoneLife.android {
        Self.often(&$0)
        $0.use.service = .always
        $0.use.startsOnBoot = starts
      }
      life.advance(until: .hours(1))
      life.restart()
      #expect(life.state == .notRunning && !life.phone.android.hasService)
      life.advance(until: .hours(8))
      let unlock = try #require(life.firstUnlock)
      #expect(life.systemStarts == (starts ? [unlock + .seconds(20)] : []))
      #expect(life.phone.android.hasService == starts)
      #expect(life.state == (starts ? .background : .notRunning))
    }
  }

  @Test("ABO2, AFG5: with While In Use an app that starts with the phone has no service")
  func bootWhileInUse() {
    let life = PhoneLife.android {
      Self.often(&$0)
      $0.user = .whenInUse
      $0.use.service = .always
      $0.use.startsOnBoot = true
    }
    #expect(life.phone.android.hasService)
    life.restart()
    life.advance(until: .hours(8))
    #expect(life.systemStarts.count == 1 && !life.phone.android.hasService)
  }

  @Test("ABO2, ALC8: a tracker that the system starts locates as before, without its owner")
  func locatesAgain() throws {
    var policy = PolicySettings.quiet
    policy.background.service.pattern = .continuous
    policy.android.service = .always
    policy.android.startsOnBoot = true
    let life = TrackedPhone(policy, os: .android14, way: [.stay(.hours(12))], seed: 47).life
    life.advance(until: .hours(1))
    life.restart()
    life.advance(until: .hours(8))
    let start = try #require(life.systemStarts.first)
    let fixes = life.fixes(.standard)
    #expect(fixes.contains { $0 < life.truth.birth + .hours(1) })
    #expect(fixes.contains { $0 > start && $0 < start + .minutes(10) })
  }

  /// An hour at home, 4.8 km by car, and the day there. The app has a fence round home and two more
  /// round home and there, which it sets whenever it is launched or opened.
  static func fences(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    let way: [Stretch] = [
      .stay(.hours(1)), .ride(.minutes(10), metersPerSecond: 8), .stay(.hours(24)),
    ]
    let home = PhoneLife(.way(way)) { _ in [] }.place
    return PhoneLife.android {
      Self.often(&$0)
      $0.way = way
      $0.places = [0, 4_800]
      $0.app = DeviceTests.careful(
        .monitorRegion(centre: home, radius: .meters(150)), .monitorPlaces(near: nil))
      change(&$0)
    }
  }

  /// How a phone starts again ten minutes after its owner left the app.
  enum Start: CaseIterable { case switchedOn, restarted }

  @Test(
    "ABO3, AGF6: a start of the phone removes all fences, until the app sets them again",
    arguments: Start.allCases)
  func lost(start: Start) {
    for startsOnBoot in [false, true] {
      let life = Self.fences { $0.use.startsOnBoot = startsOnBoot }
      #expect(life.phone.services.regionIsSet && life.phone.places.monitored.count == 2)
      life.advance(until: .minutes(10))
      switch start {
      case .switchedOn: life.turnOff(for: .minutes(5))
      case .restarted: life.restart()
      }
      life.advance(until: .minutes(50))
      #expect(life.phone.services.regionIsSet == startsOnBoot)
      #expect(life.phone.places.monitored.count == (startsOnBoot ? 2 : 0))
      life.advance(until: .hours(9))
      #expect(life.exits.isEmpty == !startsOnBoot)
      #expect(life.crossings.contains { $0.place == 1 && $0.isEntry } == startsOnBoot)
    }
  }

  @Test("AGF6: an app that its owner opens after the start has its fences again")
  func opened() {
    let life = Self.fences()
    life.advance(until: .minutes(10))
    life.turnOff(for: .minutes(5))
    life.advance(until: .minutes(20))
    life.open()
    life.leave()
    life.advance(until: .hours(9))
    #expect(!life.exits.isEmpty && life.crossings.contains { $0.place == 1 && $0.isEntry })
  }

  // MARK: Only this time

  @Test("APM4: only this time ends a minute after the app was left, unless a service runs")
  func onlyThisTime() {
    for service in [AndroidUse.Service.never, .locating] {
      let life = PhoneLife.android {
        $0.user = .whenInUse
        $0.consent = .allowsOnce
        $0.use.service = service
        $0.app = { event in
          event.isActivation
            ? [.requestAuthorization(.whenInUse), .startStandard(.background)] : []
        }
      }
      life.advance(.seconds(59))
      #expect(life.phone.authorization == .whenInUse)
      life.advance(.seconds(2))
      #expect(life.phone.authorization == (service == .never ? .notDetermined : .whenInUse))
      guard service == .locating else { continue }
      life.advance(.minutes(10))
      #expect(life.phone.authorization == .whenInUse)
      life.ask(.stopStandard)
      life.advance(.minutes(2))
      #expect(life.phone.authorization == .notDetermined)
    }
  }
}
