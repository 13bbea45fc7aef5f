package import Core
internal import Dispatch
internal import Foundation
package import ServerLogic
internal import Synchronization
internal import Transport

/// The result of one commit: the tokens of records now durable, or the error if none is.
package struct CommitReport: Sendable {
  package var tokens: [UInt64]
  /// The error of the commit; nil if all records are durable.
  package var error: StoreError?
  /// The tokens of batches that another collector on the same database had committed before.
  package var heldBefore: Set<UInt64> = []
  /// The time from the start of the transaction to the end of its fsync.
  package var took: WallDuration
  /// The start of the transaction; until then its records were queued.
  package var began = WallInstant.distantPast

  init(
    tokens: [UInt64], error: StoreError? = nil, took: WallDuration,
    began: WallInstant = .distantPast
  ) {
    self.tokens = tokens
    self.error = error
    self.took = took
    self.began = began
  }
}

/// Commits batches in groups. All records queued during a transaction become the next group.
///
///     loop: submit ─▶ filling ─take all─▶ BEGIN … COMMIT (fsync) ─▶ reports ─one wake-up─▶ loop
///
/// An idle store commits at once. After a group of several records, the next group begins
/// `groupDelay` later, which saves fsyncs. `submit` and `takeReports` never wait for the disk.
package final class BatchStore: Sendable {
  package let isDurable: Bool
  private let target: any CommitTarget
  private let groupsMax: Int
  private let groupDelay: WallDuration
  private let now: @Sendable () -> WallInstant
  private let wake: @Sendable () -> Void
  private let beforeCommit: (@Sendable () -> Void)?
  private let queue = DispatchQueue(label: "flotilla.store", qos: .userInitiated)
  private let mailbox: Mutex<StoreMailbox>
  private let underWay = DispatchGroup()
  private let waiter = Waiter()

  /// - Parameter beforeCommit: called on the store's queue before a transaction.
  /// - Parameter wake: called from any thread when reports are ready.
  package init(
    _ target: any CommitTarget, groupDelay: WallDuration,
    now: @escaping @Sendable () -> WallInstant, wake: @escaping @Sendable () -> Void,
    beforeCommit: (@Sendable () -> Void)? = nil
  ) {
    self.beforeCommit = beforeCommit
    self.target = target
    isDurable = target.isDurable
    groupsMax = target.groupsMax
    mailbox = Mutex(StoreMailbox(recordsMax: target.recordsMax))
    self.groupDelay = groupDelay
    self.now = now
    self.wake = wake
  }

  // MARK: Writing

  /// Queues a batch with a copy of its payload; a report returns `token`. Any thread may call this.
  package func submit(
    _ batch: StoredBatch, _ update: BatchUpdate, payload: UnsafeRawBufferPointer, token: UInt64
  ) {
    submit(token) { group in .batch(batch, update, payload: group.append(payload)) }
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

  package func submit(_ snapshot: PhoneSnapshot, token: UInt64) {
    submit(token) { _ in .snapshot(snapshot) }
  }

  package func submit(_ occasion: WakeOccasion, token: UInt64) {
    submit(token) { _ in .occasion(occasion) }
  }

  private func submit(_ token: UInt64, _ record: (inout CommitGroup) -> StoreRecord) {
    let mustStart = mailbox.withLock { box in
      box.put(token, record, at: now)
      return box.startDraining(groupsMax)
    }
    if mustStart { queue.async { self.drain() } }
  }

  /// When the oldest waiting record was submitted; nil if no record waits.
  package var oldestWaiting: WallInstant? {
    mailbox.withLock { $0.oldestSince }
  }

  package func takeReports() -> [CommitReport] {
    mailbox.withLock { box in
      defer { box.reports.removeAll(keepingCapacity: true) }
      return box.reports
    }
  }

  /// Commits all submitted records, then closes the target.
  package func close() {
    mailbox.withLock { $0.isClosing = true }
    waiter.wake()
    repeat {
      queue.sync {}
      underWay.wait()
    } while mailbox.withLock { $0.isBusy }
    target.close()
  }

  // MARK: Groups

  private func drain() {
    var lastBegan = WallInstant.distantPast
    var lastHadCompany = false
    while true {
      // A full group does not wait.
      if lastHadCompany, !mailbox.withLock({ $0.hasFull }) {
        waiter.pause(groupDelay - (now() - lastBegan)) { mailbox.withLock { $0.isClosing } }
      }
      var group = CommitGroup()
      guard mailbox.withLock({ $0.take(into: &group, groupsMax) }) else { return }
      lastBegan = now()
      lastHadCompany = group.records.count > 1
      group.began = lastBegan
      beforeCommit?()
      underWay.enter()
      target.commit(group, for: self)
    }
  }

  /// Takes a group's result from the target, on any thread, and reuses the group's buffers.
  /// `heldBefore` has the tokens of batches that other collectors had made durable.
  package func ended(
    _ group: consuming CommitGroup, _ error: StoreError?, heldBefore: Set<UInt64> = []
  ) {
    var report = CommitReport(
      tokens: group.tokens, error: error, took: now() - group.began, began: group.began)
    report.heldBefore = heldBefore
    let mustStart = mailbox.withLock { box in
      box.ended(&group, report)
      return box.startDraining(groupsMax)
    }
    if mustStart { queue.async { self.drain() } }
    wake()
    underWay.leave()
  }
}
