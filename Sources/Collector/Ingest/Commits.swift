internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Records which call waits for which commit, and the results of commits. For the loop's thread.
final class Commits {
  private let store: BatchStore
  private let loop: EventLoop
  private let log: CollectorLog
  private var pending = PendingCommits()
  private(set) var counters = CommitCounters()
  private var failure: StoreError?
  private var failedAt = WallInstant.distantPast
  /// Whether only another commit can show that the last failure is over.
  private var mayTryAgain = false
  private var outage: StoreError?
  var error: StoreError? { (mayTryAgain ? nil : failure) ?? outage }
  private(set) var lastAt: WallInstant?

  init(_ store: BatchStore, _ loop: EventLoop, _ log: CollectorLog) {
    self.store = store
    self.loop = loop
    self.log = log
  }

  var isDurable: Bool { store.isDurable }
  var uploadsWaiting: Int { pending.uploadsWaiting }
  var oldestWaiting: WallInstant? { store.oldestWaiting }

  func beginRun() { counters = CommitCounters() }

  /// Commits all submitted records and closes the store. Called last, after the loop's end.
  func close() { store.close() }

  // MARK: To the store

  func submit(
    _ batch: StoredBatch, payload: UnsafeRawBufferPointer, _ upload: PendingCommits.Upload
  ) {
    store.submit(
      batch, BatchUpdate(upload.digest), payload: payload, token: pending.put(.upload(upload)))
  }

  func join(_ id: BatchID, _ call: ServerCall, check: UInt32) -> Bool {
    pending.join(id, call, check: check)
  }

  func submit(_ run: StoredRun, _ call: ServerCall, resumed: Bool) {
    store.submit(run, token: pending.put(.run(call, resumed: resumed)))
  }

  func submit(_ request: RegisterRequest, at: SimInstant, _ call: ServerCall) {
    store.submitRegistration(
      request.phone, request.authorization, tokenValid: request.tokenValid, at: at,
      token: pending.put(.registration(call, request)))
  }

  func submit(_ rows: [PhoneSnapshot], asked: Int, _ call: ServerCall) {
    let token = pending.put(
      .restore(call, rows, asked: asked, left: rows.count, error: nil))
    for row in rows { store.submit(row, token: token) }
  }

  func submit(_ occasion: WakeOccasion) {
    store.submit(occasion, token: pending.put(.occasion))
  }

  // MARK: Back from it

  struct Group {
    var records: Int
    var took: WallDuration
    /// The time from the receipt of the group's oldest upload to the start of its commit.
    var longestWait: WallDuration
  }

  /// Calls `group` for each ended group, then `each` for the group's calls, with `heldBefore`.
  func takeReports(
    _ group: (Group) -> Void, _ each: (PendingCommits.Waiting, StoreError?, Bool) -> Void
  ) {
    for report in store.takeReports() {
      counters.count(report)
      group(
        Group(
          records: report.tokens.count, took: report.took, longestWait: noteWaits(of: report)))
      note(report.error)
      for token in report.tokens {
        if let waiting = pending.take(token, error: report.error) {
          each(waiting, report.error, report.heldBefore.contains(token))
        }
      }
    }
  }

  private func noteWaits(of report: CommitReport) -> WallDuration {
    var longest = WallDuration.zero
    for token in report.tokens {
      guard let receivedAt = pending.receipt(of: token) else { continue }
      let waited = max(.zero, report.began - receivedAt)
      longest = max(longest, waited)
      counters.wait.record(waited.microseconds)
    }
    return longest
  }

  /// Takes the result of reading the store without a commit. A collector that cannot commit may get
  /// no uploads, and would otherwise never notice that the store has recovered.
  func noteLook(_ problem: StoreError?) {
    outage = problem
    guard problem == nil, let failure else { return }
    if case .unreachable = failure { return recover() }
    mayTryAgain = loop.now - failedAt >= Self.triedAgainAfter
  }

  /// The delay before a commit is tried again on a readable store that refused the last group.
  private static let triedAgainAfter = WallDuration.seconds(5)

  private func note(_ error: StoreError?) {
    if error == nil { lastAt = loop.now }
    if error == nil, failure != nil { recover() }
    if error != nil { failedAt = loop.now }
    mayTryAgain = false
    failure = error
  }

  private func recover() {
    failure = nil
    log(.info, "store.recovered")
  }
}
