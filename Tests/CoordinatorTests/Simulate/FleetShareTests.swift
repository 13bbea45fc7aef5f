import Fleet
import Foundation
import Measure
@testable import Scenarios
import ServerLogic
import SimulationCore
import Synchronization
import Telemetry
import Testing

@testable import Coordinator

/// Where the parts of a fleet that are lived side by side agree on the rate of pushes.
private final class SweepMeeting: Sendable {
  private struct Content {
    var bids: [SweepBids] = []
    var cut = SweepCut.nobody
    var round = 0
    var bound = 0
  }
  private let parts: Int
  private let condition = NSCondition()
  private let content = Mutex(Content())

  init(parts: Int) { self.parts = parts }

  /// Counts the sweeps at which a process had to wait.
  var sweepsThatBound: Int { content.withLock { $0.bound } }

  func agree(_ mine: SweepBids) -> SweepCut {
    condition.lock()
    defer { condition.unlock() }
    let (round, isLast) = content.withLock { content in
      content.bids.append(mine)
      let round = content.round
      guard content.bids.count == parts else { return (round, false) }
      #expect(Set(content.bids.map(\.sweep)).count == 1)
      content.cut = SweepBids.cut(content.bids)
      if content.cut != .everybody { content.bound += 1 }
      content.bids = []
      content.round += 1
      return (round, true)
    }
    if isLast { condition.broadcast() }
    while content.withLock({ $0.round }) == round { condition.wait() }
    return content.withLock { $0.cut }
  }
}

@Suite("A fleet lived in several processes", .timeLimit(.minutes(10)))
struct FleetShareTests {
  private static func plan(_ change: (inout Scenario) -> Void = { _ in }) -> RunPlan {
    var scenario = Scenario.standard(phones: 200)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(2)
    change(&scenario)
    return RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
  }

  private static let ranges = [0..<70, 70..<130, 130..<200]

  private static func simulate(_ plan: RunPlan) -> RunOutcome {
    var simulation = Simulation(plan)
    simulation.keepsTrace = true
    return simulation.run(progress: { _ in }, shouldStop: { false })
  }

  /// Lives every range on a thread of its own, and hands over what each leaves as it would travel.
  private static func shares(
    _ plan: RunPlan, agree: (@Sendable (SweepBids) -> SweepCut)? = nil
  ) throws -> [RunShare] {
    let left = Mutex<[RunOutcome]>([])
    let done = DispatchSemaphore(value: 0)
    for range in ranges {
      var plan = plan
      plan.share = range
      plan.agree = agree
      let mine = plan
      Thread {
        let outcome = simulate(mine)
        left.withLock { $0.append(outcome) }
        done.signal()
      }.start()
    }
    for _ in ranges { done.wait() }
    return try left.withLock { $0 }.map { outcome in
      let share = try #require(outcome.share)
      return try JSONDecoder().decode(RunShare.self, from: JSONEncoder().encode(share))
    }
  }

  /// The record but for the machine that made it and the time that it took.
  private func text(_ outcome: RunOutcome) throws -> String {
    var record = outcome.record
    record.machine = RunRecord.Machine()
    record.timing = RunRecord().timing
    return String(decoding: try record.json(), as: UTF8.self)
  }

  private func isThatOfOne(_ shares: [RunShare], _ plan: RunPlan) throws {
    let whole = Self.simulate(plan)
    let merged = try RunOutcome(plan, shares: shares)
    #expect(merged.account == whole.account)
    #expect(merged.server == whole.server)
    #expect(merged.timeline == whole.timeline && merged.timeline.count == 120)
    #expect(merged.trace == whole.trace)
    #expect(try text(merged) == text(whole))
  }

  @Test("three processes with a range of the phones each make the record of one, byte for byte")
  func record() throws {
    let plan = Self.plan()
    try isThatOfOne(try Self.shares(plan), plan)
  }

  @Test(
    "a rate of pushes that binds is that of the whole fleet, whichever process has the phones",
    arguments: [1.0 / 180, 1.0 / 60, 3.0 / 60])
  func rate(perSecond: Double) throws {
    let plan = Self.plan {
      $0.push.rate = Rate(perSecond: perSecond)
      $0.push.holdout = 0.3
    }
    let meeting = SweepMeeting(parts: Self.ranges.count)
    try isThatOfOne(try Self.shares(plan, agree: meeting.agree), plan)
    #expect(meeting.sweepsThatBound > 10)
  }

  @Test("processes that do not agree on a rate that binds push too many phones")
  func withoutAgreement() throws {
    let plan = Self.plan { $0.push.rate = Rate(perSecond: 1.0 / 60) }
    let merged = try RunOutcome(plan, shares: try Self.shares(plan))
    #expect(merged.record.wake.requested > Self.simulate(plan).record.wake.requested)
  }

  @Test("one share's record counts its own phones, not those of the whole fleet")
  func ownPhones() {
    var plan = Self.plan()
    plan.share = 0..<100
    let part = Self.simulate(plan)
    #expect(part.record.scenario.phones == 100)
    guard case .simulated(let demand)? = part.record.demand else {
      Issue.record("a simulation's record says what it asked of a server")
      return
    }
    let days = 100 * part.record.phases.measure / 86_400
    #expect(demand.batchesPerPhoneDay == Double(part.record.offered.batches) / days)
    #expect(part.record.energy.cohorts?.map(\.phones).reduce(0, +) == 100)
    let fleet = PhoneFleet(plan.scenario, phones: plan.phones, threads: 1)
    let snapshot = plan.virtualSnapshot(
      "simulate", plan.scenario.start, share: 0, fleet, wall: .seconds(1))
    #expect(snapshot.detail.hasPrefix("100 phones"))
  }
}
