internal import Core
internal import Foundation
internal import Scenarios
internal import ServerLogic
internal import Synchronization
internal import Transport
internal import Uploads
internal import Wire

/// The run's side of the control calls: open, restore, pushes, snapshot and proof.
final class CollectorLink: Sendable {
  private let client: RPCClient
  private let runID: String
  private let codec = Mutex(MessageCodec())
  private static let deadline = WallDuration.seconds(10)
  static let patience = WallDuration.seconds(10)
  /// The pause between polls of a collector, which does not announce that it is ready.
  private static let retryPause = WallDuration.milliseconds(200)

  init(
    loop: EventLoop, endpoint: Endpoint, carrier: CarrierKind = .flotilla, tls: TLSClient? = nil,
    token: String?, runID: String
  ) {
    client = RPCClient(
      loop: loop, to: endpoint, carrier: carrier, tls: tls, token: token, compresses: true)
    self.runID = runID
  }

  var compressed: [CollectorMethod: CompressedMessages] { client.compressed }

  func close() { client.close() }

  private func call<Answer: WireMessage>(
    _ method: CollectorMethod, _ request: some WireMessage, as answer: Answer.Type,
    within deadline: WallDuration = CollectorLink.deadline, patience: WallDuration = .zero
  ) throws(CollectorRunError) -> Answer {
    let end = MonotonicClock.now + patience
    while true {
      do {
        return try client.callBlocking(method, request, deadline: deadline, as: answer)
      } catch let failure as RPCClient.CallError
        where failure.status.code == .unavailable && MonotonicClock.now < end
      {
        Waiter.shared.pause(Self.retryPause)
      } catch {
        throw .unreachable("the collector did not answer \(error)")
      }
    }
  }

  /// - Parameter patience: the maximum wait for a collector that restarts or has no database.
  func checkHealth(
    within deadline: WallDuration = deadline, patience: WallDuration = .zero
  ) throws(CollectorRunError) {
    let end = MonotonicClock.now + patience
    while true {
      let reply = try call(
        .health, HealthRequest(), as: HealthReply.self, within: deadline,
        patience: max(.zero, end - MonotonicClock.now))
      if reply.serving { return }
      guard MonotonicClock.now < end else {
        throw .unreachable("the collector is not ready: \(reply.detail)")
      }
      Waiter.shared.pause(Self.retryPause)
    }
  }

  /// - Parameter startsIn: the wall-clock time to the live part; negative once it has begun.
  func open(
    _ scenario: Scenario, hashKey: UInt64, startsIn: WallDuration,
    codec: BatchCodec = .shipped,
    patience: WallDuration = .zero
  ) throws(CollectorRunError) {
    let request = OpenRunRequest(
      runID: runID, hashKey: hashKey, seed: scenario.seed,
      clock: RunClock(
        scenarioStart: scenario.start, measureStart: scenario.measureStart,
        measureEnd: scenario.measureEnd, speed: scenario.speed, startsIn: startsIn),
      phones: UInt32(scenario.fleet.phones), push: scenario.push.terms,
      cohorts: scenario.fleet.cohorts.map { cohort in
        CohortTerms(
          name: cohort.name, settings: Self.settings(scenario.policies[cohort.policy].settings),
          system: cohort.os.value.system.kind.rawValue)
      },
      freshWithin: [scenario.slo.freshness?.within ?? .minutes(30)],
      rollouts: Self.rollouts(scenario), outages: Self.outages(scenario))
    let reply = try call(.openRun, request, as: OpenRunReply.self, patience: patience)
    try Self.check(reply, decodes: codec)
  }

  static func check(_ reply: OpenRunReply, decodes codec: BatchCodec) throws(CollectorRunError) {
    if let wanted = codec.dictionary?.id, reply.dictionary != wanted {
      throw .otherDictionary(wanted: wanted, known: reply.dictionary)
    }
    for encoding in codec.encodings where !reply.encodings.contains(encoding) {
      throw .otherEncoding(wanted: encoding, known: reply.encodings)
    }
  }

  private static func rollouts(_ scenario: Scenario) -> [RolloutTerms] {
    let versions = SettingsVersions(scenario)
    return scenario.rollouts.enumerated().map { index, rollout in
      var settings = settings(scenario.policies[rollout.policy].settings)
      settings.version = versions.version(rollout: index + 1)
      return RolloutTerms(
        at: rollout.at, cohort: rollout.cohort.map { UInt32($0) }, share: rollout.share,
        settings: settings)
    }
  }

  private static func outages(_ scenario: Scenario) -> [OutageTerms] {
    scenario.faults.filter { $0.kind == .serverOutage }
      .map { OutageTerms(at: $0.at, lasts: $0.lasts) }
  }

  private static func settings(_ policy: PolicySettings) -> TrackerSettings {
    var duration = SimDuration.zero
    var interval = SimDuration.zero
    if case .burst(let length, let least) = policy.background.service.pattern {
      duration = length
      interval = least
    }
    return TrackerSettings(
      version: policy.version, gpsDuration: duration, minInterval: interval,
      sendInterval: policy.send.interval, regionRadius: policy.regionRadius ?? .meters(0),
      maxFixes: UInt32(policy.send.maxFixes))
  }

  func restore(
    _ snapshots: SnapshotSpill, cohort: (PhoneID) -> Int
  ) throws(CollectorRunError) {
    try snapshots.forEachPage { page throws(CollectorRunError) in
      let rows = page.map { snapshot in
        LastSeenRow(
          phone: snapshot.phone, epoch: snapshot.sequences.epoch,
          sequence: snapshot.sequences.high,
          newest: snapshot.newestFix == LastSeen.neverSeen ? nil : snapshot.newestFix,
          coordinate: snapshot.coordinate, authorization: snapshot.authorization,
          tokenValid: snapshot.tokenValid,
          lastPush: snapshot.chosenAt == .distantPast ? nil : snapshot.chosenAt,
          cohort: UInt32(cohort(snapshot.phone)), installed: true,
          reportedAt: snapshot.reportedAt == .distantPast ? nil : snapshot.reportedAt,
          answerShare: snapshot.answers?.share, unanswered: snapshot.answers?.unanswered ?? 0)
      }
      _ = try call(
        .restore, RestoreRequest(rows: rows), as: RestoreReply.self, patience: Self.patience)
    }
  }

  /// Subscribes to sweeps. Calls both closures on the control loop's thread, and `onEnd` last.
  func subscribe(
    onSweep: @escaping @Sendable (PushSweep) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    let request: [UInt8]
    do throws(WireError) {
      request = try codec.withLock { codec throws(WireError) in
        try codec.encode(PushesRequest(runID: runID))
      }
    } catch {
      preconditionFailure("a request of one string cannot be encoded: \(error)")
    }
    client.subscribe(
      .pushes, request,
      onMessage: { [self] bytes in
        // An unreadable message is skipped, so its pushes reach no phone.
        let sweep = try? codec.withLock { codec in try codec.decode(PushSweep.self, from: bytes) }
        if let sweep { onSweep(sweep) }
      },
      onEnd: { _ in onEnd() })
  }

  func report(_ statuses: [(id: UInt64, status: Int)]) {
    guard !statuses.isEmpty else { return }
    let request = PushResultRequest(
      outcomes: statuses.map { .init(id: $0.id, status: UInt32($0.status)) })
    let bytes = try? codec.withLock { codec in try codec.encode(request) }
    if let bytes { client.call(.pushResult, bytes, deadline: Self.deadline) { _ in } }
  }

  /// Requests a snapshot without waiting. Calls `read` on the control loop's thread, or never.
  func snapshot(_ read: @escaping @Sendable (SnapshotReply) -> Void) {
    let request = try? codec.withLock { try $0.encode(SnapshotRequest(histogram: false)) }
    guard let request else { return }
    client.call(.snapshot, request, deadline: .seconds(2)) { [self] result in
      guard case .success(let bytes) = result else { return }
      let reply = try? codec.withLock { try $0.decode(SnapshotReply.self, from: bytes) }
      if let reply { read(reply) }
    }
  }

  func snapshot() throws(CollectorRunError) -> SnapshotReply {
    try call(.snapshot, SnapshotRequest(histogram: true), as: SnapshotReply.self)
  }

  func health() -> HealthReply? {
    try? call(.health, HealthRequest(), as: HealthReply.self, within: .seconds(2))
  }

  /// Returns the stored batches by phone, and the findings in the store; nil if no store was read.
  func holdings(
    stored: Bool, progress: (StoreReading) -> Void = { _ in }
  ) throws(CollectorRunError) -> (held: [PhoneID: [HoldingsReply.Row]], store: StoreReading?) {
    let first = HoldingsRequest(phone: PhoneID(rawValue: 0), epoch: 0, stored: stored)
    var held: [PhoneID: [HoldingsReply.Row]] = [:]
    var next = first
    var seen = (StoreReading(), at: MonotonicClock.now)
    var pause = WallDuration.milliseconds(2)
    while true {
      let page = try call(.holdings, next, as: HoldingsReply.self)
      if let store = page.store, store.isUnderWay {
        // The pages so far may lack a batch that has arrived since they were read.
        (held, next) = ([:], first)
        let now = MonotonicClock.now
        if store != seen.0 { seen = (store, now) }
        guard now - seen.at < Self.readsOnWithin else {
          throw .unverified("reading the store made no progress for \(Self.readsOnWithin)")
        }
        progress(store)
        Waiter.shared.pause(pause)
        pause = min(pause * 2, Self.retryPause)
        continue
      }
      for row in page.rows { held[row.phone, default: []].append(row) }
      guard page.more, let last = page.rows.last else { return (held, page.store) }
      next.phone = last.phone
      next.epoch = last.epoch + 1
    }
  }

  private static let readsOnWithin = WallDuration.minutes(2)
}
