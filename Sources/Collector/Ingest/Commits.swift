internal import Figures
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// Connects the loop to the store: it records which call waits for which commit, and how commits
/// went.
///
/// Belongs to the loop's thread.
final class Commits {
  private let store: BatchStore
  private let loop: EventLoop
  private let log: CollectorLog
  private var pending = PendingCommits()
  private(set) var counters = CommitCounters()
  /// Is the error of the last group; nil where it was committed.
  private var failure: StoreError?
  private var failedAt = WallInstant.distantPast
  /// Is true where only another commit can tell whether what made the last one fail is over.
  private var mayTryAgain = false
  /// Is why the store could not be reached otherwise.
  private var outage: StoreError?
  /// Says why nothing can be committed now; nil where nothing is known against it.
  var error: StoreError? { (mayTryAgain ? nil : failure) ?? outage }
  private(set) var lastAt: WallInstant?

  init(_ store: BatchStore, _ loop: EventLoop, _ log: CollectorLog) {
    self.store = store
    self.loop = loop
    self.log = log
  }

  /// Is false for a store that keeps nothing: no answer waits for a commit.
  var isDurable: Bool { store.isDurable }
  /// Counts the uploads that are not durable yet.
  var uploadsWaiting: Int { pending.uploadsWaiting }
  /// Is the instant since which the oldest record waits for its transaction; nil where none waits.
  var oldestWaiting: WallInstant? { store.oldestWaiting }

  /// Resets the counters when another run has been opened.
  func beginRun() { counters = CommitCounters() }

  /// Commits everything submitted and closes the store. It is called last, after the loop's end.
  func close() { store.close() }

  // MARK: To the store

  func submit(
    _ batch: StoredBatch, payload: UnsafeRawBufferPointer, _ upload: PendingCommits.Upload
  ) {
    store.submit(
      batch, BatchUpdate(upload.digest), payload: payload, token: pending.put(.upload(upload)))
  }

  /// Lets a resend wait with its batch; false when that batch is not waiting.
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

  /// - Parameter asked: the number of rows in the call.
  func submit(_ rows: [PhoneSnapshot], asked: Int, _ call: ServerCall) {
    let token = pending.put(
      .restore(call, rows, asked: asked, left: rows.count, error: nil))
    for row in rows { store.submit(row, token: token) }
  }

  func submit(_ occasion: WakeOccasion) {
    store.submit(occasion, token: pending.put(.occasion))
  }

  // MARK: Back from it

  /// Holds the result of one group.
  struct Group {
    var records: Int
    var took: WallDuration
    /// Is the time from the receipt of the group's oldest upload to the begin of its commit.
    var longestWait: WallDuration
  }

  /// Takes the groups that were committed or failed, and then each call that waited for them.
  ///
  /// - Parameter each: takes what waited, why it is not durable, and whether it was durable before.
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

  /// Records how long the uploads of a commit waited for its begin.
  ///
  /// - Returns: the longest of these times.
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

  /// Takes whether the store was reached otherwise than by a commit. A collector that says that it
  /// cannot commit may be sent nothing, and would then never find out that it can again.
  func noteLook(_ problem: StoreError?) {
    outage = problem
    guard problem == nil, let failure else { return }
    if case .unreachable = failure { return recover() }
    mayTryAgain = loop.now - failedAt >= Self.triedAgainAfter
  }

  /// Is the time after which a store that can be read, and refused the last group, such as for want
  /// of room, is tried again.
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
