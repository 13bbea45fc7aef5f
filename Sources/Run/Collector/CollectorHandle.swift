internal import Core
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport
internal import Uploads
internal import Wire

/// A collector, a child process or a server that was already running. Used from the run's thread.
final class CollectorHandle {
  /// The name used in messages: "the collector", or "collector 2" if there are several.
  let name: String
  let endpoint: Endpoint
  private let plan: RunPlan
  private let hashKey: UInt64
  private let child: ChildCollector?
  private let link: CollectorLink
  private let say: (String) -> Void
  private var live: Live?
  private var snapshots = SnapshotSpill()
  private var cohort: (PhoneID) -> Int = { _ in 0 }
  private(set) var nextLook = WallInstant.distantPast
  private(set) var hasGivenUp = false
  private var isSubscribed = Flag(true)
  private var isMissed = false
  private var metricsBefore: ProcessMetrics?

  /// The maximum waits for a collector and for its database at the end of the run.
  static let returnsWithin = WallDuration.seconds(10)
  private static let storeReturnsWithin = WallDuration.seconds(30)
  /// The maximum number of restarts of a child that dies unexpectedly.
  private static let restartsMax = 5

  enum Place {
    case child(ChildCollector)
    case existing(Endpoint)

    var endpoint: Endpoint {
      switch self {
      case .child(let child): Endpoint(host: "127.0.0.1", port: child.port)
      case .existing(let endpoint): endpoint
      }
    }
  }

  init(
    _ place: Place, name: String, _ plan: RunPlan, link: CollectorLink, hashKey: UInt64,
    say: @escaping (String) -> Void
  ) {
    self.name = name
    self.plan = plan
    self.link = link
    self.hashKey = hashKey
    self.say = say
    endpoint = place.endpoint
    child = if case .child(let child) = place { child } else { nil }
  }

  private struct Live {
    let start: WallInstant
    let onSweep: @Sendable (PushSweep) -> Void
  }

  /// - Parameter isResumed: whether to wait for a collector that the fleet used before its restart.
  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError) {
    do throws(CollectorRunError) {
      try link.checkHealth(patience: isResumed ? CollectorLink.patience : .zero)
    } catch {
      let hint =
        isOurs
        ? "see its log"
        : "start one with 'flotilla collect --listen \(endpoint)', or omit --collector"
      throw .unreachable("no collector serves on \(endpoint): \(hint). (\(error))")
    }
    snapshots = warm.snapshots
    let context = warm.fleet.context
    cohort = { context.cohort(of: Int($0.rawValue)) }
    // A resumed run began in the past. A new run's start is unknown, so one hour from now is sent.
    let lived = (warm.liveFrom - plan.scenario.start).seconds / plan.scenario.speed
    try link.open(
      plan.scenario, hashKey: hashKey,
      startsIn: lived > 0 ? WallDuration(seconds: -lived) : .seconds(3_600),
      codec: plan.codec, patience: CollectorLink.patience)
  }

  func restore() throws(CollectorRunError) {
    try link.restore(snapshots, cohort: cohort)
    say("collector on \(endpoint), \(snapshots.count) phones restored")
  }

  func catchUp() throws(CollectorRunError) {
    _ = try account()
    say("collector on \(endpoint), same store")
  }

  /// - Parameter onSweep: called on the control loop's thread.
  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError) {
    let live = Live(start: start, onSweep: onSweep)
    self.live = live
    try open(live, patience: CollectorLink.patience)
    subscribe(live)
    metricsBefore = child?.metrics()
  }

  private func open(_ live: Live, patience: WallDuration = .zero) throws(CollectorRunError) {
    try link.open(
      plan.scenario, hashKey: hashKey, startsIn: live.start - plan.wall(),
      codec: plan.codec, patience: patience)
  }

  private func subscribe(_ live: Live) {
    let isSubscribed = Flag(true)
    self.isSubscribed = isSubscribed
    link.subscribe(onSweep: live.onSweep) { isSubscribed.set(false) }
  }

  func report(_ statuses: [(id: UInt64, status: Int)]) { link.report(statuses) }

  /// Restarts a dead child with the run's state. Other collectors get the state once they are back.
  func keepAlive() {
    let now = plan.wall()
    guard let live, now >= nextLook else { return }
    nextLook = now + .milliseconds(100)
    guard let child else { return reconnect(live) }
    guard !child.isRunning else { return }
    guard child.restarts < Self.restartsMax else {
      hasGivenUp = true
      nextLook = .distantFuture
      say("\(name) crashed \(child.restarts) times; not restarting it")
      return
    }
    say("\(name) exited; restarting it on \(endpoint)")
    do throws(CollectorRunError) {
      try child.restart()
      try resume(live)
      say("\(name) is back")
    } catch {
      say("\(name) could not be restarted: \(error)")
    }
  }

  private func resume(_ live: Live) throws(CollectorRunError) {
    try open(live)
    try link.restore(snapshots, cohort: cohort)
    subscribe(live)
  }

  private func reconnect(_ live: Live) {
    guard !isSubscribed.value else { return }
    if !isMissed { say("\(name) on \(endpoint) is unreachable; waiting for it") }
    isMissed = true
    do throws(CollectorRunError) {
      try link.checkHealth(within: .milliseconds(500))
      try resume(live)
      isMissed = false
      say("\(name) is back")
    } catch {
      // The collector is still down, so the next check comes later.
      nextLook = plan.wall() + .milliseconds(250)
    }
  }

  /// - Parameter onViolation: called on another thread with a sentence for each violated identity.
  func checkLedger(onViolation: @escaping @Sendable (String) -> Void) {
    let name = name
    link.snapshot { reply in
      for (side, noun) in [(reply.fixes, "fixes"), (reply.batches, "batches")] {
        let rejected = side.rejected.reduce(0) { $0 + $1.value }
        if side.received != side.distinct + side.duplicate + rejected {
          onViolation("\(name)'s \(noun) do not add up: \(side)")
        }
      }
    }
  }

  var isOurs: Bool { child != nil }
  /// The child's process ID; nil if this run did not start the collector, or the child has died.
  var collectorPID: Int32? { child?.isRunning == true ? child?.pid : nil }
  func stall() { child?.signal(SIGSTOP) }
  func resume() { child?.signal(SIGCONT) }
  func kill() { child?.signal(SIGKILL) }
  func metrics() -> ProcessMetrics? { child?.metrics() }

  /// Returns the child's usage since the live part began; nil if this run started no child.
  func spent() -> ProcessMetrics? {
    guard let before = metricsBefore else { return nil }
    return metrics()?.since(before)
  }

  var compressed: [CollectorMethod: CompressedMessages] { link.compressed }

  var restarts: Int { child?.restarts ?? 0 }

  func account() throws(CollectorRunError) -> SnapshotReply { try link.snapshot() }

  func proof() throws(CollectorRunError) -> CollectorProof {
    let limit = plan.wall() + Self.returnsWithin
    // A collector does not announce its return, so this loop polls.
    Waiter.shared.wait(until: limit, every: .milliseconds(100)) {
      if !isSubscribed.value { keepAlive() }
      return isSubscribed.value
    }
    let storeLimit = plan.wall() + Self.storeReturnsWithin
    var isSaid = false
    while true {
      do throws(CollectorRunError) { return try proof(quietWithin: limit) } catch {
        guard case .unreachable(let why) = error, let health = link.health() else { throw error }
        // The collector answers, but its store does not, which is no evidence of lost data.
        let reason = (health.serving ? why : health.detail).trimmingCharacters(in: ["."])
        guard plan.wall() < storeLimit else {
          throw .unverified("the database did not answer \(name) at the end of the run (\(reason))")
        }
        if !isSaid { say("the database does not answer \(name); waiting for it (\(reason))") }
        isSaid = true
        Waiter.shared.pause(.milliseconds(200))
      }
    }
  }

  private func proof(quietWithin limit: WallInstant) throws(CollectorRunError) -> CollectorProof {
    // Batches may arrive between the requests. The snapshot and the holdings describe one moment
    // only if no batch has arrived between two snapshots.
    var before = try link.snapshot()
    while true {
      let (held, store) = try holdings()
      let after = try link.snapshot()
      let isQuiet =
        after.hashSum == before.hashSum && after.batches.distinct == before.batches.distinct
      if isQuiet || plan.wall() >= limit {
        return CollectorProof(
          snapshot: after, held: held, store: store, isOfOneMoment: isQuiet)
      }
      before = after
      Waiter.shared.pause(.milliseconds(200))
    }
  }

  private func holdings() throws(CollectorRunError) -> (
    held: [PhoneID: [HoldingsReply.Row]], store: StoreReading?
  ) {
    let began = plan.wall()
    var nextNote = began + Self.noteEvery
    let found = try link.holdings(stored: plan.scenario.run.readsStore) { reading in
      let now = plan.wall()
      guard now >= nextNote else { return }
      nextNote = now + Self.noteEvery
      say("reading the store of \(name): \(reading.read) of \(reading.committed) batches")
    }
    guard let store = found.store else { return found }
    let took = Figure.plain(((plan.wall() - began).seconds * 1_000).rounded() / 1_000)
    say("read the store of \(name): \(store.read) batches in \(took) s")
    // The store does not record which batches retention dropped.
    return store.dropped > 0 ? (try link.holdings(stored: false).held, store) : found
  }

  private static let noteEvery = WallDuration.seconds(2)

  func close() {
    link.close()
    child?.stop()
  }
}

final class Flag: Sendable {
  private let content: Mutex<Bool>
  init(_ value: Bool) { content = Mutex(value) }
  var value: Bool { content.withLock { $0 } }
  func set(_ value: Bool) { content.withLock { $0 = value } }
}
