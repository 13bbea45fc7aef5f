package import SimulationCore
package import Telemetry

/// What one phone's app does with a batch that it was handed: which requests it makes of it, what
/// becomes of each fix, and when the phone learns how its batch ended.
///
/// Pure: events and instants come in, effects go out. The app's rule, `AppRetry`, says when it
/// sends; this cuts the batch into requests, and remembers how far it came when the phone hands the
/// same batch over again.
///
///     handed ──▶ held until the rule allows ──▶ request ──▶ … ──▶ settled: taken, or thrown away
///                                                  │
///                                                  └─ failed: the phone keeps the rest, and hands
///                                                     it over again at its next occasion
package struct TargetQueue: Sendable {
  /// What happens to the queue.
  package enum Event: Sendable {
    /// The app is opened, and has nothing to send; the batch has the number 0.
    case opened(BatchID)
    /// The phone hands a batch over, or hands one over again.
    case handed(BatchID, attempt: UInt32, fixes: Int, isLaunched: Bool)
    /// The instant has come that an effect named.
    case timer
    /// The upload on its way was answered.
    case answered(Answer)
    /// It was not; the server may have it.
    case unanswered
    /// It was not, and cannot have reached the server.
    case unreached
    /// The request that is due, of whichever kind, was not sent after all.
    case unsent
    /// The registration was answered.
    case registered(Answer)
    /// It was not.
    case unregistered
  }

  /// How a batch ended, as its phone learns it.
  package enum Result: Sendable, BitwiseCopyable {
    /// Everything of it has left the phone, and at least one fix is stored.
    case taken
    /// Everything of it has left the phone, and nothing is stored.
    case thrownAway
    /// The phone keeps it.
    case failed
  }

  /// What is to be done.
  package struct Effects: Sendable {
    /// Is true where a registration is to be sent.
    package var registers = false
    /// Is the upload to be sent, and the places of its fixes in the batch; nil: none is.
    package var sends: (form: AppRetry.Form, fixes: Range<Int>)?
    /// Is when the event `timer` is due; nil: it is not.
    package var wakeAt: WallInstant?
    /// Is what the phone is to learn of which of its attempts; nil: nothing.
    package var result: (attempt: UInt32, Result)?
    /// Holds the places of the fixes that the server has said to have; empty: none.
    package var stored = 0..<0
    /// Holds the places of the fixes of which it has said to have some, and how many; nil: none.
    package var partly: (fixes: Range<Int>, taken: Int)?
  }

  private var retry: AppRetry.State
  /// Names the batch that was handed over last; nil: none was.
  package private(set) var batch: BatchID?
  /// Holds the states of the batch's fixes, oldest first; empty once all of them have left.
  private var states: [FixState] = []
  /// Counts the fixes that have left the phone: the oldest.
  private var done = 0
  private var hasStored = false
  /// Is the phone's attempt that waits for its result; 0: none does.
  private var attempt: UInt32 = 0

  /// Makes the queue of an app that was just installed.
  package init(_ rule: AppRetry) { retry = rule.start }

  /// Is true while a request is on its way, or waits for its turn.
  package var isBusy: Bool { retry.inFlight > 0 || retry.isRegistering }
  /// Is true while the phone waits for a result.
  package var isAwaited: Bool { attempt > 0 }

  /// Returns whether a registration is on its way that the app asked for before its first batch,
  /// and which is that of the app whose batch this is.
  package func isOpening(for id: BatchID) -> Bool {
    retry.isRegistering && batch?.sequence == 0 && batch?.epoch == id.epoch
  }

  /// Whether the app registers by itself, since there is no batch that could do so.
  private var isUnopened: Bool { batch?.sequence == 0 && !retry.isRegistered && !isBusy }

  /// Lists the places of the fixes that were sent and had no answer.
  package var unknown: [Int] { states.indices.filter { states[$0] == .unknown } }

  /// Takes one event.
  ///
  /// - Parameters:
  ///   - account: where the fixes are, of all phones.
  ///   - chance: uniform in [0, 1).
  ///   - isEnding: whether nothing new may be sent: what waits goes back to the phone.
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

  /// Lets go of the batch that was handed over last, whatever became of it; what the app knows of
  /// its registration and its waits stays, for as long as it is the same installation.
  package mutating func forget() {
    // No batch has the number 0.
    if let batch { self.batch = BatchID(phone: batch.phone, epoch: batch.epoch, sequence: 0) }
    (states, done, hasStored, attempt) = ([], 0, false, 0)
    retry.inFlight = 0
    retry.isRegistering = false
  }

  // MARK: Steps

  /// The reason why fixes were thrown away that were never sent.
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
    // What a phone goes on without, its app has not kept: it was deleted.
    move(done..<states.count, to: .removed, &account)
    if let batch, batch.epoch != id.epoch { retry = rule.start }
    if !isOpening(for: id) {
      // An answer to what the deleted app sent is nobody's.
      retry.inFlight = 0
      retry.isRegistering = false
    }
    batch = id
    done = 0
    hasStored = false
    states = Array(repeating: .waiting, count: fixes)
    account.hand(fixes)
  }

  /// Notes what an answer says of the fixes of its request, before the app acts on it.
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
      // Which ones it has it does not say: the account is right in numbers.
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
      account.droppedBy["tried as often as the app tries", default: 0] += fixes.count
    case .notTried:
      move(fixes, to: .dropped, &account)
      account.droppedBy["the app does not try again", default: 0] += fixes.count
    }
  }

  private static func reason(_ event: Event) -> String {
    guard case .answered(let answer) = event, case .refused(let reason) = answer.outcome else {
      return "refused"
    }
    return reason
  }

  /// Whether the batch waits for an instant that the rule names. After a failure it does not: the
  /// phone is told, and comes again when the system lets its app run.
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
