internal import Fleet
internal import Phone
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry

/// A fleet that has lived the hours before the scenario's start, and what its server knows.
struct WarmStart {
  let fleet: PhoneFleet
  let snapshots = SnapshotSpill()
  /// Where the live part begins: the scenario's start, or where a killed fleet had come.
  let liveFrom: SimInstant
  /// The newest sequence of each phone from before this life, in the order of the fleet's phones.
  let base: [UInt32]
  let wall: WallDuration
  let finder: StayFinder?

  /// - Parameters:
  ///   - shardsPerThread: a cohort may cost more than another; small shards even that out.
  ///   - progress: false stops the warm start; then there is none.
  ///   - journal: of a fleet that was killed; its phones live on up to where it came, and get the
  ///     outboxes back that they had.
  ///   - compares: policies are compared: what the server stores is looked at from birth on.
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
      base = known.enumerated().map { phone, sequence in
        max(sequence, journal.highest[PhoneID(rawValue: UInt32(first + phone))] ?? 0)
      }
      fleet.startCounting(answers)
    } else {
      fleet.startCounting(answers)
      base = Self.keep(fleet, after: time.backend, in: snapshots)
    }
    wall = plan.wall() - began
  }

  /// - Returns: the newest sequence of each phone, in their order.
  private static func keep(
    _ fleet: PhoneFleet, after backend: Backend, in snapshots: SnapshotSpill
  ) -> [UInt32] {
    var newest: [UInt32] = []
    newest.reserveCapacity(fleet.phones.count)
    fleet.forEachSnapshot(after: backend) { snapshot in
      snapshots.append(snapshot)
      newest.append(snapshot.sequences.high)
    }
    return newest
  }
}

extension JournalContent {
  /// Where the next life begins; nil: nothing was submitted yet, so it is as the first.
  func resumesAt(_ scenario: Scenario) -> SimInstant? {
    last.map { min(max($0, scenario.start), scenario.measureEnd) }
  }
}

/// Collects what phones send while they live a time again. Used by one thread.
private final class ReplayedOutboxes {
  private(set) var record: OutboxRecord

  init(_ journal: JournalContent) {
    record = OutboxRecord(highest: journal.highest, newest: journal.newest)
  }

  func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) { record.note(id, fixes) }
}
