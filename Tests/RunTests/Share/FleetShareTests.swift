import Core
import Figures
import Fleet
import Foundation
import ServerLogic
import Synchronization
import TestSupport
import Testing
import Uploads

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A fleet simulated in several processes", .quick)
struct FleetShareTests {
  private static let count = 3

  private static func simulate(
    _ plan: RunPlan, over link: (any ShareLink)? = nil,
    stoppingAfter events: Int = .max, onWindow: @escaping () -> Void = {}
  ) -> RunOutcome {
    var plan = plan
    plan.link = link
    var simulation = Simulation(plan)
    simulation.keepsTrace = true
    var windows = 0
    return simulation.run(
      progress: { _ in },
      shouldStop: {
        windows += 1
        onWindow()
        return windows > events
      })
  }

  /// Simulates every share on a separate thread; the first makes the record of all.
  private static func merged(
    _ plan: RunPlan, over shares: ThreadShares, agree: Bool = true
  ) -> RunOutcome {
    shares.run { link in
      simulate(plan, over: AlteredLink(link: link, exchanges: agree))
    }[0]
  }

  private func isThatOfOne(_ merged: RunOutcome, _ plan: RunPlan) throws {
    let whole = Self.simulate(plan)
    #expect(merged.account == whole.account)
    #expect(merged.server == whole.server)
    #expect(merged.timeline == whole.timeline && merged.timeline.count == 120)
    #expect(merged.trace == whole.trace)
    #expect(try merged.recordText() == whole.recordText())
  }

  @Test("three processes with a range of the phones each make the record of one, byte for byte")
  func record() throws {
    let plan = RunPlan.twoHours()
    try isThatOfOne(Self.merged(plan, over: ThreadShares(Self.count)), plan)
  }

  @Test(
    "a binding rate of pushes is that of the whole fleet, whichever process has the phones",
    arguments: [1.0 / 180, 1.0 / 60, 3.0 / 60])
  func rate(perSecond: Double) throws {
    let plan = RunPlan.twoHours {
      $0.push.rate = Rate(perSecond: perSecond)
      $0.push.holdout = 0.3
    }
    let shares = ThreadShares(Self.count)
    try isThatOfOne(Self.merged(plan, over: shares), plan)
    let sweeps = try shares.exchanges(of: SweepBids.self).map { $0.compactMap(\.self) }
    #expect(sweeps.allSatisfy { $0.count == Self.count && Set($0.map(\.sweep)).count == 1 })
    #expect(sweeps.count { SweepBids.cut($0) != .everybody } > 10)
  }

  @Test("new settings reach the phones of each process, and the record is that of one")
  func rollouts() throws {
    let plan = RunPlan.twoHours { scenario in
      scenario.policies.append(scenario.policies[0])
      scenario.rollouts = [
        Rollout(at: scenario.start + .minutes(30), policy: 1, cohort: nil, share: 0.6)
      ]
    }
    let alone = (0..<Self.count).map { number in
      var plan = plan
      plan.shard = RunPart(SharePlace(number: number, of: Self.count))
      return Self.simulate(plan)
    }
    #expect(alone.allSatisfy { $0.account?.metrics[.settingsTaken] ?? 0 > 10 })
    try isThatOfOne(Self.merged(plan, over: ThreadShares(Self.count)), plan)
  }

  @Test("processes that do not share a binding rate push too many phones")
  func withoutAgreement() throws {
    let plan = RunPlan.twoHours { $0.push.rate = Rate(perSecond: 1.0 / 60) }
    let merged = Self.merged(plan, over: ThreadShares(Self.count), agree: false)
    #expect(merged.record.wake.requested > Self.simulate(plan).record.wake.requested)
  }

  @Test("one share's record counts its own phones, not those of the whole fleet")
  func ownPhones() {
    var plan = RunPlan.twoHours()
    plan.link = ThreadShares(2).link(1)
    let part = Self.simulate(plan, over: plan.link)
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

  // MARK: Processes that end early

  /// A rate that binds at every sweep, so that no process continues without the others.
  private static var bound: RunPlan { .twoHours { $0.push.rate = Rate(perSecond: 1.0 / 180) } }

  @Test(
    "a stopped process releases those that wait for its bids, and all end early",
    arguments: 0..<3)
  func stopped(number: Int) throws {
    let plan = Self.bound
    let windows = Mutex(0)
    _ = Self.simulate(plan) { windows.withLock { $0 += 1 } }
    let half = windows.withLock { $0 } * 7 / 8
    let outcomes = ThreadShares(Self.count).run { link in
      Self.simulate(plan, over: link, stoppingAfter: link.place.number == number ? half : .max)
    }
    #expect(outcomes.map(\.record.verdict) == [.interrupted, .interrupted, .interrupted])
    let merged = outcomes[0]
    #expect(merged.record.scenario.phones == 200)
    #expect(merged.account?.isWhole == true)
    #expect(merged.record.reasons.count == 1 && merged.record.reasons[0].hasPrefix("Stopped at"))
    let ends = outcomes.dropFirst().compactMap(\.account?.livedUntil)
    #expect(ends.count == 2 && ends.allSatisfy { $0 >= plan.scenario.measureStart })
  }

  @Test("a process that is stopped in its warm start stops the others, and nothing was measured")
  func stoppedInWarmStart() throws {
    let plan = Self.bound
    let outcomes = ThreadShares(Self.count).run { link in
      Self.simulate(plan, over: link, stoppingAfter: link.place.number == 1 ? 2 : .max)
    }
    #expect(outcomes.allSatisfy { $0.record.verdict == .interrupted && $0.account == nil })
    #expect(outcomes[0].record.reasons.first?.hasPrefix("Stopped during the warm start") == true)
  }

  @Test("a process that fails at once releases the others, which stop")
  func failedAtOnce() throws {
    let plan = Self.bound
    let outcomes = ThreadShares(Self.count).run { link -> RunOutcome? in
      guard link.place.number == 2 else { return Self.simulate(plan, over: link) }
      link.stop()
      _ = link.end(.failed("its program is another"))
      return nil
    }
    #expect(outcomes[0]?.record.verdict == .interrupted)
    #expect(outcomes[1]?.record.verdict == .interrupted && outcomes[2] == nil)
  }

  @Test("a failed process is named, and the figures are those of the phones before its own")
  func failedAtItsEnd() throws {
    let plan = RunPlan.twoHours()
    let first = ThreadShares(Self.count).run { link in
      Self.simulate(
        plan,
        over: AlteredLink(link: link, failure: link.place.number == 1 ? "the disk is full" : nil))
    }[0]
    #expect(first.record.verdict == .interrupted)
    #expect(first.account?.phones == 0..<66 && first.record.scenario.phones == 66)
    #expect(
      first.record.reasons == [
        """
        Phones 66 to 132 are not in the figures: process 2 of 3 failed \
        (the disk is full).
        """,
        """
        Phones 133 to 199 are not in the figures: process 3 of 3 has phones that do not \
        continue the range of the others.
        """,
      ])
    #expect(first.record.ledger.fixes.generated == first.account?.ledger.fixes.generated)
  }
}
