package import Core
package import Figures
internal import Fleet
internal import Scenarios
internal import Synchronization
package import Targets
package import Transport
internal import Wire

extension TargetSender {
  /// Handles the end of a request, on the loop's thread.
  package func ended(_ number: UInt64, _ end: TargetExchange) {
    let slot = Int(number >> 32)
    guard requests.indices.contains(slot), let request = requests[slot],
      request.number == UInt32(truncatingIfNeeded: number)
    else { return }
    release(slot)
    // What is due may use the slot for another read.
    let reader = readers.removeValue(forKey: slot)
    // The end of a run abandons reads of viewers, which is no failure of the server.
    if isClosing, request.kind == .view { return }
    // After a stall many answers arrive in one turn of the loop, and due attempts go before them.
    if !isClosing, let next = due.next, next <= loop.now { run() }
    let fate = fate(of: request, end)
    let isFirst = tally.note(fate)
    if isFirst { say(fate, end, of: request) }
    if request.kind.isRead {
      reader?(end)
      return
    }
    counts[.inFlight] -= 1
    defer { wakeIfIdle() }
    if request.kind == .event { return ended(event: request, end) }
    if request.kind != .registration { record(request, fate, end) }
    guard request.generation == phones[request.phone].generation else { return }
    apply(event(of: request, end), request.phone, intended: loop.now)
  }

  private func fate(of request: Request, _ end: TargetExchange) -> RequestFate {
    switch end.result {
    case .answered(var answer, let status, let kept):
      if request.kind.isRead {
        return RequestFate(read: request.kind, status: status, isRead: end.rows != nil)
      }
      if request.kind == .registration, isTaken(answer), kept.contains(where: { $0 == nil }) {
        answer = Answer(rule: nil, outcome: .failed)
      }
      return RequestFate(request.kind, status: status, answer)
    case .unanswered(let kind, _, let isReached):
      return RequestFate(request.kind, unanswered: kind, isReached: isReached)
    }
  }

  func noteReadback(_ end: TargetExchange) {
    guard case .unanswered(let kind, let reason, let isReached) = end.result else {
      _ = tally.note(RequestFate(read: .readback, status: "rows", isRead: true))
      return
    }
    let fate = RequestFate(.readback, unanswered: kind, isReached: isReached)
    guard tally.note(fate) else { return }
    note("\(setup.target.name): \(fate.kind) got no answer: \(reason)")
  }

  private func taken(_ end: TargetExchange) -> Int {
    guard case .answered(let answer, _, _) = end.result,
      case .partly(let taken, _) = answer.outcome
    else { return 0 }
    return taken
  }

  private func isTaken(_ answer: Targets.Answer) -> Bool {
    answer.outcome == .stored || answer.outcome == .duplicate
  }

  private func event(of request: Request, _ end: TargetExchange) -> TargetQueue.Event {
    switch end.result {
    case .answered(let answer, _, let kept):
      guard request.kind == .registration else { return .answered(answer) }
      guard isTaken(answer) else { return .registered(answer) }
      let values = kept.compactMap(\.self)
      // A phone cannot continue without a value that the target wants it to keep.
      guard values.count == kept.count else { return .unregistered }
      phones[request.phone].kept = values
      return .registered(answer)
    case .unanswered(_, _, let isReached):
      guard request.kind != .registration else { return .unregistered }
      return isReached ? .unanswered : .unreached
    }
  }

  /// Takes over another sender's phones, with their registrations and kept values.
  package func adopt(_ others: [Phone]) {
    loop.sync { [self] in
      for place in phones.indices where others.indices.contains(place) {
        phones[place].queue = others[place].queue
        phones[place].queue.forget()
        phones[place].kept = others[place].kept
      }
    }
  }

  // MARK: Figures

  private func record(_ request: Request, _ fate: RequestFate, _ end: TargetExchange) {
    let parts = end.times
    let sentAt = request.sentAt ?? request.intended
    let hold = max(.zero, sentAt - (request.intended + request.lag)) + parts.waiting
    let connect = parts.resolving + parts.connecting + parts.securing
    let service = parts.writing + parts.answering + parts.reading
    let outcome: UploadOutcome
    switch fate.meaning {
    case "stored", "duplicate":
      counts[.acknowledged] += 1
      outcome = .acknowledged(
        duplicate: fate.meaning == "duplicate", fixes: UInt32(request.fixes.count))
    case "partly":
      counts[.acknowledged] += 1
      outcome = .acknowledged(duplicate: false, fixes: UInt32(taken(end)))
    case "unknown":
      counts[.timedOut] += 1
      outcome = .timedOut
    case _:
      counts[.failed] += 1
      outcome = .failed(fate.isAnswered ? .unknown : .unavailable)
    }
    if case .unanswered(let kind, _, let isReached) = end.result {
      if !isReached { counts[.connectFailures] += 1 }
      if kind.contains("descriptors") { counts[.descriptorLimitHits] += 1 }
      if kind.contains("ports") { counts[.portLimitHits] += 1 }
    }
    var completion = UploadCompletion(
      id: UploadName(0, attempt: 1).rawValue, phone: UInt32(request.phone), outcome,
      intended: request.intended, lag: request.lag, connect: connect, hold: hold,
      service: service)
    if let isResumed = end.isResumed { completion.handshake = (isResumed, parts.securing) }
    var report = UploadReport()
    report.completions = [completion]
    report.attempts = [AttemptSample(service: service, status: .ok)]
    self.parts.recorder.record(report)
    watch?(completion, fate)
    guard case .answered = end.result, isMeasured(request.intended) else { return }
    times.record(lag: request.lag, wait: hold, parts)
  }

  private func isMeasured(_ intended: WallInstant) -> Bool {
    let scenario = parts.scenario
    return parts.clock.wall(of: scenario.measureStart) <= intended
      && intended < parts.clock.wall(of: scenario.measureEnd)
  }

  private func say(_ fate: RequestFate, _ end: TargetExchange, of request: Request) {
    let what: String
    switch fate.meaning {
    case "stored", "duplicate", "read": return
    case "partly":
      what =
        "\(fate.status), by rule \((fate.rule ?? 0) + 1): \(taken(end)) of \(request.fixes.count) "
        + "fixes stored"
    case "refused": what = "\(fate.status), by rule \((fate.rule ?? 0) + 1): refused"
    case "retry": what = "\(fate.status), by rule \((fate.rule ?? 0) + 1): retried"
    case "failed": what = "\(fate.status), no rule matches: failed"
    case _: what = fate.status
    }
    var line = "\(setup.target.name): \(fate.kind) ended with \(what)"
    if case .unanswered(_, let reason, _) = end.result {
      line = "\(setup.target.name): \(fate.kind) got no answer: \(reason)"
    }
    let phone = request.phone + parts.fleet.phones.lowerBound
    note("\(line) (phone \(phone))")
  }

  func note(_ text: String) {
    notes.withLock { $0.append(text) }
    Waiter.shared.wake()
  }

  // MARK: Calls from other threads

  package func counters() -> Sheet {
    loop.sync { [self] in
      if !isOver { carrier?.fill(&counts) }
      return counts
    }
  }

  package var countersByCollector: [Sheet] { [] }

  package var failures: [String: Int]? {
    loop.sync { [self] in
      tally.counts.reduce(into: [:]) { sum, row in
        switch row.key.meaning {
        case "stored", "duplicate", "partly", "read", "unread": break
        case _: sum["\(row.key.kind) \(row.key.status)", default: 0] += row.value
        }
      }
    }
  }

  package func resend(_ resender: Resender, now: WallInstant) {}
  package func capture(to file: CaptureFile) {}

  package func accounts() -> (fixes: FixAccount, tally: TargetTally, times: PartHistograms) {
    loop.sync { [self] in (account, tally, times) }
  }

  package var viewTally: ViewTally {
    loop.sync { [self] in viewing?.tally ?? ViewTally() }
  }
}

package struct PartHistograms: Equatable, Sendable, Codable {
  private static let names = [
    "lag", "wait", "name", "TCP", "TLS", "written", "first byte", "answer",
  ]
  private var histograms = names.map { _ in Histogram() }

  mutating func record(lag: WallDuration, wait: WallDuration, _ times: ExchangeTimes) {
    let parts = [
      lag, wait, times.resolving, times.connecting, times.securing, times.writing,
      times.answering, times.reading,
    ]
    for place in parts.indices { histograms[place].record(parts[place].microseconds) }
  }

  package mutating func merge(_ other: PartHistograms) {
    for place in histograms.indices { histograms[place].merge(other.histograms[place]) }
  }

  package var parts: [TargetFigures.Part] {
    guard histograms[0].total > 0 else { return [] }
    return zip(Self.names, histograms).map {
      TargetFigures.Part(name: $0, metrics: RunRecord.Metrics($1))
    }
  }
}
