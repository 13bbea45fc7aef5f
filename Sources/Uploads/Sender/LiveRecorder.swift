package import Core
internal import Figures
internal import Fleet
internal import Phone
internal import Synchronization
internal import Transport
internal import Wire

/// Records the result of each upload of a live run, and delivers the result to the phone.
/// Completions arrive on the event loop's thread, upload orders on the shards' queues.
package final class LiveRecorder: Sendable {
  private struct Content: Sendable {
    var measured = LatencyHistograms()
    var unlogged = LatencyHistograms()
    var late: [(intended: WallInstant, started: WallInstant)] = []
    var intendedInSecond: [Int] = []
    /// The batches and fixes of the measured time.
    var counts = Sheet()
    var failures: [String: Int] = [:]
  }

  private struct Log: Sendable {
    var lines: LatencyLog?
    var spare = LatencyHistograms()
    /// The end of the last log line, in wall-clock seconds since the live part began.
    var loggedUntil = 0.0
  }

  private let content = Mutex(Content())
  private let log = Mutex(Log())
  package let intervals = IntervalRecorder()
  private let clock: PacedClock
  private let measureStart: WallInstant
  private let measureEnd: WallInstant
  private let deadline: WallDuration
  private let installations: Installations
  /// The versions by which phones learn of new settings; nil to ignore new settings.
  private let versions: SettingsVersions?
  private let classifier = UploadClassifier()
  private let journal: FleetJournal?
  private let resender: Resender?

  /// - Parameter epoch: the first epoch of every phone.
  package init(
    clock: PacedClock, measureStart: SimInstant, measureEnd: SimInstant, deadline: WallDuration,
    epoch: UInt32, versions: SettingsVersions? = nil, journal: FleetJournal? = nil,
    resender: Resender? = nil
  ) {
    installations = Installations(first: epoch)
    self.versions = versions
    self.journal = journal
    self.resender = resender
    self.clock = clock
    self.measureStart = clock.wall(of: measureStart)
    self.measureEnd = clock.wall(of: measureEnd)
    self.deadline = deadline
  }

  func offered(_ orders: [UploadOrder]) {
    installations.note(orders)
    intervals.update { interval in
      interval.counters[.offeredBatches] += orders.count
      for order in orders { interval.counters[.offeredFixes] += Int(order.fixCount) }
    }
    content.withLock { content in
      for order in orders {
        note(intended: clock.wall(of: order.intended), fixes: Int(order.fixCount), &content)
      }
    }
  }

  func offered(at intended: WallInstant, fixes: Int) {
    intervals.update { interval in
      interval.counters[.offeredBatches] += 1
      interval.counters[.offeredFixes] += fixes
    }
    content.withLock { note(intended: intended, fixes: fixes, &$0) }
  }

  private func note(intended: WallInstant, fixes: Int, _ content: inout Content) {
    let second = max(0, Int((intended - clock.wallStart).seconds))
    while content.intendedInSecond.count <= second { content.intendedInSecond.append(0) }
    content.intendedInSecond[second] += 1
    guard measureStart <= intended, intended < measureEnd else { return }
    content.counts[.offeredBatches] += 1
    content.counts[.offeredFixes] += fixes
  }

  func completed(_ report: UploadReport) -> [(phone: PhoneID, input: ServerInput)] {
    var report = report
    var inputs: [(phone: PhoneID, input: ServerInput)] = []
    inputs.reserveCapacity(report.completions.count)
    let results = report.completions.map(classifier.result)
    note(report.completions, results)
    for (completion, result) in zip(report.completions, results) {
      let name = UploadName(rawValue: completion.id)
      if name.isResend { continue }
      let phone = PhoneID(rawValue: completion.phone)
      // The settings precede the result, because the phone applies newer settings with the ack.
      if let rollout = versions?.rollout(of: completion.settingsVersion) {
        inputs.append((phone, .settings(rollout: rollout)))
      }
      inputs.append((phone, .outcome(attempt: name.attempt, result)))
    }
    if resender != nil {
      report.completions.removeAll { UploadName(rawValue: $0.id).isResend }
    }
    record(report)
    return inputs
  }

  /// Records results without delivering them to phones.
  func record(_ report: UploadReport) {
    intervals.update { interval in
      for completion in report.completions { note(completion, &interval) }
      for attempt in report.attempts {
        interval.latency.attempt.record(attempt.service.microseconds)
      }
    }
    content.withLock { content in
      for completion in report.completions { note(completion, &content) }
      for attempt in report.attempts {
        content.measured.attempt.record(attempt.service.microseconds)
        content.unlogged.attempt.record(attempt.service.microseconds)
      }
    }
  }

  private func note(_ completions: [UploadCompletion], _ results: [UploadResult]) {
    guard let journal else { return }
    var records: [JournalRecord] = []
    for (completion, result) in zip(completions, results) {
      let name = UploadName(rawValue: completion.id)
      let phone = PhoneID(rawValue: completion.phone)
      let id =
        (name.isResend ? resender?.flying(phone, name.sequence) : nil)
        ?? BatchID(
          phone: phone, epoch: installations.epoch(of: phone, attempt: name.attempt),
          sequence: name.sequence)
      switch (completion.outcome, result) {
      case (.acknowledged(let duplicate, _), _):
        records.append(.acknowledged(id, duplicate: duplicate))
      case (_, .refused): records.append(.refused(id))
      case (_, .acknowledged), (_, .failed), (_, .offline), (_, .connectionLost): break
      }
      if name.isResend {
        resender?.completed(
          id, isAnswered: result != .failed, at: completion.finishedAt)
      }
    }
    journal.append(records)
  }

  private func note(_ completion: UploadCompletion, _ interval: inout Interval) {
    switch completion.outcome {
    case .acknowledged(_, let fixes):
      interval.counters[.acknowledgedBatches] += 1
      interval.counters[.acknowledgedFixes] += Int(fixes)
      interval.latency.record(Self.timing(completion))
    case .failed, .timedOut:
      interval.counters[.failedBatches] += 1
      interval.latency.recordFailure(Self.timing(completion), deadline: deadline.microseconds)
    }
  }

  private func note(_ completion: UploadCompletion, _ content: inout Content) {
    if completion.generatorLag > .milliseconds(1) {
      content.late.append(
        (completion.intended, completion.intended + completion.generatorLag))
    }
    switch completion.outcome {
    case .acknowledged: break
    case .failed(let status): content.failures["\(status)", default: 0] += 1
    case .timedOut: content.failures["\(StatusCode.deadlineExceeded)", default: 0] += 1
    }
    // A sample belongs to the phase of its intended time.
    guard measureStart <= completion.intended, completion.intended < measureEnd else { return }
    switch completion.outcome {
    case .acknowledged:
      content.counts[.acknowledgedBatches] += 1
      content.measured.record(Self.timing(completion))
      content.unlogged.record(Self.timing(completion))
    case .failed, .timedOut:
      content.measured.recordFailure(
        Self.timing(completion), deadline: deadline.microseconds)
      content.unlogged.recordFailure(
        Self.timing(completion), deadline: deadline.microseconds)
    }
  }

  // MARK: latency.hlog

  /// The maximum number of log lines, one per second in runs of up to an hour.
  private static let logIntervalsMax = 3_600.0

  /// - Parameter startSeconds: the wall-clock start of the live part, in seconds since 1970.
  package func beginLog(startSeconds: Double, startText: String) {
    log.withLock {
      $0.lines = LatencyLog(startSeconds: startSeconds, startText: startText)
    }
  }

  /// Writes a log line if the interval since the last line is long enough, or if `isEnd`.
  package func logInterval(at now: WallInstant, isEnd: Bool = false) {
    log.withLock { log in
      let seconds = (now - clock.wallStart).seconds
      let length = seconds - log.loggedUntil
      let least = (measureEnd - clock.wallStart).seconds / Self.logIntervalsMax
      guard length > 0, isEnd || length >= least else { return }
      content.withLock { swap(&$0.unlogged, &log.spare) }
      log.lines?.append(from: log.loggedUntil, length: length, log.spare)
      log.spare.reset()
      log.loggedUntil = seconds
    }
  }

  package var latencyLog: String? { log.withLock { $0.lines?.text } }

  private static func timing(_ completion: UploadCompletion) -> BatchTiming {
    var timing = BatchTiming(
      generatorLag: completion.generatorLag.microseconds,
      connect: completion.connect.microseconds, hold: completion.hold.microseconds,
      service: completion.service.microseconds)
    timing.handshake = completion.handshake.map {
      .init(isResumed: $0.isResumed, lasted: $0.lasted.microseconds)
    }
    return timing
  }

  package struct Totals: Sendable {
    package var latency: LatencyHistograms
    package var counts: Sheet
    package var failures: [String: Int]
    /// The reason why the generator was too late; nil if the generator kept up.
    package var deficitReason: String?
  }

  /// - Parameter allowance: the response time that the SLO allows.
  package func totals(allowance: WallDuration) -> Totals {
    content.withLock { content in
      Totals(
        latency: content.measured, counts: content.counts, failures: content.failures,
        deficitReason: deficit(content, allowance))
    }
  }

  /// Returns why the generator was late, from the number of due attempts that had not started.
  private func deficit(_ content: borrowing Content, _ allowance: WallDuration) -> String? {
    var steps: [(at: WallInstant, change: Int)] = []
    for late in content.late {
      steps.append((late.intended, 1))
      steps.append((late.started, -1))
    }
    steps.sort { ($0.at, $0.change) < ($1.at, $1.change) }
    var watch = DeficitWatch(allowance: allowance)
    var open = 0
    for step in steps {
      let second = max(0, Int((step.at - clock.wallStart).seconds))
      let rate =
        content.intendedInSecond.isEmpty
        ? 0 : content.intendedInSecond[min(second, content.intendedInSecond.count - 1)]
      // Observes the deficit just before this step, then just after it.
      watch.observe(at: step.at, intended: open, dispatched: 0, intendedPerSecond: Double(rate))
      open += step.change
      watch.observe(at: step.at, intended: open, dispatched: 0, intendedPerSecond: Double(rate))
    }
    return watch.reason
  }
}
