package import Core
package import Phone
internal import Scenarios
package import ServerLogic

/// Drives a fleet and the server logic without sockets. The window between two sweeps is the
/// lookahead: within a window phones are independent, and the shards run concurrently.
package struct VirtualTime {
  package let fleet: PhoneFleet
  package var backend: Backend
  /// Receives every batch when it reaches the server; the fixes have their true times.
  package var received: ((BatchID, UnsafeBufferPointer<Fix>) -> Void)?
  /// Receives every upload order when it reaches the server; the fixes have the phone's timestamps,
  /// as the server reads them (CK2).
  package var arrived: ((UploadOrder, UnsafeBufferPointer<Fix>) -> Void)?
  /// Called with each event that a phone sends, before `arrived` for the uploads of the same window.
  package var sentEvent: ((EventOrder) -> Void)?
  /// Pushes for one position on request, by instant. Each push goes to the provider at its instant,
  /// outside the sweeps, unless the server is down at that instant.
  package var requests: [SilentPush] = []
  let inboxes: [ServerInbox]

  package init(fleet: PhoneFleet, backend: Backend) {
    self.fleet = fleet
    self.backend = backend
    inboxes = (0..<fleet.shardCount).map { _ in ServerInbox() }
  }

  /// Returns a backend that knows every phone's registration from its installation.
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

  /// Advances the fleet to `end`, or until `progress` is false, and returns the instant reached.
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
      live(before: next)
      // The server sends no push after the measured time.
      if next == sweep, next < fleet.context.scenario.measureEnd { push(at: next) }
      now = next
      guard progress(now) else { break }
    }
    return now
  }

  /// Returns the maximum length of the next window; shorter windows have the same result. In longer
  /// windows, phones that send in the same seconds would all keep an upload at once.
  private func longest(from now: SimInstant) -> SimDuration {
    let scenario = fleet.context.scenario
    let age = now - (scenario.start - scenario.warmStart)
    return age < .minutes(2) ? .seconds(5) : .hours(24)
  }

  package mutating func drain() {
    fleet.inOrder { shard in
      shard.startDraining()
      shard.deliverKnownAnswers()
    }
    receive(before: .distantFuture)
  }

  /// Simulates the phones up to the end of a window, and delivers the uploads that arrive by then.
  /// With an observer, uploads are delivered in the order of (instant, phone).
  private mutating func live(before limit: SimInstant) {
    guard received == nil, arrived == nil else {
      fleet.forEachShard { [inboxes] n, shard in
        shard.advance(before: limit)
        inboxes[n].collect(from: &shard)
      }
      if let sentEvent { for inbox in inboxes { inbox.events.forEach(sentEvent) } }
      return receive(before: limit)
    }
    withUnsafeMutablePointer(to: &backend) { [fleet, inboxes] backend in
      let server = LentBackend(backend)
      fleet.forEachShard { n, shard in
        shard.advance(before: limit)
        let inbox = inboxes[n]
        inbox.collect(from: &shard)
        inbox.lineUp(before: limit)
        guard !inbox.turns.isEmpty else { return }
        for turn in inbox.turns { inbox.stamp(turn, fleet.context) }
        server.use { backend in
          for turn in inbox.turns { inbox.deliver(turn, to: &backend) }
        }
        inbox.forget(before: limit)
      }
    }
  }

  private mutating func receive(before limit: SimInstant) {
    for turn in turns(before: limit) {
      guard let inbox = inbox(of: PhoneID(rawValue: turn.phone)) else { continue }
      if let received { inbox.show(turn) { received($0.id, $1) } }
      inbox.stamp(turn, fleet.context)
      if let arrived { inbox.show(turn, to: arrived) }
      inbox.deliver(turn, to: &backend)
    }
    for inbox in inboxes { inbox.forget(before: limit) }
  }

  func turns(before limit: SimInstant) -> [ServerInbox.Turn] {
    for inbox in inboxes { inbox.lineUp(before: limit) }
    return inboxes.flatMap(\.turns).sorted()
  }

  func inbox(of phone: PhoneID) -> ServerInbox? { fleet.shard(of: phone).map { inboxes[$0] } }

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

  private mutating func takeStatuses(at now: SimInstant) {
    fleet.inOrder { shard in
      for answer in shard.takePushStatuses() {
        backend.pushResult(answer.id, status: answer.status, at: now)
      }
    }
  }

  private mutating func push(at sweep: SimInstant) {
    guard !fleet.context.outages.isDown(at: sweep) else { return }
    var pushes: [SilentPush] = []
    backend.sweep(at: sweep) { pushes.append($0) }
    guard !pushes.isEmpty else { return }
    fleet.consume(pushes)
    takeStatuses(at: sweep)
  }
}

extension PhoneFleet {
  /// The instant before which all events have happened, in every shard.
  package var horizon: SimInstant {
    owners.map { $0.shard.horizon }.min() ?? context.scenario.start
  }

  func consume(_ pushes: [SilentPush]) {
    forEachShard(with: pushes) { shard, push in
      shard.runCounterfactual(of: push)
      _ = shard.consume(.push(push), phone: push.phone)
    }
  }

  func forEachShard(
    with pushes: [SilentPush], _ body: @Sendable (inout Shard, SilentPush) -> Void
  ) {
    var parts = [[SilentPush]](repeating: [], count: shardCount)
    for push in pushes {
      if let shard = shard(of: push.phone) { parts[shard].append(push) }
    }
    let all = parts
    forEachShard { n, shard in
      for push in all[n] { body(&shard, push) }
    }
  }

  func consume(_ input: ServerInput, phone: PhoneID) {
    guard let shard = shard(of: phone) else { return }
    _ = owners[shard].shard.consume(input, phone: phone)
  }

  func trace(_ step: RequestStep, of phone: PhoneID, at now: SimInstant) {
    guard let shard = shard(of: phone) else { return }
    owners[shard].shard.trace(step, of: phone, at: now)
  }

  /// - Returns: each phone's row, for a server that takes over. A row's newest sequence number is
  ///   the newest known to be acknowledged, so that resends are new to that server.
  package func startCounting(after warm: Backend, answers: Answers) -> [PhoneSnapshot] {
    startCounting(answers)
    return snapshots(after: warm)
  }

  /// Begins the counted part for a server that already knows the phones.
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

  package func forEachSnapshot(after warm: Backend, _ body: (PhoneSnapshot) -> Void) {
    inOrder { shard in
      shard.acknowledged { newest in
        var snapshot = warm.snapshot(of: newest.phone)
        snapshot.sequences = SequenceRun(epoch: newest.epoch, low: 1, high: newest.sequence)
        body(snapshot)
      }
    }
  }

  package func ledger() -> Ledger { Ledger(metrics(), census()) }
}
