internal import Core
internal import Transport

/// Logs events of unauthenticated clients, limits, slow commits and overloads. For the loop's thread only.
final class AuditTick {
  private let loop: EventLoop
  private let rpc: RPCServer
  private let commits: Commits
  private let ingest: Ingest
  private let log: CollectorLog
  private var logger = RateLimitedLogger()
  private var refused: (count: Int, at: WallInstant) = (0, .distantPast)
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in look() }

  init(_ rpc: RPCServer, _ commits: Commits, _ ingest: Ingest, _ log: CollectorLog) {
    loop = rpc.loop
    self.rpc = rpc
    self.commits = commits
    self.ingest = ingest
    self.log = log
  }

  func look() {
    let hits = rpc.counters.hits(.descriptors)
    if hits > refused.count { refused = (hits, loop.now) }
    for (kind, count) in logger.look(counts, at: loop.now) {
      let level: LogLevel =
        kind == Self.descriptors || kind == Self.failedCommits ? .error : .warning
      if let reason = reason(of: kind) {
        log(level, kind, ["count": .whole(Int(count)), "reason": .text(reason)])
      } else {
        log(level, kind, ["count": .whole(Int(count))])
      }
    }
    noteOverload()
    timer.arm(at: loop.now + RateLimitedLogger.period)
  }

  private func reason(of kind: String) -> String? {
    switch kind {
    case Self.descriptors: descriptorWords
    case Self.failedCommits: commits.error?.description ?? "it has since recovered"
    case Self.slowCommits:
      "a commit took up to \((commits.counters.commit.max ?? 0) / 1_000) ms in this run; uploads "
        + "wait for the store's disk or database"
    default: TLSError.Kind.allCases.first { kind == Self.name($0) }?.atServer
    }
  }

  /// The reason for refused connections; nil if no connection was refused in the last minute.
  var descriptorFault: String? {
    guard refused.count > 0, loop.now - refused.at < Self.refusalTime else { return nil }
    return "\(refused.count) connections were refused: \(descriptorWords)."
  }

  private var descriptorWords: String {
    "the limit of open files is \(ResourceLimit.descriptors.current), which leaves "
      + "\(rpc.limits.connectionsMax) connections; raise it with 'ulimit -n' in the shell that "
      + "starts the collector"
  }

  private static let refusalTime = WallDuration.seconds(60)
  private static let descriptors = "limit.descriptors"
  private static let failedCommits = "store.failed"
  private static let slowCommits = "store.slow"

  private var counts: [(kind: String, count: UInt64)] {
    let counters = rpc.counters
    return counters.limitHits.map { (kind: "limit.\($0.name)", count: UInt64($0.count)) } + [
      ("protocol-error", UInt64(counters[.protocolErrors])),
      ("unauthenticated", UInt64(counters[.unauthenticated])),
      (Self.failedCommits, UInt64(commits.counters.sheet[.failedCommits])),
      (Self.slowCommits, UInt64(commits.counters.sheet[.slowCommits])),
    ]
      + TLSError.Kind.allCases.map {
        (kind: Self.name($0), count: rpc.loop.handshakes.failed($0))
      }
  }

  private static func name(_ kind: TLSError.Kind) -> String { "tls.\(kind.rawValue)" }

  private func noteOverload() {
    switch logger.watchOverload(shed: UInt64(ingest.counters.sheet[.shed]), at: loop.now) {
    case .began:
      log(
        .warning, "overload.began",
        [
          "refused_share": .real(ingest.admission.dropProbability),
          "delay_ms": .real(ingest.admission.delay.seconds * 1_000),
        ])
    case .ended(let shed): log(.info, "overload.ended", ["shed": .whole(Int(shed))])
    case nil: break
    }
  }
}
