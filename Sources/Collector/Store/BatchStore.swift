internal import Dispatch
internal import Foundation
package import ServerLogic
package import SimulationCore
internal import Synchronization
package import Telemetry

/// What one commit did: the tokens of everything that is durable now, or why none of it is.
package struct CommitReport: Sendable {
  package var tokens: [UInt64]
  package var error: StoreError?
  /// From the begin of the transaction to the end of its fsync.
  package var took: WallDuration
  /// When its transaction began; what a record waited before that is queueing.
  package var began = WallInstant.distantPast
}

/// The collector's memory on disk: SQLite in WAL mode with synchronous=FULL, one transaction for
/// everything that queued up while the last one was on its way (group commit).
///
///     loop: submit ─▶ filling ─take all─▶ BEGIN … COMMIT (fsync) ─▶ reports ─one wake-up─▶ loop
///
/// An idle store commits at once. Only when the last group had company does the next wait, until
/// `groupDelay` after the last began: under load that trades a bounded wait for fewer fsyncs.
/// All writing happens on the store's own serial queue; `submit` and `takeReports` never wait for
/// the disk.
package final class BatchStore: Sendable {
  package let path: String
  private let groupDelay: WallDuration
  private let now: @Sendable () -> WallInstant
  private let wake: @Sendable () -> Void
  private let beforeCommit: (@Sendable () -> Void)?
  private let queue = DispatchQueue(label: "flotilla.store", qos: .userInitiated)
  /// nil once closed.
  private let file: Mutex<StoreFile?>
  private let mailbox = Mutex(StoreMailbox())

  /// - Parameters:
  ///   - now: the machine's monotonic clock.
  ///   - beforeCommit: called on the store's queue when a transaction is to begin.
  ///   - wake: called from the store's queue when reports are there to be taken.
  package init(
    _ file: consuming sending StoreFile, groupDelay: WallDuration,
    now: @escaping @Sendable () -> WallInstant, wake: @escaping @Sendable () -> Void,
    beforeCommit: (@Sendable () -> Void)? = nil
  ) {
    self.beforeCommit = beforeCommit
    path = file.path
    self.file = Mutex(file)
    self.groupDelay = groupDelay
    self.now = now
    self.wake = wake
  }

  // MARK: Writing

  package func submit(_ batch: StoredBatch, payload: UnsafeRawBufferPointer, token: UInt64) {
    submit(token) { group in .batch(batch, payload: group.append(payload)) }
  }

  package func submit(_ run: StoredRun, token: UInt64) {
    submit(token) { group in
      .run(
        id: group.append(Array(run.id.utf8)), request: group.append(run.openRequest),
        openedAtWall: run.openedAtWall)
    }
  }

  package func submitRegistration(
    _ phone: PhoneID, _ authorization: Authorization, tokenValid: Bool, at: SimInstant,
    token: UInt64
  ) {
    submit(token) { _ in .registration(phone, authorization, tokenValid: tokenValid, at: at) }
  }

  package func submit(_ standing: PhoneStanding, token: UInt64) {
    submit(token) { _ in .standing(standing) }
  }

  package func submit(_ occasion: WakeOccasion, token: UInt64) {
    submit(token) { _ in .occasion(occasion) }
  }

  private func submit(_ token: UInt64, _ record: (inout CommitGroup) -> StoreRecord) {
    let mustStart = mailbox.withLock { box in
      box.put(token, record, at: now)
      defer { box.isDraining = true }
      return !box.isDraining
    }
    if mustStart { queue.async { self.drain() } }
  }

  /// Since when the oldest record waits whose transaction has not begun; nil: none does.
  package var oldestWaiting: WallInstant? {
    mailbox.withLock { $0.oldestSince }
  }

  /// What has been committed, or has failed, since the last call.
  package func takeReports() -> [CommitReport] {
    mailbox.withLock { box in
      defer { box.reports.removeAll(keepingCapacity: true) }
      return box.reports
    }
  }

  /// Commits everything submitted, then closes the file, which folds its write-ahead log in.
  package func close() {
    queue.sync {}
    file.withLock { $0 = nil }
  }

  private func drain() {
    var group = CommitGroup()
    var lastBegan = WallInstant.distantPast
    var lastHadCompany = false
    while true {
      // A group that is full has nothing to wait for.
      if lastHadCompany, !mailbox.withLock({ $0.hasFull }) { waitOut(since: lastBegan) }
      guard mailbox.withLock({ $0.take(into: &group) }) else { return }
      lastBegan = now()
      lastHadCompany = group.records.count > 1
      beforeCommit?()
      let error = commit(group)
      let report = CommitReport(
        tokens: group.tokens, error: error, took: now() - lastBegan, began: lastBegan)
      mailbox.withLock { $0.reports.append(report) }
      wake()
    }
  }

  private func commit(_ group: borrowing CommitGroup) -> StoreError? {
    file.withLock { file in
      let isOpen = file != nil
      return isOpen ? file?.commit(group) ?? nil : .failed(path: path, code: 0, detail: "closed")
    }
  }

  private func waitOut(since began: WallInstant) {
    let rest = groupDelay - (now() - began)
    if rest > .zero { usleep(UInt32(clamping: rest.microseconds)) }
  }
}
