internal import Scenarios
package import Measure
internal import Phone
package import ServerLogic
package import SimulationCore
package import Telemetry

/// Drives a fleet and the server logic as fast as the machine can, without sockets.
///
/// The window between two sweeps of the wake scheduler is the lookahead: inside it phones are
/// independent and the shards run side by side; then what they sent reaches the server in
/// (instant, phone) order, and the sweep asks for pushes.
package struct VirtualTime {
  /// Is the fleet that is driven.
  package let fleet: PhoneFleet
  /// Is the server logic that answers in process.
  package var backend: Backend
  /// Called with every batch when it reaches the server, for observers: the fixes have their true
  /// times.
  package var received: ((BatchID, UnsafeBufferPointer<Fix>) -> Void)?
  /// Called with the whole upload order, for observers that count the load on a server: the fixes
  /// have the phone's stamps, as the server reads them (CK2).
  package var arrived: ((UploadOrder, UnsafeBufferPointer<Fix>) -> Void)?
  /// Holds pushes for one position on request, in the order of their instants. Each goes to the
  /// provider at its instant, outside the sweeps, unless the server is down then.
  package var requests: [SilentPush] = []
  var arrivals: [Arrival] = []
  var fixes: [Fix] = []
  /// Is swapped with `fixes` at each window.
  private var otherFixes: [Fix] = []

  struct Arrival {
    var at: SimInstant
    var order: UploadOrder
    var firstFix: Int
  }

  /// Makes a driver of a fleet and the server logic that answers it.
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
        backend.register(
          phone, epoch: fleet.context.epoch, authorization: authorization, tokenValid: token,
          at: birth)
      }
    }
    return backend
  }

  /// Advances the fleet from its present horizon to `end`.
  ///
  /// - Parameter progress: called after every window; false stops there.
  /// - Returns: the instant that the fleet has reached.
  @discardableResult
  package mutating func advance(
    until end: SimInstant, progress: (SimInstant) -> Bool = { _ in true }
  ) -> SimInstant {
    var now = fleet.horizon
    while now < end {
      let sweep = backend.nextSweep(after: now)
      request(at: now)
      let asked = requests.first?.requestedAt ?? .distantFuture
      let next = min(end, sweep, asked, now + longest(from: now))
      fleet.forEachShard { _, shard in shard.advance(before: next) }
      collect()
      receive(before: next)
      // The server sends no push after the measured time.
      if next == sweep, next < fleet.context.scenario.measureEnd { push(at: next) }
      now = next
      guard progress(now) else { break }
    }
    return now
  }

  /// Returns the longest duration of the next window. Windows may be cut anywhere, since uploads
  /// reach the server in the same order. Without this limit a fleet that starts at one instant and
  /// sends in the same seconds would hold an upload for each phone at once.
  private func longest(from now: SimInstant) -> SimDuration {
    let scenario = fleet.context.scenario
    let age = now - (scenario.start - scenario.warmStart)
    return age < .minutes(2) ? .seconds(5) : .hours(24)
  }

  /// Delivers what is on its way to the server, and in-process answers to their phones.
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
    fixes.withUnsafeMutableBufferPointer { all in
      for arrival in arrivals[..<due] {
        let order = arrival.order
        if order.registers {
          backend.register(
            order.id.phone, epoch: order.id.epoch, authorization: order.authorization,
            tokenValid: order.tokenIsValid, at: arrival.at)
        }
        let batch = UnsafeMutableBufferPointer(
          rebasing: all[arrival.firstFix..<(arrival.firstFix + Int(order.fixCount))])
        let slice = UnsafeBufferPointer(batch)
        received?(order.id, slice)
        var stamps = fleet.context.stamps(of: order.id.phone, cohort: Int(order.cohort))
        for n in batch.indices { batch[n].time = stamps.stamp(batch[n].time) }
        arrived?(order, slice)
        _ = backend.ingest(order.id, fixes: slice, at: arrival.at)
      }
    }
    forget(first: due)
  }

  /// Moves uploads that have not arrived yet, and their fixes, to the front, so that the next
  /// window reuses the arrays.
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

  /// Keeps the usual capacity, and frees what only a burst needed.
  private static var fewFixes: Int { 100_000 }

  /// Asks for the positions that are wanted by now.
  private mutating func request(at now: SimInstant) {
    while let push = requests.first, push.requestedAt <= now {
      requests.removeFirst()
      let row = backend.lastSeen(push.phone)
      if fleet.context.outages.isDown(at: now) {
        fleet.trace(.serverDown, of: push.phone, at: now)
      } else if !row.isReachable {
        fleet.trace(
          .unreachable(row.authorization, tokenIsValid: row.tokenValid), of: push.phone, at: now)
      } else {
        fleet.consume(.push(push), phone: push.phone)
        takeStatuses(at: now)
      }
    }
  }

  /// Tells the server what the provider answered.
  private mutating func takeStatuses(at now: SimInstant) {
    var statuses: [(id: UInt64, status: Int)] = []
    fleet.inOrder { statuses += $0.takePushStatuses() }
    for answer in statuses { backend.pushResult(answer.id, status: answer.status, at: now) }
  }

  private mutating func push(at sweep: SimInstant) {
    guard !fleet.context.outages.isDown(at: sweep) else { return }
    var pushes: [SilentPush] = []
    backend.sweep(at: sweep) { pushes.append($0) }
    guard !pushes.isEmpty else { return }
    fleet.runCounterfactuals(pushes)
    for push in pushes { fleet.consume(.push(push), phone: push.phone) }
    takeStatuses(at: sweep)
  }
}

extension PhoneFleet {
  /// Is the instant before which all events have happened, in every shard.
  package var horizon: SimInstant {
    owners.map { $0.shard.horizon }.min() ?? context.scenario.start
  }

  /// Simulates the counterfactual of every push, the shards in parallel.
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

  /// Notes a step of a request for one position that never came to the phone.
  func trace(_ step: RequestStep, of phone: PhoneID, at now: SimInstant) {
    guard let shard = shard(of: phone) else { return }
    owners[shard].shard.trace(step, of: phone, at: now)
  }

  /// Begins the counted part: cuts the connections of the warm start and closes its ledgers.
  ///
  /// - Returns: what the server knows of each phone, for a server that takes over. A phone's
  ///   newest sequence is the newest that the phone knows to be acknowledged, so that what it
  ///   sends again is new to that server.
  package func startCounting(after warm: Backend, answers: Answers) -> [PhoneSnapshot] {
    startCounting(answers)
    return snapshots(after: warm)
  }

  /// Begins the counted part for a server that knows the phones already and keeps what it knows.
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

  /// Returns every phone as the backend of the warm start knows it, in the order of phones.
  package func snapshots(after warm: Backend) -> [PhoneSnapshot] {
    var snapshots: [PhoneSnapshot] = []
    snapshots.reserveCapacity(phones.count)
    forEachSnapshot(after: warm) { snapshots.append($0) }
    return snapshots
  }

  /// Calls `body` with each of these phones, in their order.
  package func forEachSnapshot(after warm: Backend, _ body: (PhoneSnapshot) -> Void) {
    inOrder { shard in
      shard.acknowledged { newest in
        var snapshot = warm.snapshot(of: newest.phone)
        snapshot.sequences = SequenceRun(epoch: newest.epoch, low: 1, high: newest.sequence)
        body(snapshot)
      }
    }
  }

  /// Makes one side of the ledger after a run: fixes and batches as the phones know them.
  package func ledger() -> Ledger { Ledger(metrics(), census()) }
}
