internal import Dispatch
internal import Foundation
package import ServerLogic
package import SimulationCore
internal import Synchronization
package import Telemetry

/// Reports one commit: the tokens of everything that is durable now, or why none of it is.
package struct CommitReport: Sendable {
  /// Holds the tokens of the group's records, as they were given to `submit`.
  package var tokens: [UInt64]
  /// Is the reason for which none of the records is durable; nil where all of them are.
  package var error: StoreError?
  /// Holds the tokens of those batches that were durable before, since another collector on the
  /// same database had committed them.
  package var heldBefore: Set<UInt64> = []
  /// Is the time from the begin of the transaction to the end of its fsync.
  package var took: WallDuration
  /// Is the instant at which the transaction began; a record's wait before that is queueing.
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

/// Commits batches in groups: everything that queued up during the last transaction becomes the
/// next one (group commit), which is handed to a `CommitTarget`.
///
///     loop: submit ─▶ filling ─take all─▶ BEGIN … COMMIT (fsync) ─▶ reports ─one wake-up─▶ loop
///
/// An idle store commits at once. Only when the last group held several records does the next wait,
/// until `groupDelay` after the last began: under load that trades a bounded wait for fewer fsyncs.
/// Groups begin on the store's own serial queue and end wherever their target reports; `submit` and
/// `takeReports` never wait for the disk.
package final class BatchStore: Sendable {
  /// Is false for a target that keeps nothing, so that no answer has to wait for it.
  package let isDurable: Bool
  private let target: any CommitTarget
  private let groupsMax: Int
  private let groupDelay: WallDuration
  private let now: @Sendable () -> WallInstant
  private let wake: @Sendable () -> Void
  private let beforeCommit: (@Sendable () -> Void)?
  private let queue = DispatchQueue(label: "flotilla.store", qos: .userInitiated)
  private let mailbox: Mutex<StoreMailbox>
  /// Tracks the groups whose commits have begun and not ended.
  private let underWay = DispatchGroup()

  /// - Parameters:
  ///   - target: the target of all commits, used by this store alone.
  ///   - now: the machine's monotonic clock.
  ///   - beforeCommit: called on the store's queue when a transaction is to begin.
  ///   - wake: called from any thread when reports are ready to be taken.
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

  /// Queues a batch with its compressed payload, which is copied; `token` comes back in a report.
  /// Any thread; never waits for the disk.
  package func submit(
    _ batch: StoredBatch, _ update: BatchUpdate, payload: UnsafeRawBufferPointer, token: UInt64
  ) {
    submit(token) { group in .batch(batch, update, payload: group.append(payload)) }
  }

  /// Queues the run that the store belongs to; `token` comes back in a report.
  package func submit(_ run: StoredRun, token: UInt64) {
    submit(token) { group in
      .run(
        id: group.append(Array(run.id.utf8)), request: group.append(run.openRequest),
        openedAtWall: run.openedAtWall)
    }
  }

  /// Queues what a phone's registration told; `token` comes back in a report.
  package func submitRegistration(
    _ phone: PhoneID, _ authorization: Authorization, tokenValid: Bool, at: SimInstant,
    token: UInt64
  ) {
    submit(token) { _ in .registration(phone, authorization, tokenValid: tokenValid, at: at) }
  }

  /// Queues what another server knew of a phone; `token` comes back in a report.
  package func submit(_ snapshot: PhoneSnapshot, token: UInt64) {
    submit(token) { _ in .snapshot(snapshot) }
  }

  /// Queues a push that was requested or withheld; `token` comes back in a report.
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

  /// Is the instant since which the oldest record waits for its transaction; nil where none waits.
  package var oldestWaiting: WallInstant? {
    mailbox.withLock { $0.oldestSince }
  }

  /// Returns what has been committed, or has failed, since the last call.
  package func takeReports() -> [CommitReport] {
    mailbox.withLock { box in
      defer { box.reports.removeAll(keepingCapacity: true) }
      return box.reports
    }
  }

  /// Commits everything submitted, then closes the target.
  package func close() {
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
      // A full group has nothing to wait for.
      if lastHadCompany, !mailbox.withLock({ $0.hasFull }) { waitOut(since: lastBegan) }
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

  /// Takes the result of a group from the target, on any thread.
  ///
  /// - Parameters:
  ///   - group: the same group as it was given; its buffers are used again.
  ///   - error: the reason why none of it is durable; nil where all of it is.
  ///   - heldBefore: the tokens of the batches that somebody else had made durable.
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

  private func waitOut(since began: WallInstant) {
    let rest = groupDelay - (now() - began)
    if rest > .zero { usleep(UInt32(clamping: rest.microseconds)) }
  }
}
