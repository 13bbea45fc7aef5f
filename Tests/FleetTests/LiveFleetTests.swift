import Core
import Phone
import Scenarios
import ServerLogic
import Synchronization
import TestSupport
import Testing

@testable import Fleet

/// Answers uploads from memory, some late, some not at all, as a live server may.
final class UnreliableUplink: Uplink {
  let orders = Mutex<[UploadOrder]>([])
  func submit(_ events: [EventOrder]) {}
  func submit(_ new: [UploadOrder], fixes: [Fix], shard: Int) {
    orders.withLock { $0 += new }
  }
}

@Suite("A live fleet", .quick)
struct LiveFleetTests {
  func warm(_ scenario: Scenario, threads: Int, _ answers: Answers) -> PhoneFleet {
    let fleet = PhoneFleet(scenario, threads: threads)
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.advance(until: scenario.start)
    _ = fleet.startCounting(after: time.backend, answers: answers)
    return fleet
  }

  @Test("its log of inputs replays to the same behaviour, whatever the server did")
  func replay() throws {
    var scenario = VirtualMorning.city()
    scenario.duration = .hours(1)
    let fleet = warm(scenario, threads: 2, .fromOutside)
    let uplink = UnreliableUplink()
    let mailbox = FleetMailbox(fleet)
    let live = LiveFleet(mailbox: mailbox, uplink: uplink)
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 999))
    var waiting: [UploadOrder] = []
    var now = scenario.start
    while now < scenario.measureEnd {
      now += .milliseconds(700)
      live.tick(before: min(now, scenario.measureEnd))
      live.inTurn { _ in }
      waiting += uplink.orders.withLock { orders in
        defer { orders.removeAll() }
        return orders
      }
      // This tick answers one in three of the waiting uploads, one in ten of them with a failure.
      var inputs: [(phone: PhoneID, input: ServerInput)] = []
      waiting.removeAll { order in
        guard draw.chance(0.33) else { return false }
        let result: UploadResult = draw.chance(0.1) ? .failed : .acknowledged
        inputs.append((order.id.phone, .outcome(attempt: order.attempt, result)))
        return true
      }
      if draw.chance(0.2) {
        let phone = PhoneID(rawValue: UInt32(draw.uniform() * 400))
        let push = SilentPush(
          id: draw.next() | 1, phone: phone, requestedAt: now, expiration: now + .hours(1))
        inputs.append((phone, .push(push)))
      }
      mailbox.deliver(inputs)
    }
    live.stop(at: scenario.measureEnd)
    let lived = fleet.digest()
    let log = InputLog(
      seed: scenario.seed, scenarioHash: 1, end: scenario.measureEnd, inputs: live.takeLog())
    #expect(log.inputs.count > 500)

    let again = warm(scenario, threads: 1, .fromOutside)
    again.replay(try InputLog(bytes: log.bytes))
    #expect(again.digest() == lived)
    #expect(fleet.ledger().check() == [])
  }

  @Test("a truncated input log is refused")
  func truncatedLog() {
    let log = InputLog(
      seed: 1, scenarioHash: 2, end: .distantPast,
      inputs: [
        ConsumedInput(
          phone: PhoneID(rawValue: 9), at: SimInstant(microseconds: 5),
          input: .outcome(attempt: 3, .failed))
      ])
    #expect(throws: InputLogError.cutOff(records: 1)) {
      try InputLog(bytes: Array(log.bytes.dropLast()))
    }
    #expect(throws: InputLogError.notAnInputLog) { try InputLog(bytes: [1, 2, 3]) }
  }
}
