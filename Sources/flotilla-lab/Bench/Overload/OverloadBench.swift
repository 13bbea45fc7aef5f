internal import Collector
internal import Core
package import Figures
package import Uploads

/// Overloads a collector with pre-encoded batches, which the generator never retries.
///
///     search ─▶ sustainable rate ─▶ before (½ ×) ─▶ overload (3 ×) ─▶ after (½ ×)
package struct OverloadBench {
  package enum Progress: Sendable {
    case step(OverloadRecord.Step)
    case second(OverloadRecord.Second)
  }

  private let plan: OverloadPlan
  private let session: OverloadSession
  private let progress: (Progress) -> Void
  private let shouldStop: () -> Bool
  private var record: OverloadRecord

  private init(
    _ plan: OverloadPlan, progress: @escaping (Progress) -> Void, shouldStop: @escaping () -> Bool
  ) throws(CollectorRunError) {
    self.plan = plan
    self.progress = progress
    self.shouldStop = shouldStop
    let isPinned = CorePin.pinThisProcess(to: 0)
    if isPinned { CorePin.preferThisProcess() }
    session = try OverloadSession(plan, pinned: isPinned)
    record = OverloadRecord(
      latencyLimitMicroseconds: Double(plan.latencyLimit.microseconds), factor: plan.factor,
      fixesPerBatch: plan.fixesPerBatch, connections: plan.connections, isPinned: isPinned,
      store: plan.storePath == nil ? "none" : "sqlite, synchronous=FULL")
    record.slowCommits = [:]
  }

  /// - Returns: The measurements up to a stop.
  package static func run(
    _ plan: OverloadPlan, progress: @escaping (Progress) -> Void, shouldStop: @escaping () -> Bool
  ) throws(CollectorRunError) -> OverloadRecord {
    var bench = try OverloadBench(plan, progress: progress, shouldStop: shouldStop)
    defer { bench.session.stop() }
    bench.search()
    guard bench.record.sustainable > 0, !shouldStop() else { return bench.record }
    let half = bench.record.sustainable / 2
    bench.course(.before, half, seconds: plan.baselineSeconds)
    bench.course(.overload, half * 2 * plan.factor, seconds: plan.overloadSeconds)
    bench.course(.after, half, seconds: plan.baselineSeconds)
    return bench.record
  }

  // MARK: The sustainable rate

  /// Doubles the rate until it is too high, bisects by ratio until the interval is small, then
  /// decreases it until it is sustained for longer, since a few good seconds may be chance.
  private mutating func search() {
    var rate = plan.knownRate ?? bracketed()
    while rate > plan.firstRate / 8, !shouldStop() {
      if step(rate, seconds: plan.confirmationSeconds) { return }
      rate *= 0.95
    }
  }

  /// Returns the highest sustained rate of the search; 0 if there is none.
  private mutating func bracketed() -> Double {
    var good = 0.0
    var bad: Double?
    var rate = plan.firstRate
    // Limits the steps: no process can read 2^10 times the first rate from its sockets.
    for _ in 0..<16 where !shouldStop() {
      if step(rate, seconds: plan.searchStepSeconds) { good = rate } else { bad = rate }
      switch bad {
      case nil: rate *= 2
      case _? where good == 0: rate /= 2
      case let bad?:
        if bad / good < 1.04 { return good }
        rate = (good * bad).squareRoot()
      }
      if rate < plan.firstRate / 8 { break }
    }
    return good
  }

  private mutating func step(_ rate: Double, seconds count: Int) -> Bool {
    let before = session.collector.metrics()
    let seconds = offer(rate, seconds: count)
    let after = session.collector.metrics()
    // Offers little load until the backlog has cleared.
    _ = offer(plan.firstRate / 4, seconds: 2)
    let tally = session.tally.tally(seconds.dropFirst().startIndex..<seconds.upperBound)
    let length = Double(seconds.count - 1)
    let offered = Double(tally.offered) / length
    let p99 = tally.response.percentile(0.99).microseconds.map(Double.init)
    // The cores are a mean over all seconds, since nothing was sent before the first second.
    let cores = before.flatMap { before in
      after.map { Double($0.cpuMicroseconds - before.cpuMicroseconds) / 1e6 / Double(count) }
    }
    let isSustained =
      offered >= 0.97 * rate && Double(tally.acknowledged) >= 0.98 * Double(tally.offered)
      && tally.shed + tally.failed <= tally.offered / 200
      && (p99 ?? .infinity) <= record.latencyLimitMicroseconds
    let step = OverloadRecord.Step(
      plannedPerSecond: rate, offeredPerSecond: offered,
      acknowledgedPerSecond: Double(tally.acknowledged) / length, p99Microseconds: p99,
      isSustained: isSustained, collectorCores: cores)
    record.search.append(step)
    progress(.step(step))
    return isSustained
  }

  /// - Returns: The seconds, since the session's start, in which the load was offered.
  private mutating func offer(
    _ rate: Double, seconds count: Int, everyStep: () -> Void = {}
  ) -> Range<Int> {
    let first = session.secondsPassed + 1
    session.load.offer(
      rate, from: session.start + .seconds(Int64(first)),
      until: session.start + .seconds(Int64(first + count)), everyStep: everyStep,
      shouldStop: shouldStop)
    return first..<first + count
  }

  // MARK: The course

  private mutating func course(_ phase: OverloadRecord.Phase, _ rate: Double, seconds: Int) {
    let slow = session.snapshot()?.count(.slowCommits) ?? 0
    let watch = TimelineWatch(session, phase, from: record.seconds.count, progress)
    let offered = offer(rate, seconds: seconds) { watch.look() }
    watch.finish(offered)
    record.seconds += watch.rows
    if let end = session.snapshot() {
      record.slowCommits?[phase.rawValue] = end.count(.slowCommits) - slow
    }
  }
}
