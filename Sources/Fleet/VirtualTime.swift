internal import Scenarios
package import Measure
internal import Phone
package import ServerLogic
package import SimulationCore
package import Telemetry

/// Drives a fleet and a server's brain as fast as the machine can, without sockets.
///
/// The window between two sweeps of the wake scheduler is the lookahead: inside it phones are
/// independent and the shards run side by side; then what they sent reaches the server in
/// (instant, phone) order, and the sweep asks for pushes.
package struct VirtualTime {
  let fleet: PhoneFleet
  package var backend: Backend
  /// Hears of every batch when it reaches the server; for who looks over its shoulder.
  package var received: ((BatchID, UnsafeBufferPointer<Fix>) -> Void)?
  /// The same with all that the phone said of its upload; for who counts what is asked of a server.
  package var arrived: ((UploadOrder, UnsafeBufferPointer<Fix>) -> Void)?
  private var arrivals: [Arrival] = []
  private var fixes: [Fix] = []
  /// Takes turns with `fixes`.
  private var otherFixes: [Fix] = []

  private struct Arrival {
    var at: SimInstant
    var order: UploadOrder
    var firstFix: Int
  }

  package init(fleet: PhoneFleet, backend: Backend) {
    self.fleet = fleet
    self.backend = backend
  }

  /// A backend that knows every phone's registration from its installation.
  package static func newBackend(for fleet: PhoneFleet, at birth: SimInstant) -> Backend {
    let scenario = fleet.context.scenario
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    fleet.inOrder { shard in
      shard.forEachRegistration { phone, authorization, token in
        backend.register(phone, authorization: authorization, tokenValid: token, at: birth)
      }
    }
    return backend
  }

  /// Lives from the fleet's present horizon up to `end`.
  ///
  /// - Parameter progress: called after every window; false stops there.
  /// - Returns: the instant up to which the fleet has lived.
  @discardableResult
  package mutating func advance(
    until end: SimInstant, progress: (SimInstant) -> Bool = { _ in true }
  ) -> SimInstant {
    var now = fleet.horizon
    while now < end {
      let sweep = backend.nextSweep(after: now)
      let next = min(end, sweep, now + longest(from: now))
      fleet.forEachShard { _, shard in shard.advance(before: next) }
      collect()
      receive(before: next)
      // After the measured time nobody is pushed any more.
      if next == sweep, next < fleet.context.scenario.measureEnd { push(at: next) }
      now = next
      guard progress(now) else { break }
    }
    return now
  }

  /// Where the next window ends at the latest. Windows may be cut anywhere, for what reaches the
  /// server does so in the same order; a fleet that is born in one instant and sends in the same
  /// seconds would else hold an upload for each of its phones at once.
  private func longest(from now: SimInstant) -> SimDuration {
    let scenario = fleet.context.scenario
    let age = now - (scenario.start - scenario.warmStart)
    return age < .minutes(2) ? .seconds(5) : .hours(24)
  }

  /// What is on its way reaches the server; in-process answers reach their phones.
  package mutating func drain() {
    fleet.inOrder { shard in
      shard.startDraining()
      shard.deliverKnownAnswers()
    }
    receive(before: .distantFuture)
  }

  private mutating func collect() {
    fleet.inOrder { shard in
      for order in shard.orders {
        let first = fixes.count
        let source = Int(order.firstFix)
        fixes.append(contentsOf: shard.orderFixes[source..<(source + Int(order.fixCount))])
        arrivals.append(Arrival(at: order.reachesServer, order: order, firstFix: first))
      }
      shard.clearOrders()
    }
  }

  private mutating func receive(before limit: SimInstant) {
    guard !arrivals.isEmpty else { return }
    arrivals.sort { ($0.at, $0.order.id.phone) < ($1.at, $1.order.id.phone) }
    let due = arrivals.firstIndex { $0.at >= limit } ?? arrivals.count
    fixes.withUnsafeBufferPointer { all in
      for arrival in arrivals[..<due] {
        let order = arrival.order
        if order.registers {
          backend.register(
            order.id.phone, authorization: order.authorization, tokenValid: order.tokenIsValid,
            at: arrival.at)
        }
        let slice = UnsafeBufferPointer(
          rebasing: all[arrival.firstFix..<(arrival.firstFix + Int(order.fixCount))])
        received?(order.id, slice)
        arrived?(order, slice)
        _ = backend.ingest(order.id, fixes: slice, at: arrival.at)
      }
    }
    forget(first: due)
  }

  /// Moves what has not arrived yet, and its fixes, to the front. A window's arrays serve the next.
  private mutating func forget(first due: Int) {
    arrivals.removeSubrange(..<due)
    otherFixes.removeAll(keepingCapacity: otherFixes.capacity <= Self.fewFixes)
    for n in arrivals.indices {
      let first = arrivals[n].firstFix
      arrivals[n].firstFix = otherFixes.count
      otherFixes.append(contentsOf: fixes[first..<(first + Int(arrivals[n].order.fixCount))])
    }
    swap(&fixes, &otherFixes)
  }

  /// Room for them is kept; for what a rush brought it is not.
  private static var fewFixes: Int { 100_000 }

  private mutating func push(at sweep: SimInstant) {
    guard !fleet.context.outages.isDown(at: sweep) else { return }
    var pushes: [SilentPush] = []
    backend.sweep(at: sweep) { pushes.append($0) }
    guard !pushes.isEmpty else { return }
    fleet.runCounterfactuals(pushes)
    for push in pushes { fleet.consume(.push(push), phone: push.phone) }
    var statuses: [(id: UInt64, status: Int)] = []
    fleet.inOrder { statuses += $0.takePushStatuses() }
    for answer in statuses { backend.pushResult(answer.id, status: answer.status, at: sweep) }
  }
}

extension PhoneFleet {
  /// All events before this instant have happened, in every shard.
  package var horizon: SimInstant {
    owners.map { $0.shard.horizon }.min() ?? context.scenario.start
  }

  /// Every push's other course, the shards side by side.
  func runCounterfactuals(_ pushes: [SilentPush]) {
    var parts = [[SilentPush]](repeating: [], count: shardCount)
    for push in pushes {
      if let shard = shard(of: push.phone) { parts[shard].append(push) }
    }
    let all = parts
    forEachShard { n, shard in shard.runCounterfactuals(all[n]) }
  }

  /// Hands a server input to its phone; one for a phone of another range is not for this fleet.
  func consume(_ input: ServerInput, phone: PhoneID) {
    guard let shard = shard(of: phone) else { return }
    _ = owners[shard].shard.consume(input, phone: phone)
  }

  /// Begins the counted part: the warm start's connections are cut, its ledgers closed.
  ///
  /// - Returns: what the server knows of each phone, for a server that takes over. A phone's
  ///   newest sequence is the newest that the phone knows to be acknowledged, so that what it
  ///   sends again is new to that server.
  package func startCounting(after warm: Backend, answers: Answers) -> [PhoneSnapshot] {
    startCounting(answers)
    return snapshots(after: warm)
  }

  /// As above, where the server knows the phones already: what it is told of them stays.
  package func startCounting(_ answers: Answers) {
    let scenario = context.scenario
    let start = max(scenario.measureStart, min(horizon, scenario.measureEnd))
    let window = Window(start: start, end: scenario.measureEnd)
    inOrder { shard in
      shard.dropConnections()
      shard.answer(answers)
      shard.startCounting(freshnessWithin: window)
    }
  }

  package func snapshots(after warm: Backend) -> [PhoneSnapshot] {
    var snapshots: [PhoneSnapshot] = []
    snapshots.reserveCapacity(phones.count)
    forEachSnapshot(after: warm) { snapshots.append($0) }
    return snapshots
  }

  /// The same phone by phone, in their order.
  package func forEachSnapshot(after warm: Backend, _ body: (PhoneSnapshot) -> Void) {
    inOrder { shard in
      shard.acknowledged { newest in
        var snapshot = warm.snapshot(of: newest.phone)
        snapshot.sequences = SequenceRun(epoch: newest.epoch, low: 1, high: newest.sequence)
        body(snapshot)
      }
    }
  }

  /// The account of one side after a run: fixes and batches as the phones know them.
  package func ledger() -> Ledger { Ledger(metrics(), census()) }
}
