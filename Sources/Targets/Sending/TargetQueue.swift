package import Core

/// How one phone's app sends a batch: the requests, the state of each fix, and the result for the
/// phone.
///
/// The queue is pure: events and instants come in, and effects go out. `AppRetry` decides when to
/// send. `TargetQueue` cuts the batch into requests and keeps the progress for a resubmission.
///
///     handed ──▶ held until the rule allows ──▶ request ──▶ … ──▶ settled: taken, or thrown away
///                                                  │
///                                                  └─ failed: the phone resubmits the rest
package struct TargetQueue: Sendable {
  package enum Event: Sendable {
    /// The app was opened without fixes to send; the sequence number of the `BatchID` is 0.
    case opened(BatchID)
    case handed(BatchID, attempt: UInt32, fixes: Int, isLaunched: Bool)
    case timer
    case answered(Answer)
    /// The request got no answer, but the server may have received it.
    case unanswered
    /// The request cannot have reached the server.
    case unreached
    /// The request that was due, an upload or a registration, was not sent.
    case unsent
    case registered(Answer)
    case unregistered
  }

  package enum Result: Sendable, BitwiseCopyable {
    /// All fixes have left the phone, and the server stored at least one.
    case taken
    /// All fixes have left the phone, and the server stored none.
    case thrownAway
    /// The phone keeps the fixes that are left.
    case failed
  }

  package struct Effects: Sendable {
    package var registers = false
    /// The upload to send, and the indices of its fixes in the batch; nil for none.
    package var sends: (form: AppRetry.Form, fixes: Range<Int>)?
    /// When the event `timer` is due; nil for never.
    package var wakeAt: WallInstant?
    /// The number and the result of an attempt of the phone that has ended; nil for none.
    package var result: (attempt: UInt32, Result)?
    /// The indices of the acknowledged fixes in the batch.
    package var stored = 0..<0
    /// The indices of fixes that the server stored in part, and the stored number; nil for none.
    package var partly: (fixes: Range<Int>, taken: Int)?
  }

  private var retry: AppRetry.State
  /// The last submitted batch; nil for none.
  package private(set) var batch: BatchID?
  /// The states of the batch's fixes, oldest first; empty once all fixes have left the phone.
  private var states: [FixState] = []
  /// The number of oldest fixes that have left the phone.
  private var done = 0
  private var hasStored = false
  /// The number of the phone's attempt that waits for a result; 0 for none.
  private var attempt: UInt32 = 0

  package init(_ rule: AppRetry) { retry = rule.start }

  package var isBusy: Bool { retry.inFlight > 0 || retry.isRegistering }
  package var isAwaited: Bool { attempt > 0 }
  package var isRegistered: Bool { retry.isRegistered }

  /// Returns whether a registration at the opening of this batch's installation is in flight.
  package func isOpening(for id: BatchID) -> Bool {
    retry.isRegistering && batch?.sequence == 0 && batch?.epoch == id.epoch
  }

  private var isUnopened: Bool { batch?.sequence == 0 && !retry.isRegistered && !isBusy }

  /// The indices of the fixes that were sent but got no answer.
  package var unknown: [Int] { states.indices.filter { states[$0] == .unknown } }

  /// - Parameter chance: uniform in [0, 1).
  /// - Parameter isEnding: true to send nothing new and to return waiting batches to the phone.
  package mutating func handle(
    _ event: Event, _ rule: AppRetry, _ account: inout FixAccount, at now: WallInstant,
    chance: Double, isEnding: Bool = false
  ) -> Effects {
    var effects = Effects()
    let appEvent: AppRetry.Event
    switch event {
    case .opened(let id):
      guard batch == nil, !retry.isRegistered, !isBusy, !isEnding else { return effects }
      batch = id
      return register()
    case .handed(let id, let attempt, let fixes, let isLaunched):
      let isNew = id != batch
      if isNew { take(id, fixes, rule, &account) }
      self.attempt = attempt
      guard !isOver else {
        report(&effects)
        return effects
      }
      guard !isBusy else { return effects }
      if isLaunched, isNew {
        _ = rule.handle(.launched, &retry, waiting: 0, at: now, chance: chance)
      }
      appEvent = retry.wakeAt <= now ? .timer : .fixes
    case .timer where isUnopened && !isEnding && retry.wakeAt <= now: return register()
    case .timer:
      guard !isBusy, isAwaited, !isOver else { return effects }
      appEvent = .timer
    case .answered(let answer):
      guard retry.inFlight > 0 else { return effects }
      mark(answer, &account)
      appEvent = .answered(answer)
    case .unanswered:
      guard retry.inFlight > 0 else { return effects }
      move(done..<done + Int(retry.inFlight), to: .unknown, &account)
      appEvent = .unanswered
    case .unreached:
      guard retry.inFlight > 0 else { return effects }
      move(done..<done + Int(retry.inFlight), to: .failed, &account)
      appEvent = .unanswered
    case .unsent:
      move(done..<done + Int(retry.inFlight), to: .waiting, &account)
      retry.inFlight = 0
      retry.isRegistering = false
      report(&effects)
      return effects
    case .registered(let answer):
      guard retry.isRegistering else { return effects }
      appEvent = .registered(answer)
    case .unregistered:
      guard retry.isRegistering else { return effects }
      appEvent = .registered(Answer(rule: nil, outcome: .failed))
    }
    step(event, appEvent, rule, &account, now, chance, isEnding, &effects)
    return effects
  }

  /// Forgets the last batch. The installation keeps its registration and its timers.
  package mutating func forget() {
    // No batch has the number 0.
    if let batch { self.batch = BatchID(phone: batch.phone, epoch: batch.epoch, sequence: 0) }
    (states, done, hasStored, attempt) = ([], 0, false, 0)
    retry.inFlight = 0
    retry.isRegistering = false
  }

  // MARK: Steps

  package static let superseded = "older than what is sent"

  private var isOver: Bool { done == states.count }

  private mutating func register() -> Effects {
    var effects = Effects()
    retry.isRegistering = true
    retry.isHalted = false
    retry.wakeAt = .distantFuture
    effects.registers = true
    return effects
  }

  private mutating func take(
    _ id: BatchID, _ fixes: Int, _ rule: AppRetry, _ account: inout FixAccount
  ) {
    // Fixes that the phone does not resubmit are gone, since their app was deleted.
    move(done..<states.count, to: .removed, &account)
    if let batch, batch.epoch != id.epoch { retry = rule.start }
    if !isOpening(for: id) {
      // An answer to a request of the deleted app is ignored.
      retry.inFlight = 0
      retry.isRegistering = false
    }
    batch = id
    done = 0
    hasStored = false
    states = Array(repeating: .waiting, count: fixes)
    account.hand(fixes)
  }

  private mutating func mark(_ answer: Answer, _ account: inout FixAccount) {
    switch answer.outcome {
    case .stored, .refused, .partly: break
    case .duplicate: account.duplicates += Int(retry.inFlight)
    case .retry, .failed: move(done..<done + Int(retry.inFlight), to: .failed, &account)
    }
  }

  private mutating func step(
    _ event: Event, _ appEvent: AppRetry.Event, _ rule: AppRetry, _ account: inout FixAccount,
    _ now: WallInstant, _ chance: Double, _ isEnding: Bool, _ effects: inout Effects
  ) {
    let app = rule.handle(
      appEvent, &retry, waiting: states.count - done, at: now, chance: chance)
    remove(app, event, &account, &effects)
    if app.superseded > 0 {
      move(done..<done + app.superseded, to: .dropped, &account)
      account.droppedBy[Self.superseded, default: 0] += app.superseded
      done += app.superseded
    }
    if isEnding, app.registers || app.sends != nil {
      retry.inFlight = 0
      retry.isRegistering = false
      return report(&effects)
    }
    effects.registers = app.registers
    if let form = app.sends {
      let fixes = done..<done + app.count
      move(fixes, to: .inFlight, &account)
      effects.sends = (form, fixes)
    }
    guard !isBusy else { return }
    if isUnopened, !isEnding { effects.wakeAt = retry.wakeAt }
    if isOver || isEnding || !isHeld(after: event) { return report(&effects) }
    effects.wakeAt = retry.wakeAt
  }

  private mutating func remove(
    _ app: AppRetry.Effects, _ event: Event, _ account: inout FixAccount, _ effects: inout Effects
  ) {
    guard app.removed > 0 else { return }
    let fixes = done..<done + app.removed
    done += app.removed
    if case .answered(let answer) = event, case .partly(let taken, let reason) = answer.outcome {
      // The answer does not say which fixes were stored, so only the counts are exact.
      let (first, others) = (fixes.prefix(taken), fixes.dropFirst(taken))
      move(first, to: .stored, &account)
      move(others, to: .refused, &account)
      account.refusedBy[reason, default: 0] += others.count
      hasStored = hasStored || taken > 0
      effects.partly = (fixes, first.count)
      return
    }
    switch app.drop {
    case nil:
      move(fixes, to: .stored, &account)
      hasStored = true
      effects.stored = fixes
    case .refused:
      move(fixes, to: .refused, &account)
      account.refusedBy[Self.reason(event), default: 0] += fixes.count
    case .attempts:
      move(fixes, to: .dropped, &account)
      account.droppedBy["attempts exhausted", default: 0] += fixes.count
    case .notTried:
      move(fixes, to: .dropped, &account)
      account.droppedBy["the app does not retry", default: 0] += fixes.count
    }
  }

  private static func reason(_ event: Event) -> String {
    guard case .answered(let answer) = event, case .refused(let reason) = answer.outcome else {
      return "refused"
    }
    return reason
  }

  /// Returns whether the batch waits for the next timer of `AppRetry`. After a failure, the phone
  /// gets the result instead, and resubmits the batch when the system lets the app run.
  private func isHeld(after event: Event) -> Bool {
    guard retry.wakeAt < .distantFuture else { return false }
    switch event {
    case .opened, .handed, .timer: return true
    case .answered, .unanswered, .unreached, .unsent, .registered, .unregistered:
      return !retry.isHalted
    }
  }

  private mutating func report(_ effects: inout Effects) {
    if isOver {
      states = []
      done = 0
    }
    guard attempt > 0 else { return }
    let result: Result = !isOver ? .failed : hasStored ? .taken : .thrownAway
    effects.result = (attempt, result)
    attempt = 0
  }

  private mutating func move(
    _ places: Range<Int>, to state: FixState, _ account: inout FixAccount
  ) {
    for place in places { account.move(&states[place], to: state) }
  }
}
