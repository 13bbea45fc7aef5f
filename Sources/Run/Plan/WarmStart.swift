internal import Core
internal import Fleet
internal import Scenarios
internal import ServerLogic
internal import Uploads

/// A fleet simulated up to the scenario's start, and its server's knowledge of the phones.
struct WarmStart {
  let fleet: PhoneFleet
  let snapshots = SnapshotSpill()
  /// The start of the live part, at the scenario's start or the resume point of a killed fleet.
  let liveFrom: SimInstant
  /// The `order` of each phone's newest batch from before this run, in phone order.
  let base: [UInt64]
  let wall: WallDuration
  let finder: StayFinder?
  let isCached: Bool
  let notes: [String]

  /// - Parameter shardsPerThread: the shards per thread; more shards even out the costs of cohorts.
  /// - Parameter shouldStop: returns true to stop; the result is then nil.
  /// - Parameter earlier: receives the uploads that reach the server. If given, no cache is used.
  /// - Parameter compares: whether to find stays in the fixes that the server receives.
  init?(
    _ plan: RunPlan, answers: Answers, shardsPerThread: Int = 1, progress: (RunProgress) -> Void,
    shouldStop: () -> Bool, compares: Bool = false, journal: JournalContent? = nil,
    earlier: EarlierUploads? = nil
  ) {
    let began = plan.wall()
    let shards = plan.threads * shardsPerThread
    var notes: [String] = []
    liveFrom = journal?.resumesAt(plan.scenario) ?? plan.scenario.start
    if journal == nil, earlier == nil,
      let life = Self.cached(plan, shards: shards, compares: compares, note: { notes.append($0) })
    {
      notes.append("warm start from the cache: \(life.origin)")
      (fleet, finder, isCached) = (life.fleet, life.finder, true)
      if plan.asked != nil { fleet.inOrder { $0.keepLastSteps() } }
      fleet.startCounting(answers)
      var newest = NewestBatches(fleet)
      fleet.forEachSnapshot(life.known) { [snapshots] in newest.keep($0, in: snapshots) }
      base = newest.orders
    } else {
      isCached = false
      let life = Life(plan, shards: shards, compares: compares)
      (fleet, finder) = (life.fleet, life.finder)
      let kept = life.live(
        plan, answers, journal: journal, earlier, in: snapshots, progress: progress,
        shouldStop: shouldStop, note: { notes.append($0) })
      guard let kept else { return nil }
      base = kept
      earlier?.leaveOut(beyond: base, from: fleet.phones.lowerBound)
    }
    self.notes = notes
    if !compares { for note in notes { progress(.note(note)) } }
    wall = plan.wall() - began
  }

  /// Loads the fleet from the cache; nil if this or another process cannot load its phones.
  private static func cached(
    _ plan: RunPlan, shards: Int, compares: Bool, note: (String) -> Void
  ) -> CachedLife? {
    guard let cache = plan.cache, plan.trace == nil, plan.scenario.warmStart > .zero else {
      return nil
    }
    var life: CachedLife?
    if let key = LifeKey(plan, hasStays: compares) {
      life = cache.life(of: plan, key, shards: shards, note: note)
    }
    guard let link = plan.link else { return life }
    return link.exchange(life != nil).allSatisfy { $0 == true } ? life : nil
  }
}

private struct Life {
  let fleet: PhoneFleet
  let finder: StayFinder?
  private let keepsStays: Bool

  init(_ plan: RunPlan, shards: Int, compares: Bool) {
    fleet = PhoneFleet(
      plan.scenario, phones: plan.phones, threads: shards, tracing: plan.trace.map { [$0] } ?? [])
    if plan.asked != nil { fleet.inOrder { $0.keepLastSteps() } }
    finder = compares ? StayFinder(fleet.context) : nil
    keepsStays = compares
  }

  func live(
    _ plan: RunPlan, _ answers: Answers, journal: JournalContent?, _ earlier: EarlierUploads?,
    in snapshots: SnapshotSpill, progress: (RunProgress) -> Void, shouldStop: () -> Bool,
    note: (String) -> Void
  ) -> [UInt64]? {
    let scenario = plan.scenario
    let began = plan.wall()
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.backend.agree = plan.agree
    if let finder { time.received = finder.take }
    if let earlier { time.arrived = earlier.note }
    var last = began
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
    guard let journal, let resumed = journal.resumesAt(scenario) else {
      keep(plan, after: time.backend, lived: plan.wall() - began, note: note)
      fleet.startCounting(answers)
      return newest(after: time.backend, in: snapshots)
    }
    let known = newest(after: time.backend, in: snapshots)
    let outboxes = ReplayedOutboxes(journal)
    time.received = outboxes.note
    guard time.advance(until: resumed, progress: isWanted) >= resumed else { return nil }
    let first = fleet.phones.lowerBound
    fleet.inOrder {
      $0.restoreOutboxes(outboxes.record) { known[Int($0.rawValue) - first] }
    }
    fleet.startCounting(answers)
    return known.enumerated().map { phone, order in
      max(order, journal.highest[PhoneID(rawValue: UInt32(first + phone))] ?? 0)
    }
  }

  private func keep(
    _ plan: RunPlan, after backend: Backend, lived: WallDuration, note: (String) -> Void
  ) {
    guard let cache = plan.cache, plan.trace == nil, lived.seconds >= cache.worth,
      let key = LifeKey(plan, hasStays: keepsStays)
    else { return }
    note(cache.keep(fleet, after: backend, finder, key))
  }

  private func newest(after backend: Backend, in snapshots: SnapshotSpill) -> [UInt64] {
    var newest = NewestBatches(fleet)
    fleet.forEachSnapshot(after: backend) { newest.keep($0, in: snapshots) }
    return newest.orders
  }
}

private struct NewestBatches {
  private(set) var orders: [UInt64] = []

  init(_ fleet: PhoneFleet) { orders.reserveCapacity(fleet.phones.count) }

  mutating func keep(_ snapshot: PhoneSnapshot, in snapshots: SnapshotSpill) {
    snapshots.append(snapshot)
    orders.append(snapshot.sequences.order)
  }
}

extension JournalContent {
  /// Returns the instant at which a restarted fleet continues; nil if nothing was submitted.
  func resumesAt(_ scenario: Scenario) -> SimInstant? {
    last.map { min(max($0, scenario.start), scenario.measureEnd) }
  }
}

/// Collects the uploads of phones while a period is simulated again. Used by one thread.
private final class ReplayedOutboxes {
  private(set) var record: OutboxRecord

  init(_ journal: JournalContent) {
    record = OutboxRecord(highest: journal.highest, newest: journal.newest)
  }

  func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) { record.note(id, fixes) }
}
