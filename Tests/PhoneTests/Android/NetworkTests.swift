import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Network of apps in the background", .quick)
struct NetworkTests {
  /// A push keeps the app running for some seconds, and work sends at once.
  static func app(_ event: OSEvent) -> [OSCommand] {
    switch event {
    case .becameActive: [.requestAuthorization(.always)]
    case .silentPush: [.beginBackgroundTask]
    case .refreshed: [.upload(sequence: 1, count: 0)]
    case _: []
    }
  }

  /// The numbers of sends, and of those without a network.
  static func attempts(_ life: PhoneLife) -> [Int] {
    let sent = life.effects.count { if case .uploadStarted = $0 { true } else { false } }
    return [sent, life.effects.count { if case .uploadOffline = $0 { true } else { false } }]
  }

  /// Whether an app sends some time after a push of high priority.
  static func sends(
    at time: SimDuration = AndroidPushTests.idle, after wait: SimDuration = .seconds(15),
    _ change: (inout AndroidSetup) -> Void = { _ in }
  ) -> Bool {
    let life = AndroidPushTests.urgent {
      $0.app = Self.app
      change(&$0)
    }
    life.advance(until: time)
    life.push()
    life.advance(wait)
    life.ask(.upload(sequence: 1, count: 0))
    return attempts(life) == [1, 0]
  }

  @Test("ADZ7, AFC2: in Doze an app has the network for 10 s after a push of high priority")
  func doze() {
    #expect(Self.sends(after: .seconds(9)))
    #expect(!Self.sends(after: .seconds(11)))
    #expect(Self.sends(at: AndroidPushTests.window), "in a window")
  }

  @Test("ADZ7, ADZ8: beside a service or with an exemption it keeps the network")
  func kept() {
    #expect(Self.sends { $0.use.service = .always })
    #expect(
      Self.sends {
        $0.use.asksExemption = true
        $0.rules.exempt = 1
      })
  }

  @Test("AFC12: an app that its owner has restricted has it only for 10 s after such a push")
  func restricted() {
    let owner: AndroidSetupChange = { $0.rules.ownerRestricts = 1 }
    #expect(Self.sends(at: AndroidPushTests.window, after: .seconds(9), owner))
    #expect(!Self.sends(at: AndroidPushTests.window, owner))
  }

  @Test("AAL2: an alarm while idle opens the network in Doze")
  func alarm() {
    let life = PhoneLife.android {
      $0.app = Self.app
      $0.use.alarm = AlarmUse(every: .minutes(15), exact: false, whileIdle: true)
    }
    life.advance(until: .minutes(16))
    #expect(life.doze.isIdle && Self.attempts(life) == [1, 0])
  }

  static func worker(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    PhoneLife.android {
      $0.app = Self.app
      $0.use.work = .minutes(15)
      $0.world.owner.lowPower = 1
      change(&$0)
    }
  }

  @Test("ABT2: in Battery Saver work sends nothing, unless a service runs or the app is exempt")
  func batterySaver() {
    let changes: [(AndroidSetupChange, Bool)] = [
      ({ _ in }, false), ({ $0.world.owner.lowPower = 0 }, true),
      ({ $0.use.service = .always }, true),
      (
        {
          $0.use.asksExemption = true
          $0.rules.exempt = 1
        }, true
      ),
    ]
    for (change, sends) in changes {
      let life = Self.worker(change)
      life.advance(until: .seconds(30))
      #expect(Self.attempts(life) == (sends ? [1, 0] : [0, 1]))
    }
  }

  @Test("ABT1: on a charger Battery Saver keeps an app neither from the network nor from locating")
  func charger() {
    let life = Self.worker { $0.world.owner.chargesAtNight = 1 }
    // From 23 to 6 h.
    life.advance(until: .minutes(15 * 60 + 29))
    #expect(Self.attempts(life)[0] == 0 && life.fixes(.imprecise).isEmpty)
    life.advance(until: .minutes(22 * 60 + 29))
    #expect(Self.attempts(life)[0] > 20 && life.fixes(.imprecise).count > 10)
  }

  @Test("ABT1: Battery Saver is offered at 15 % and ends at 90 %")
  func figures() throws {
    let battery = try shipped.energyProfile("android2022").value.battery
    #expect(battery.warnsAt == 0.15 && battery.lowPowerEndsAt == 0.9)
  }
}

private typealias AndroidSetupChange = (inout AndroidSetup) -> Void
