internal import ServerLogic
internal import SimulationCore
internal import Transport

/// Looks at the counters once a second and writes down what strangers and limits did, so that
/// nothing is formatted where it happens: of each kind one line in `LogThrottle.period`.
struct Watchman {
  static let period = WallDuration.seconds(1)
  /// How long nobody must have been refused for an overload to be over: a second without is common
  /// in one.
  static let overloadEnds = WallDuration.seconds(5)

  private var overload: (shedBefore: UInt64, lastAt: WallInstant)?
  private var shed: UInt64 = 0
  private var seen: [String: UInt64] = [:]
  private var throttle = LogThrottle()

  enum Overload: Equatable { case began, ended(shed: UInt64) }

  /// - Parameter count: of calls refused since the run began.
  mutating func watchOverload(shed count: UInt64, at now: WallInstant) -> Overload? {
    defer { shed = count }
    if count > shed {
      let isNew = overload == nil
      overload = (overload?.shedBefore ?? shed, now)
      return isNew ? .began : nil
    }
    guard let over = overload, now - over.lastAt >= Self.overloadEnds else { return nil }
    overload = nil
    return .ended(shed: count >= over.shedBefore ? count - over.shedBefore : count)
  }

  /// - Parameter counts: of each kind since the process began.
  /// - Returns: the kinds that may have a line now, each with how many there were since its last.
  mutating func look(
    _ counts: [(kind: String, count: UInt64)], at now: WallInstant
  ) -> [(kind: String, count: UInt64)] {
    for (kind, count) in counts {
      let before = seen[kind, default: 0]
      // A new run may have begun its counters anew.
      throttle.add(kind, count >= before ? count - before : count)
      seen[kind] = count
    }
    return throttle.takeDue(at: now)
  }
}

extension CollectorServer {
  func patrol() {
    let counters = rpc.counters
    var counts = counters.limitHits.map { (kind: "limit.\($0.name)", count: $0.count) }
    counts.append(("protocol-error", counters.protocolErrors))
    counts.append(("unauthenticated", counters.unauthenticated))
    counts.append(("store.failed", figures.commitErrors))
    for (kind, count) in watchman.look(counts, at: loop.now) {
      if kind == "store.failed" {
        let reason = storeError?.description ?? "it has recovered since"
        log(.error, kind, ["count": .whole(Int(count)), "reason": .text(reason)])
      } else {
        log(.warning, kind, ["count": .whole(Int(count))])
      }
    }
    switch watchman.watchOverload(shed: figures.shed, at: loop.now) {
    case .began:
      log(
        .warning, "overload.began",
        [
          "refused_share": .real(admission.dropProbability),
          "delay_ms": .real(admission.delay.seconds * 1_000),
        ])
    case .ended(let shed): log(.info, "overload.ended", ["shed": .whole(Int(shed))])
    case nil: break
    }
    patrolTimer?.arm(at: loop.now + Watchman.period)
  }

  /// The store has answered for a group.
  func noteStoreAnswer(before: StoreError?) {
    if storeError == nil { lastCommit = loop.now }
    if before != nil, storeError == nil { log(.info, "store.recovered") }
  }

  func noteRun(resumed: Bool) {
    guard let run else { return }
    log(
      .info, resumed ? "run.resumed" : "run.opened",
      [
        "run": .text(run.id), "phones": .whole(run.backend.phones),
        "speed": .real(run.clock.speed),
        "batches": .whole(Int(run.backend.ledger.batches.distinct)),
      ])
  }

  func noteStart() {
    log(
      .info, "start",
      [
        "version": .text(configuration.version), "pid": .whole(configuration.processID),
        "store": .text(store.name), "run": .text(run?.id ?? "none"),
        "batches": .whole(Int(run?.backend.ledger.batches.distinct ?? 0)),
        "fixes": .whole(Int(run?.backend.ledger.fixes.distinct ?? 0)),
      ])
  }
}
