internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Answers the calls Register, Restore and Holdings. For the loop's thread only.
final class PhoneRegistry {
  private let runs: RunHost
  private let commits: Commits
  private let replies: ReplyWriter
  private(set) var counters = Sheet()

  init(_ runs: RunHost, _ commits: Commits, _ replies: ReplyWriter) {
    self.runs = runs
    self.commits = commits
    self.replies = replies
  }

  func beginRun() { counters.reset() }

  // MARK: Register

  /// Answers a registration, after a commit if the phone reports a change.
  func register(_ call: ServerCall, _ request: RegisterRequest) {
    guard let run = runs.serving(call) else { return }
    guard Int(request.phone.rawValue) < run.backend.phones else {
      return replies.refuse(
        call, .invalidArgument, "phone \(request.phone.rawValue) is not in this run")
    }
    guard Int(request.cohort) < run.cohorts.count else {
      return replies.refuse(
        call, .invalidArgument, "cohort \(request.cohort) is not in this run")
    }
    let known = run.backend.lastSeen(request.phone)
    let isChange =
      known.reportedAt == .distantPast || known.authorization != request.authorization
      || known.tokenValid != request.tokenValid
    let isOfThis = request.epoch >= known.epoch
    guard commits.isDurable, isChange, isOfThis else { return finish(call, request, error: nil) }
    commits.submit(request, at: run.clock.scenario(at: call.receivedAt), call)
  }

  func finish(_ call: ServerCall, _ request: RegisterRequest, error: StoreError?) {
    if let error { return replies.refuse(call, error) }
    guard let run = runs.run, Int(request.cohort) < run.cohorts.count else {
      return replies.refuseWithoutRun(call)
    }
    run.backend.register(
      request.phone, epoch: request.epoch, authorization: request.authorization,
      tokenValid: request.tokenValid && request.installed,
      at: run.clock.scenario(at: call.receivedAt))
    counters[.registrations] += 1
    let cohort = Int(request.cohort)
    run.backend.note(request.phone, cohort: cohort)
    let settings = run.settings(
      for: request.phone, cohort: cohort, at: run.clock.scenario(at: call.receivedAt))
    replies.answer(call, RegisterReply(settings: settings))
  }

  // MARK: Restore

  /// Restores rows of unknown phones only. A client that reconnects after a restart resends its
  /// rows, but the stored rows are newer.
  func restore(_ call: ServerCall, _ request: RestoreRequest) {
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    guard request.rows.allSatisfy({ Int($0.phone.rawValue) < run.backend.phones }) else {
      return replies.refuse(
        call, .invalidArgument, "a row names a phone that is not in this run")
    }
    for row in request.rows { run.backend.note(row.phone, cohort: Int(row.cohort)) }
    let rows = request.rows.filter { !run.backend.lastSeen($0.phone).isKnown }
      .map { PhoneSnapshot($0) }
    guard commits.isDurable, !rows.isEmpty else {
      return finish(call, rows, asked: request.rows.count, error: nil)
    }
    commits.submit(rows, asked: request.rows.count, call)
  }

  func finish(_ call: ServerCall, _ rows: [PhoneSnapshot], asked: Int, error: StoreError?) {
    if let error { return replies.refuse(call, error) }
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    let now = run.clock.scenario(at: call.receivedAt)
    for row in rows { run.backend.restore(row, at: now) }
    replies.answer(call, RestoreReply(rows: UInt32(asked)))
  }

  // MARK: Holdings

  /// Answers one page of holdings, by phone. A page ends after the phone that fills the page.
  func holdings(_ call: ServerCall, _ request: HoldingsRequest) {
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    replies.answer(
      call, HoldingsReply.page(request) { run.backend.holdings(from: $0, limit: $1) })
  }
}

extension PhoneSnapshot {
  fileprivate init(_ row: LastSeenRow) {
    self.init(
      phone: row.phone, authorization: row.authorization, tokenValid: row.tokenValid,
      reportedAt: row.reportedAt ?? row.newest?.instant ?? .distantPast,
      chosenAt: row.lastPush ?? .distantPast, newestFix: row.newest ?? LastSeen.neverSeen,
      coordinate: row.coordinate,
      sequences: SequenceRun(epoch: row.epoch, low: 1, high: row.sequence),
      answers: row.answerShare.map { AnswerHistory(share: $0, unanswered: row.unanswered) })
  }
}

extension HoldingsReply {
  /// The maximum number of phones on a page; 20,000 rows are about 200 kB.
  private static let phonesMax = 20_000

  /// - Parameter holdings: returns the holdings from a phone on, for a maximum number of phones.
  static func page(
    _ request: HoldingsRequest, _ holdings: (PhoneID, Int) -> [Holding]
  ) -> HoldingsReply {
    let limit = max(1, min(Int(request.limit), phonesMax))
    var rows: [Row] = []
    // The last phone of the previous page may have no more rows, but this page must not be empty.
    let page = holdings(request.phone, limit + 2).filter {
      $0.phone > request.phone || $0.runs.contains { $0.epoch >= request.epoch }
    }
    for holding in page.prefix(limit) {
      for row in Row.rows(of: holding)
      where holding.phone > request.phone || row.epoch >= request.epoch {
        rows.append(row)
      }
    }
    return HoldingsReply(rows: rows, more: page.count > limit)
  }
}

extension HoldingsReply.Row {
  /// The maximum length of a run beyond a gap whose numbers are listed one by one.
  private static let listedMax: UInt32 = 64

  /// Returns a row for the first run of sequence numbers of an installation, which also lists the
  /// numbers of short runs beyond a gap. A long run has a separate row, which takes few bytes.
  fileprivate static func rows(of holding: Holding) -> [Self] {
    var rows: [Self] = []
    for run in holding.runs {
      if let last = rows.last, last.epoch == run.epoch, run.high - run.low < listedMax {
        rows[rows.count - 1].extra.append(contentsOf: run.low...run.high)
      } else {
        rows.append(
          Self(phone: holding.phone, epoch: run.epoch, first: run.low, contiguous: run.high))
      }
    }
    return rows
  }
}
