import Core
import PhoneSupport
@testable import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Background refresh", .quick)
struct RefreshRuleTests {
  /// A phone at home on a system that grants every run. Its owner leaves the app after a minute and
  /// is expected to open it again three hours later.
  private static func life(
    every: SimDuration? = .minutes(15), share: Double = 1, traits: PhoneTraits = [],
    _ change: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    var os = OSProfile.standard
    os.system.rules.refreshShare = share
    os.system.rules.refreshLead = .minutes(30)
    var policy = PolicySettings.standard
    policy.refresh = every.map { RefreshUse(every: $0, response: .burst) }
    let life = PhoneLife(
      .way([.stay(.hours(9))]), os: os, traits: traits, policy: policy, pushes: change,
      timedApp: { event, _ in event.isActivation ? [.requestAuthorization(.always)] : [] })
    life.open()
    life.advance(.minutes(1))
    life.act { phone, _, _ in
      phone.session = Window(start: life.now + .hours(3), end: life.now + .hours(4))
    }
    life.leave()
    return life
  }

  private static func runs(_ life: PhoneLife) -> [SimDuration] {
    life.delivered.compactMap {
      if case .refreshed = $0.event { $0.at - life.truth.birth } else { nil }
    }
  }

  @Test("BR2: one run for a request, in the half hour before the expected use")
  func once() throws {
    let life = Self.life()
    life.advance(until: .hours(8))
    let at = try #require(Self.runs(life).first)
    #expect(Self.runs(life).count == 1)
    #expect(at >= .minutes(151) && at < .minutes(181), "\(at)")
  }

  @Test("BR2: no run before the earliest time, nor without a request or a grant")
  func none() throws {
    let late = Self.life(every: .minutes(170))
    late.advance(until: .hours(8))
    #expect(try #require(Self.runs(late).first) >= .minutes(171))
    for life in [Self.life(every: .hours(4)), Self.life(every: nil), Self.life(share: 0)] {
      life.advance(until: .hours(8))
      #expect(Self.runs(life).isEmpty)
    }
  }

  @Test("BR3: no run at low charge, in Low Power Mode, with refresh off, force-quit or off")
  func gates() {
    let saving = Self.life { $0.owner.lowPower = 1 }
    let off = Self.life(traits: .refreshOff)
    let quit = Self.life()
    quit.swipeAway()
    let dark = Self.life()
    dark.turnOff(for: .hours(5))
    let low = Self.life()
    low.advance(until: .minutes(150))
    low.act { phone, _, _ in phone.battery.flags.insert(.low) }
    for life in [saving, off, quit, dark, low] {
      life.advance(until: .hours(8))
      #expect(Self.runs(life).isEmpty)
    }
  }

  @Test("BR4: a run starts an app that is not running, and answers with a position")
  func launches() {
    let life = Self.life()
    life.kill()
    life.advance(until: .hours(8))
    #expect(life.launches == [.user, .refresh] && Self.runs(life).count == 1)
    let context = TrackerStateMachine.Context(settings: life.context.policy.settings, seed: 1)
    var tracker = TrackerStateMachine()
    var commands = CommandList()
    tracker.handle(
      .refreshed(cached: nil), of: PhoneID(rawValue: 0), now: life.now, context, into: &commands)
    var starts = false
    for i in 0..<commands.count {
      if case .startStandard = commands[i] { starts = true }
    }
    #expect(starts)
  }
}
