package import Core
package import Scenarios
internal import Synchronization

/// Decides what the app does at each event of the operating system, driven by a policy.
///
///     imprecise ──wake, burst allowed──▶ standard on ──stop timer──▶ imprecise
///        │  ▲                                                          │
///        └──┴── region at the last fix · significant changes · visits ◀┘   (HY1)
///
/// One machine serves all policies, and each policy switches on parts of the machine (HY2). The
/// machine is pure: its input is an event and a time, its output commands. The fields marked *disk*
/// survive the death of the process (HY4), and `memory` is reset at launch.
package struct TrackerStateMachine: Equatable, Sendable, BitwiseCopyable {
  // disk
  /// The sequence number of the last cut batch; 0 before the first.
  package internal(set) var lastSequence: UInt32 = 0
  /// The number of fixes in the outbox, including those of a cut batch.
  package internal(set) var outboxCount: UInt16 = 0
  /// The number of fixes at the head of the outbox that are cut as batch `lastSequence` and not yet
  /// answered. A retry sends the same fixes under the same number, so that the server recognises
  /// the batch.
  package internal(set) var cutCount: UInt16 = 0
  package internal(set) var lastAccepted: Fix?
  var lastSend = SimInstant.distantPast
  var notBefore = SimInstant.distantPast
  var failures: UInt8 = 0
  /// NW1: Whether the cut batch is with the system's upload process, which reports the result.
  var isHandedOver = false
  /// AU6, AU14: Whether the user was asked for permission and the answer still applies.
  var hasAsked = false
  var keepsPlaces = false
  /// The number of waiting events, the one in flight included.
  package internal(set) var eventCount: UInt8 = 0
  /// Whether the app has an `EventBox`.
  package internal(set) var hasEvents = false
  /// VI3: The dates of the last visit, by which a repetition is recognised.
  var lastVisit: Visit.Key?
  // memory; `sending` is apart from `memory` because there it would make a phone longer.
  var sending = EventSending()
  var memory = Memory()

  /// Creates the state of a newly installed app: empty outbox, nothing asked, nothing started.
  package init() {}

  package var isSending: Bool { memory.isSending }

  struct EventSending: Equatable, Sendable, BitwiseCopyable {
    /// Whether the upload in flight is that of an event.
    var isEvent = false
    /// Whether fixes that were due wait for the answer to an event.
    var fixesWait = false
    /// Whether the last event failed, so that fixes are sent before it is repeated.
    var hasFailed = false
  }

  struct Memory: Equatable, Sendable, BitwiseCopyable {
    var lastBurst = SimInstant.distantPast
    var newest: Coordinate?
    /// The last delivered fix, accepted or not; nil before the first fix, and always nil if the
    /// filter compares with the last accepted fix.
    var delivered: Fix?
    /// The position from which the rest rule measures movement; nil until the next fix.
    var restAnchor: Coordinate?
    var isForeground = false
    var isSending = false
    /// LC8: Whether the app, by mistake, created no location manager at a background relaunch.
    var isInert = false
    var standard = StandardPhase.off
    /// DC2: Whether the restart timer runs, during which further fixes start no timer.
    var restartIsTimed = false
    /// PT1: Whether the system has reported that it paused the standard service.
    var isPaused = false
    /// The speed class ⌈v / 5 m/s⌉ of the last fix, at least 1, which scales the distance filter.
    var speedClass: UInt8 = 1
    var isResting = false
    var stillIsTimed = false
    var sendIsTimed = false
    /// The number of background tasks begun and not ended (DC5, HY6).
    var openTasks: UInt8 = 0
    var pushIsPending = false
  }

  enum StandardPhase: UInt8, Sendable, BitwiseCopyable {
    case off
    case waiting
    case timed
    case steady
    case asking
  }

  /// The machine's inputs besides its state, shared by all phones of a policy. The type is
  /// noncopyable, since otherwise each callback would copy about 650 bytes.
  package struct Context: ~Copyable, Sendable {
    /// A noncopyable member has an address, which keeps the compiler from passing a copy.
    private let anchor = Mutex(())
    package let settings: PolicySettings
    package let seed: UInt64
  }

  /// Handles one event: updates the state and appends the resulting commands to `out`, in order.
  package mutating func handle(
    _ event: OSEvent, of phone: PhoneID, now: SimInstant, _ context: borrowing Context,
    into out: inout CommandList
  ) {
    switch event {
    case .launched(let reason): launched(reason, now, context, &out)
    case .becameActive: becameActive(now, context, &out)
    case .enteredBackground: enteredBackground(now, context, &out)
    case .location(let fix, .standard): standardFix(fix, now, context, &out)
    case .location(let fix, .imprecise): impreciseFix(fix, now, context, &out)
    case .regionExited(.imprecise, let cached): leftRegion(cached, now, context, &out)
    // RG2: The app's other manager receives the same event.
    case .regionExited(.standard, _): break
    case .visit(let visit): visited(visit, now, context, &out)
    case .authorizationChanged(let answer): authorized(answer, now, context, &out)
    case .motionActivity(let activity): moved(activity, now, context, &out)
    case .standardPaused: paused(context, &out)
    case .settingsChanged: settingsChanged(now, context, &out)
    case .silentPush(let cached):
      respond(context.settings.onPush, cached, now, context, &out)
    case .messagesDiscarded(let cached):
      let answers = context.settings.onPush != .nothing
      respond(answers ? .cached : .nothing, cached, now, context, &out)
    case .refreshed(let cached):
      let response = context.settings.refresh?.response
      let work: PushResponse = context.settings.android.period == nil ? .nothing : .cached
      respond(response ?? work, cached, now, context, &out)
    case .processing(let cached):
      respond(context.settings.processing?.response ?? .nothing, cached, now, context, &out)
    case .timer(.stopStandard): stopTimer(now, context, &out)
    case .timer(.restart): restartTimer(now, context, &out)
    case .timer(.send): sendTimer(now, context, &out)
    case .timer(.still): stillTimer(now, context, &out)
    case .backgroundTimeExpiring: expiring(context, &out)
    case .uploadFinished(let result): uploadFinished(result, phone, now, context, &out)
    case .placeEntered(_, let cached): enteredPlace(cached, now, context, &out)
    case .placeExited(_, let cached): leftRegion(cached, now, context, &out)
    case .regionsRefused: break
    }
    if eventCount > 0 { sendEvent(now, context, &out) }
  }
}

// MARK: - Current settings of the policy

extension TrackerStateMachine {
  var standardIsOn: Bool { memory.standard != .off }

  func filter(_ context: borrowing Context) -> FixFilter {
    memory.isForeground ? context.settings.foreground.filter : context.settings.background.filter
  }

  func rest(_ context: borrowing Context) -> RestRule? {
    memory.isForeground ? context.settings.foreground.rest : context.settings.background.rest
  }

  func movingUse(_ context: borrowing Context) -> ServiceUse {
    memory.isForeground ? context.settings.foreground.service : context.settings.background.service
  }

  func use(_ context: borrowing Context) -> ServiceUse {
    guard memory.isResting, let rest = rest(context) else { return movingUse(context) }
    return rest.service
  }
}

extension ServiceUse.Pattern {
  var runsByItself: Bool {
    switch self {
    case .off, .burst: false
    case .continuous, .dutyCycle, .polled: true
    }
  }
}
