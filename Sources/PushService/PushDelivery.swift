package import Figures
package import SimulationCore
package import Telemetry

/// What became of one silent push.
///
/// Each push that the server asks for comes to exactly one of these, because only this file can
/// make one: `PushDelivery.handle` when a push leaves its last stage, and `PushDelivery.turnedAway`
/// for a push that never reached a stage.
///
/// 40 bytes, since a million phones have millions of them a day.
package struct PushEnding: Codable, Equatable, Sendable, BitwiseCopyable {
  /// The id of the push.
  package let id: UInt64
  /// The scenario instant of the sweep that asked for the push.
  package let requestedAt: SimInstant
  /// When the fix of its wake reached the server; `distantFuture`: none did.
  package let causedAt: SimInstant
  /// Of the other course; `distantPast`: it is not known.
  private var counterfactualAt = SimInstant.distantPast
  /// Names the phone that the push was for.
  package let phone: PhoneID
  /// The one outcome that the push is charged to.
  package let outcome: WakeOutcome

  /// When the phone would have reported by itself, had this one push been withheld: known where
  /// the run lives that other course as well; nil: not known, `distantFuture`: not within W.
  package var counterfactualReport: SimInstant? {
    get { counterfactualAt == .distantPast ? nil : counterfactualAt }
    set { counterfactualAt = newValue ?? .distantPast }
  }

  /// Makes the ending of a push whose other course is not known.
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

/// How far a phone's newest silent push has come, and what it ends as.
///
///     none ──requested──▶ inTransit ──arrived──▶ arrived ──woke──▶ woken ──fixTaken──▶ fixTaken
///                          │     ▲               │     ▲
///                       stored  reconnected   deferred released
///                          ▼     │               ▼     │
///                          stored               deferred
///
/// | stage | by this event it ends | as |
/// |---|---|---|
/// | `inTransit` | `undelivered` | overwritten, expired |
/// | | `requested` | overwritten |
/// | | `arrived` after a report | raced |
/// | `stored` | `undelivered` | overwritten, expired |
/// | | `requested` | overwritten |
/// | `arrived` | `stopped` | its gate |
/// | | `noPermission` | no-permission |
/// | | `wakeFailed` | switched-off, app-crashed |
/// | `deferred` | `requested`, `discarded`, `released` after a report | the gate that deferred it |
/// | `woken` | `requested` | no-fix |
/// | | `wakeEnded` | no-fix, app-crashed |
/// | `fixTaken` | `requested` | upload-failed |
/// | | `reported` | caused, late |
/// | all but `arrived` | `closed` less than W after the request | pending |
/// | `inTransit` | `closed` | late |
/// | `stored` | `closed` | what kept it: offline, switched-off, low-power |
/// | `deferred`, `woken` | `closed` | no-fix |
/// | `fixTaken` | `closed` | upload-failed |
///
/// A gate of the phone that has stopped the push once is what it ends as, wherever it ends later,
/// unless its fix reaches the server after all or the run ends before W is over. `arrived` lasts
/// no longer than the event in which the phone decides about the push.
///
/// `requested` ends the push before it and opens the next, so a phone has one open push at most. A
/// stage is entered and left in `handle` alone, and leaving the last one takes the push out: it
/// cannot end twice. What an event does in which stage is in `PushDelivery+Steps.swift`, pair by
/// pair.
///
/// Pure: events bring their instants along. 26 bytes, inside the phone's own record.
package struct PushDelivery: Equatable, Sendable, BitwiseCopyable {
  /// Names where the open push is.
  package enum Stage: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// No push is open.
    case none
    /// On its way from the provider to the phone.
    case inTransit
    /// At the provider, which cannot hand it over yet.
    case stored
    /// At the phone, which is deciding.
    case arrived
    /// On the phone, until a gate opens.
    case deferred
    /// The app runs because of it; no fix yet.
    case woken
    /// A fix of its wake waits for the server.
    case fixTaken
  }

  /// What happens to a push, as provider, phone or run report it.
  package enum Event: Sendable, BitwiseCopyable {
    /// The provider has taken a newer push, and brings it now.
    case requested(SilentPush)
    /// The provider cannot hand it to the phone, and keeps it.
    case stored
    /// A push has left the provider without reaching the phone.
    case undelivered(UndeliveredPush)
    /// The phone can be reached again, and a stored push is on its way.
    case reconnected(id: UInt64)
    /// It reaches the phone. The newest fix that the server holds is of `lastReport`.
    case arrived(lastReport: SimInstant)
    /// The gate that deferred it on the phone has opened.
    case released(lastReport: SimInstant)
    /// The phone throws it away at this gate.
    case stopped(by: WakeOutcome)
    /// The phone keeps it until this gate opens.
    case deferred(by: WakeOutcome)
    /// A deferred push wakes the app no more: its app was force-quit, or opened by its user.
    case discarded
    /// The app may not use location in the background.
    case noPermission
    /// The app did not run for it.
    case wakeFailed(isSwitchedOff: Bool)
    /// The app runs for it.
    case woke
    /// The app has kept a fix that is good enough.
    case fixTaken(FixTime)
    /// The app that it woke runs no longer.
    case wakeEnded(crashed: Bool)
    /// The server holds fixes up to `newest` since `at`; in time is `within` the request.
    case reported(newest: SimInstant, at: SimInstant, within: SimDuration)
    /// The run is over. A push that had less than `within` is pending; `storedFor` is what kept a
    /// stored one at the provider.
    case closed(at: SimInstant, within: SimDuration, storedFor: StorageGate?)
  }

  /// What an event does to the open push.
  package enum Step: Equatable, Sendable {
    /// Nothing: the event is about another push, or about none.
    case ignored
    case moves(to: Stage)
    /// It ends as said, or as the gate that stopped it first.
    case ends(WakeOutcome)
    /// It ends as said, whatever gate stopped it.
    case endsInAnyCase(WakeOutcome)
    /// The next push is opened; the one before ends as said, or as the gate that stopped it first.
    case opens(SilentPush, endingAs: WakeOutcome?)
    /// The caller's mistake: nothing in the world can bring this about.
    case impossible
  }

  /// Of the open push; 0: none is open.
  package private(set) var id: UInt64 = 0
  /// The scenario instant of the sweep that asked for the open push; `distantPast`: none is
  /// open.
  package private(set) var requestedAt = SimInstant.distantPast
  /// Of the first good fix of its wake.
  package private(set) var fixTime = FixTime(centiseconds: .max)
  /// Where the open push is.
  package private(set) var stage = Stage.none
  /// The first gate of the phone that stopped it; nil: none did.
  package private(set) var stoppedBy: WakeOutcome?

  /// What the open push is for.
  package private(set) var manner = PushManner.ofScenario

  /// Makes the delivery of a phone without an open push.
  package init() {}

  private init(_ push: SilentPush) {
    id = push.id
    requestedAt = push.requestedAt
    stage = .inTransit
    manner = push.manner
  }

  /// One with a likely value in every member that life will set: what records are packed against.
  package static func typical(at instant: SimInstant) -> PushDelivery {
    var delivery = PushDelivery()
    delivery.requestedAt = instant
    delivery.fixTime = FixTime(instant)
    return delivery
  }

  /// Takes the open push one step further.
  ///
  /// - Returns: the ending of the push that was open before, if the event ended it.
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

  /// The ending of a push that goes no further than the provider's answer; nil: it is on its way.
  ///
  /// It never becomes the phone's open push, which stays as it is.
  package static func turnedAway(_ push: SilentPush, _ decision: PushDecision) -> PushEnding? {
    let outcome: WakeOutcome
    switch decision {
    case .deliver, .stored: return nil
    case .rejected: outcome = .rejected
    case .unregistered: outcome = .unregistered
    case .undelivered(let gone, displaced: _): outcome = WakeOutcome(gone.ending)
    }
    return PushEnding(
      id: push.id, phone: push.phone, requestedAt: push.requestedAt, outcome: outcome)
  }

  /// What a later stage asks for.
  private mutating func note(_ event: Event) {
    if case .deferred(let gate) = event { stoppedBy = stoppedBy ?? gate }
    if case .fixTaken(let time) = event { fixTime = time }
  }

  /// The one way out: nothing of the push stays behind, so it has no second ending.
  private mutating func takeOut(
    of phone: PhoneID, as outcome: WakeOutcome, _ event: Event? = nil
  ) -> PushEnding {
    precondition(stage != .none, "no push is open that could end as \(outcome)")
    var causedAt = SimInstant.distantFuture
    if case .reported(_, let at, _)? = event { causedAt = at }
    defer { self = PushDelivery() }
    return PushEnding(
      id: id, phone: phone, requestedAt: requestedAt, outcome: outcome, causedAt: causedAt)
  }
}
