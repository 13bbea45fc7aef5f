internal import Fleet
internal import Phone
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry

/// Holds a fleet that was simulated through the hours before the scenario's start, and what its
/// server knows.
struct WarmStart {
  let fleet: PhoneFleet
  let snapshots = SnapshotSpill()
  /// Is the instant at which the live part begins: the scenario's start, or the resume point of a
  /// killed fleet.
  let liveFrom: SimInstant
  /// The newest sequence of each phone from before this life, in the order of the fleet's phones.
  let base: [UInt64]
  let wall: WallDuration
  let finder: StayFinder?

  /// - Parameters:
  ///   - shardsPerThread: the shards per thread; one cohort may cost more than another, and small
  ///     shards even that out.
  ///   - progress: returns false to stop the warm start, which then returns nil.
  ///   - journal: the journal of a fleet that was killed; its phones are simulated up to where it
  ///     came, and get back the outboxes that they had.
  ///   - compares: true where policies are compared: what the server stores is then recorded from
  ///     birth on.
  init?(
    _ plan: RunPlan, answers: Answers, shardsPerThread: Int = 1, progress: (RunProgress) -> Void,
    shouldStop: () -> Bool, compares: Bool = false, journal: JournalContent? = nil
  ) {
    let scenario = plan.scenario
    let began = plan.wall()
    let birth = scenario.start - scenario.warmStart
    fleet = PhoneFleet(
      scenario, phones: plan.phones, threads: plan.threads * shardsPerThread,
      tracing: plan.trace.map { [$0] } ?? [])
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.backend.agree = plan.agree
    finder = compares ? StayFinder(fleet.context) : nil
    if let finder { time.received = finder.take }
    var last = began
    let fleet = self.fleet
    let resumed = journal?.resumesAt(scenario)
    liveFrom = resumed ?? scenario.start
    func isWanted(_ at: SimInstant) -> Bool {
      let now = plan.wall()
      if now - last >= .milliseconds(200) {
        last = now
        let share = (at - birth).seconds / max(1, scenario.warmStart.seconds)
        progress(
          .virtual(
            plan.virtualSnapshot("warm start", at, share: share, fleet, wall: now - began)))
      }
      return !shouldStop()
    }
    guard time.advance(until: scenario.start, progress: isWanted) >= scenario.start else {
      return nil
    }
    if let resumed, let journal {
      let known = Self.keep(fleet, after: time.backend, in: snapshots)
      let outboxes = ReplayedOutboxes(journal)
      time.received = outboxes.note
      guard time.advance(until: resumed, progress: isWanted) >= resumed else { return nil }
      let first = fleet.phones.lowerBound
      fleet.inOrder {
        $0.restoreOutboxes(outboxes.record) { known[Int($0.rawValue) - first] }
      }
      base = known.enumerated().map { phone, order in
        max(order, journal.highest[PhoneID(rawValue: UInt32(first + phone))] ?? 0)
      }
      fleet.startCounting(answers)
    } else {
      fleet.startCounting(answers)
      base = Self.keep(fleet, after: time.backend, in: snapshots)
    }
    wall = plan.wall() - began
  }

  /// - Returns: the newest batch of each phone by its `order`, in the order of phones.
  private static func keep(
    _ fleet: PhoneFleet, after backend: Backend, in snapshots: SnapshotSpill
  ) -> [UInt64] {
    var newest: [UInt64] = []
    newest.reserveCapacity(fleet.phones.count)
    fleet.forEachSnapshot(after: backend) { snapshot in
      snapshots.append(snapshot)
      newest.append(snapshot.sequences.order)
    }
    return newest
  }
}

extension JournalContent {
  /// Returns where the next life begins; nil where nothing was submitted, so that it begins as the
  /// first did.
  func resumesAt(_ scenario: Scenario) -> SimInstant? {
    last.map { min(max($0, scenario.start), scenario.measureEnd) }
  }
}

/// Collects what phones send while a time is simulated again. Used by one thread.
private final class ReplayedOutboxes {
  private(set) var record: OutboxRecord

  init(_ journal: JournalContent) {
    record = OutboxRecord(highest: journal.highest, newest: journal.newest)
  }

  func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) { record.note(id, fixes) }
}
