import Core
import Phone
import ServerLogic
import Synchronization
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Settings from the server while the fleet runs", .quick)
struct SettingsTests {
  /// A morning of owners who open the app on every day.
  static var plain: Scenario {
    var scenario = VirtualMorning.city()
    (scenario.fleet.phone.unopened, scenario.fleet.phone.daysUnopened) = (0, 0)
    return scenario
  }

  /// Half of the phones stop using satellites in the background an hour after the start.
  static func city(at: SimDuration = .hours(1)) -> Scenario {
    var scenario = plain
    var frugal = Policy.standard
    frugal.name = "frugal"
    frugal.settings.background.service.pattern = .off
    scenario.policies.append(frugal)
    scenario.rollouts = [
      Rollout(at: scenario.start + at, policy: 1, cohort: nil, share: 0.5)
    ]
    return scenario
  }

  @Test("HY2: a phone takes newer settings with the answer to its next upload, in virtual time")
  func virtual() {
    let fleet = VirtualMorning(Self.city(), threads: 2).fleet
    let rollouts = fleet.context.rollouts
    var taken = 0
    fleet.inOrder { shard in
      for i in 0..<shard.count {
        let phone = shard.phones[i]
        let wanted = rollouts.newest(for: phone.id, cohort: 0, at: shard.horizon)
        #expect(phone.rollout == 0 || Int(phone.rollout) == wanted)
        #expect(phone.policy == (phone.rollout == 0 ? 0 : 1))
        taken += Int(phone.rollout)
      }
    }
    #expect((100...200).contains(taken), "\(taken) of about 200 phones uploaded in two hours")
    #expect(fleet.metrics()[.settingsTaken] == taken)
  }

  @Test("HY2: phones apply the new settings, and nothing changes before their instant")
  func behaviour() {
    let never = VirtualMorning(Self.plain, threads: 2).fleet
    let late = VirtualMorning(Self.city(at: .hours(9)), threads: 2).fleet
    let early = VirtualMorning(Self.city(at: .minutes(1)), threads: 2).fleet
    #expect(late.digest() == never.digest())
    #expect(early.digest().world == never.digest().world)
    #expect(early.metrics()[.fixesGenerated] < never.metrics()[.fixesGenerated] * 9 / 10)
  }

  @Test("HY2: settings of a live run are inputs, so that its log replays to the same behaviour")
  func replay() throws {
    let scenario = Self.city(at: .minutes(10))
    let tests = LiveFleetTests()
    let fleet = tests.warm(scenario, threads: 2, .fromOutside)
    let uplink = UnreliableUplink()
    let mailbox = FleetMailbox(fleet)
    let live = LiveFleet(mailbox: mailbox, uplink: uplink)
    var now = scenario.start
    while now < scenario.measureEnd {
      now += .seconds(2)
      live.tick(before: min(now, scenario.measureEnd))
      live.inTurn { _ in }
      let orders = uplink.orders.withLock { orders in
        defer { orders.removeAll() }
        return orders
      }
      var inputs: [(phone: PhoneID, input: ServerInput)] = []
      for order in orders {
        let phone = order.id.phone
        let newest = fleet.context.rollouts.newest(for: phone, cohort: 0, at: now)
        if newest > order.rollout {
          inputs.append((phone, .settings(rollout: UInt8(newest))))
        }
        inputs.append((phone, .outcome(attempt: order.attempt, .acknowledged)))
      }
      mailbox.deliver(inputs)
    }
    live.stop(at: scenario.measureEnd)
    #expect(fleet.metrics()[.settingsTaken] > 50)
    let log = InputLog(
      seed: scenario.seed, scenarioHash: 1, end: scenario.measureEnd, inputs: live.takeLog())
    let read = try InputLog(bytes: log.bytes)
    #expect(read == log)
    let again = tests.warm(scenario, threads: 1, .fromOutside)
    again.replay(read)
    #expect(again.digest() == fleet.digest())
  }
}
