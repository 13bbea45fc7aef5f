package import Core

/// The outcome of one silent push, in 40 bytes. Each push ends once, in `PushDelivery.handle` or,
/// if the provider turned it away, in `turnedAway`.
package struct PushEnding: Codable, Equatable, Sendable, BitwiseCopyable {
  package let id: UInt64
  package let requestedAt: SimInstant
  package let causedAt: SimInstant
  /// The value of `counterfactualReport`, with `distantPast` for nil.
  private var counterfactualAt = SimInstant.distantPast
  package let phone: PhoneID
  package let outcome: WakeOutcome

  /// The instant at which the phone would have reported without this push; `distantFuture` if not
  /// within W, nil if unknown, as in a run that does not simulate the counterfactual.
  package var counterfactualReport: SimInstant? {
    get { counterfactualAt == .distantPast ? nil : counterfactualAt }
    set { counterfactualAt = newValue ?? .distantPast }
  }

  package init(
    id: UInt64, phone: PhoneID, requestedAt: SimInstant, outcome: WakeOutcome,
    causedAt: SimInstant = .distantFuture
  ) {
    self.id = id
    self.phone = phone
    self.requestedAt = requestedAt
    self.outcome = outcome
    self.causedAt = causedAt
  }
}

/// The stage of a phone's newest silent push, and its ending.
///
///     none ──requested──▶ inTransit ──arrived──▶ arrived ──woke──▶ woken ──fixTaken──▶ fixTaken
///                          │     ▲               │     ▲
///                       stored  reconnected   deferred released
///                          ▼     │               ▼     │
///                          stored               deferred
///
/// | stage | ending event | outcome |
/// |---|---|---|
/// | `inTransit` | `undelivered` | overwritten, expired; Doze if it held the push back |
/// | | `requested` | overwritten |
/// | | `arrived` after a report | raced |
/// | `stored` | `undelivered` | overwritten, expired; Doze if it held the push back |
/// | | `requested` | overwritten |
/// | `arrived` | `stopped` | the gate that stopped it |
/// | | `noPermission` | no-permission |
/// | | `wakeFailed` | switched-off, app-crashed |
/// | `deferred` | `requested`, `discarded`, `released` after a report | the gate that deferred it |
/// | `woken` | `requested` | no-fix |
/// | | `wakeEnded` | no-fix, app-crashed |
/// | `fixTaken` | `requested` | upload-failed |
/// | | `reported` | caused, late |
/// | all but `arrived` | `closed` less than W after the request | pending |
/// | `inTransit` | `closed` | late |
/// | `stored` | `closed` | the gate that stored it: offline, switched-off, low-power, doze, … |
/// | `deferred`, `woken` | `closed` | no-fix |
/// | `fixTaken` | `closed` | upload-failed |
///
/// A push that a gate of the phone has deferred ends as that gate, unless its fix reaches the
/// server after all or the run ends before W is over. `arrived` lasts no longer than the event in
/// which the phone decides about the push.
///
/// `requested` ends the open push and opens the next, so a phone has at most one open push. Only
/// `handle` changes the stage. The end of a push clears its state, so a push cannot end twice.
///
/// A delivery takes 26 bytes of the phone's record. Events carry instants, so no clock is read.
package struct PushDelivery: Equatable, Sendable, BitwiseCopyable {
  package enum Stage: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case none
    case inTransit
    case stored
    case arrived
    case deferred
    case woken
    case fixTaken
  }

  package enum Event: Sendable, BitwiseCopyable {
    /// The provider has accepted a newer push, and delivers it now.
    case requested(SilentPush)
    case stored
    case undelivered(UndeliveredPush)
    case reconnected(id: UInt64)
    case arrived(lastReport: SimInstant)
    case released(lastReport: SimInstant)
    case stopped(by: WakeOutcome)
    case deferred(by: WakeOutcome)
    /// A deferred push can no longer wake the app, which was force-quit or opened by its user.
    case discarded
    case noPermission
    case wakeFailed(isSwitchedOff: Bool)
    case woke
    /// The app has kept a fix that is accurate enough for an answer.
    case fixTaken(FixTime)
    case wakeEnded(crashed: Bool)
    /// At `at` the server has received fixes up to `newest`. `within` is W.
    case reported(newest: SimInstant, at: SimInstant, within: SimDuration)
    /// The run is over. A push requested less than `within` before the end is pending. `storedFor`
    /// says why the provider stores the push; nil if the push is not stored.
    case closed(at: SimInstant, within: SimDuration, storedFor: StorageGate?)
  }

  package enum Step: Equatable, Sendable {
    case ignored
    case moves(to: Stage)
    /// Ends the push as given, or as the gate that first deferred the push.
    case ends(WakeOutcome)
    /// Ends the push as given, regardless of a gate that deferred the push.
    case endsInAnyCase(WakeOutcome)
    /// Opens the next push. The previous push ends as given, or as the gate that first deferred it.
    case opens(SilentPush, endingAs: WakeOutcome?)
    case impossible
  }

  /// The id of the open push; 0 if none is open.
  package private(set) var id: UInt64 = 0
  /// The scenario time at which the server requested the open push; `distantPast` if none is open.
  package private(set) var requestedAt = SimInstant.distantPast
  package private(set) var fixTime = FixTime(centiseconds: .max)
  package private(set) var stage = Stage.none
  /// The first gate of the phone that deferred the open push; nil if none did.
  package private(set) var stoppedBy: WakeOutcome?

  package private(set) var manner = PushManner.ofScenario

  package init() {}

  private init(_ push: SilentPush) {
    id = push.id
    requestedAt = push.requestedAt
    stage = .inTransit
    manner = push.manner
  }

  package static func typical(at instant: SimInstant) -> PushDelivery {
    var delivery = PushDelivery()
    delivery.requestedAt = instant
    delivery.fixTime = FixTime(instant)
    return delivery
  }

  /// Handles `event`, and returns the ending of the previously open push if the event ended it.
  package mutating func handle(_ event: Event, of phone: PhoneID) -> PushEnding? {
    switch step(on: event) {
    case .ignored: return nil
    case .moves(let next):
      note(event)
      stage = next
      return nil
    case .ends(let outcome):
      return takeOut(of: phone, as: stoppedBy ?? outcome)
    case .endsInAnyCase(let outcome):
      return takeOut(of: phone, as: outcome, event)
    case .opens(let push, let outcome):
      let ending = outcome.map { takeOut(of: phone, as: stoppedBy ?? $0) }
      self = PushDelivery(push)
      return ending
    case .impossible:
      preconditionFailure("a push whose stage is \(stage) cannot be \(event)")
    }
  }

  /// Returns the ending of a push that the provider turned away; nil if it is in transit or stored.
  package static func turnedAway(_ push: SilentPush, _ decision: PushDecision) -> PushEnding? {
    let outcome: WakeOutcome
    switch decision {
    case .deliver, .stored: return nil
    case .rejected: outcome = .rejected
    case .unregistered: outcome = .unregistered
    case .undelivered(let gone, displaced: _): outcome = WakeOutcome(gone)
    }
    return PushEnding(
      id: push.id, phone: push.phone, requestedAt: push.requestedAt, outcome: outcome)
  }

  private mutating func note(_ event: Event) {
    if case .deferred(let gate) = event { stoppedBy = stoppedBy ?? gate }
    if case .fixTaken(let time) = event { fixTime = time }
  }

  /// Ends the open push and clears its state. No other method ends an open push.
  private mutating func takeOut(
    of phone: PhoneID, as outcome: WakeOutcome, _ event: Event? = nil
  ) -> PushEnding {
    precondition(stage != .none, "no open push can end as \(outcome)")
    var causedAt = SimInstant.distantFuture
    if case .reported(_, let at, _)? = event { causedAt = at }
    defer { self = PushDelivery() }
    return PushEnding(
      id: id, phone: phone, requestedAt: requestedAt, outcome: outcome, causedAt: causedAt)
  }
}
