import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("The pause trap", .quick)
struct PauseRuleTests {
  /// A ride, a stop of an hour, and a ride of two hours.
  static func paused(_ trap: SystemRules.PauseTrap = .strict, pauses: Bool = true) -> PhoneLife {
    var os = OSProfile.standard
    os.system.rules.pauseTrap = trap
    return left(
      [
        .ride(.minutes(10), metersPerSecond: 6), .stay(.hours(1)),
        .ride(.hours(2), metersPerSecond: 6),
      ], os: os, pauses: pauses)
  }

  /// An app that is left after a minute, its standard service on.
  static func left(
    _ way: [Stretch], os: OSProfile = .standard, pauses: Bool = true,
    activity: ActivityType = .other, perDay: Double = 1
  ) -> PhoneLife {
    let life = DeviceTests.installed(
      PhoneLife(
        .way(way), os: os, pushes: { $0.owner.battery.unlocksPerDay = perDay },
        app: DeviceTests.app()))
    life.open()
    var request = ServiceRequest.background
    request.pausesAutomatically = pauses
    request.activityType = activity
    life.ask(.startStandard(request))
    life.advance(.minutes(1))
    life.leave()
    return life
  }

  @Test("PT1: standing still for 15 minutes pauses the service and suspends the app")
  func pauses() {
    let life = Self.paused()
    life.advance(until: .minutes(24))
    #expect(life.state == .background && life.count(\.isPause) == 0)
    #expect(life.fixes(.standard).last.map { life.now - $0 <= .minutes(2) } == true)
    life.advance(until: .minutes(26))
    #expect(life.state == .suspended && life.count(\.isPause) == 1)
    #expect(!life.phone.standard.isOn && life.phone.standard.isWanted)
  }

  @Test("PT5: a phone that is often picked up pauses after hours, at night after 15 minutes")
  func pickedUp() throws {
    /// Returns the time from the end of a ride that begins at half past seven to the pause.
    func wait(after ride: SimDuration, perDay: Double) throws -> SimDuration {
      let life = Self.left(
        [.ride(ride, metersPerSecond: 1), .stay(.hours(30))], perDay: perDay)
      life.advance(.hours(36))
      let pause = try #require(life.delivered.first { $0.event.isPause }?.at)
      return pause - life.truth.birth - ride
    }
    #expect(try wait(after: .hours(1), perDay: 150) > .hours(1))
    #expect(try wait(after: .hours(1), perDay: 10) < .hours(1))
    #expect(abs(try wait(after: .hours(18), perDay: 150).seconds - 900) < 5)
  }

  @Test("PT2: two hours of riding after a pause bring no fix; opening the app does")
  func latch() {
    let life = Self.paused()
    life.advance(until: .minutes(40))
    let mark = life.mark
    life.advance(until: .minutes(180))
    #expect(life.fixes(since: mark).isEmpty)
    life.open()
    life.advance(.minutes(3))
    #expect(life.fixes(since: mark).count > 100)
  }

  @Test("PT3: a wake does not end a pause in the strict trap, and may in the recoverable one")
  func wakeWhilePaused() {
    for (trap, recovers) in [(SystemRules.PauseTrap.strict, false), (.recoverable, true)] {
      let life = Self.paused(trap)
      life.advance(until: .minutes(40))
      life.open()
      life.ask(.monitorRegion(centre: life.place, radius: .meters(100)))
      life.leave()
      // Opening ended the pause; the next one comes a quarter of an hour later.
      life.advance(until: .minutes(69))
      #expect(life.phone.standard.isPaused)
      let mark = life.mark
      life.advance(until: .minutes(75))
      #expect(life.delivered(since: mark).count(where: \.isRegionExit) == 2, "the handler runs")
      life.wake(.beginBackgroundTask, .stopStandard, .startStandard(.background))
      let later = life.mark
      life.advance(.seconds(25))
      #expect(life.fixes(since: later).isEmpty == !recovers)
    }
  }

  @Test("PT4: with the pause switched off nothing pauses")
  func off() {
    let life = Self.paused(pauses: false)
    life.advance(until: .minutes(60))
    #expect(life.count(\.isPause) == 0 && life.state == .background)
  }

  @Test("PT4: the activity type decides what is rest: a walk pauses a car's app, not a runner's")
  func hint() {
    for (activity, pauses) in [(ActivityType.automotive, true), (.fitness, false)] {
      let life = Self.left([.ride(.hours(2), metersPerSecond: 1.4)], activity: activity)
      life.advance(.minutes(20))
      #expect((life.count(\.isPause) == 1) == pauses)
    }
  }
}
