package import Phone
package import Scenarios
package import SimulationCore
package import Telemetry

extension Purpose {
  static let backoff = Purpose(rawValue: 350)
}

/// The app: what it does with each event of the operating system, driven by a policy.
///
///     imprecise ──wake, burst allowed──▶ standard on ──stop timer──▶ imprecise
///        │  ▲                                                          │
///        └──┴── region at the last fix · significant changes · visits ◀┘   (HY1)
///
/// One machine for all policies: a policy switches parts of it on (HY2). Pure: an event and a
/// time go in, commands come out. The fields marked *disk* survive the death of the process
/// (HY4), the others begin anew at launch.
package struct TrackerStateMachine: Equatable, Sendable, BitwiseCopyable {
  // disk
  package private(set) var lastSequence: UInt32 = 0
  package private(set) var outboxCount: UInt16 = 0
  /// Fixes at the head of the outbox that are cut as batch `lastSequence` and not yet answered. A
  /// retry sends the same fixes under the same number, so that the server can tell.
  package private(set) var cutCount: UInt16 = 0
  package private(set) var lastAccepted: Fix?
  private var lastSend = SimInstant.distantPast
  private var notBefore = SimInstant.distantPast
  private var failures: UInt8 = 0
  // memory
  private var isForeground = false
  package private(set) var isSending = false
  private var standardIsOn = false
  private var burstIsTimed = false
  private var lastBurst = SimInstant.distantPast
  private var holdsBackgroundTask = false
  private var pushIsPending = false

  package init() {}

  /// What the machine needs to know beside its own state.
  ///
  /// Shared by all phones of a policy: some hundred bytes that are borrowed an event, not copied.
  package struct Context: Sendable, BitwiseCopyable {
    package let settings: PolicySettings
    package let seed: UInt64

    package init(settings: PolicySettings, seed: UInt64) {
      self.settings = settings
      self.seed = seed
    }

    func mode(foreground: Bool) -> TrackerMode {
      foreground ? settings.foreground : settings.background
    }
  }

  package mutating func handle(
    _ event: OSEvent, of phone: PhoneID, now: SimInstant, _ context: borrowing Context,
    into out: inout CommandList
  ) {
    switch event {
    case .launched: launched(context, &out)
    case .becameActive: becameActive(now, context, &out)
    case .enteredBackground: enteredBackground(now, context, &out)
    case .location(let fix, .standard): standardFix(fix, now, context, &out)
    case .location(let fix, .imprecise): impreciseFix(fix, now, context, &out)
    case .regionExited(.imprecise, let cached): woken(at: cached?.coordinate, now, context, &out)
    // RG2: the other manager's copy.
    case .regionExited(.standard, _): break
    case .visit(let visit): impreciseFix(visit.fix, now, context, &out)
    case .authorizationChanged, .motionActivity, .standardPaused, .settingsChanged: break
    case .silentPush(let cached): pushed(cached, now, context, &out)
    case .timer(.stopStandard): endBurst(now, context, &out)
    case .timer(.send): sendTimer(now, context, &out)
    case .timer(.restart), .timer(.still): break
    case .backgroundTimeExpiring: expiring(context, &out)
    case .uploadFinished(let result): uploadFinished(result, phone, now, context, &out)
    }
  }
}

// MARK: - Lifecycle

extension TrackerStateMachine {
  /// LC8: after a relaunch the services must be started again.
  private mutating func launched(_ context: borrowing Context, _ out: inout CommandList) {
    isForeground = false
    isSending = false
    standardIsOn = false
    burstIsTimed = false
    holdsBackgroundTask = false
    pushIsPending = false
    out.append(
      context.settings.significantChange ? .startSignificantChange : .stopSignificantChange)
    if context.settings.visits { out.append(.startVisits) }
  }

  private mutating func becameActive(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    isForeground = true
    // A standard service that a background wake started is restarted with the foreground's
    // settings (EF2: stop first).
    // A push that waits for its fix goes on waiting.
    stopStandard(&out)
    startStandard(now, context, force: pushIsPending, &out)
    armSendTimer(now, context, &out)
  }

  private mutating func enteredBackground(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    isForeground = false
    out.append(.cancelTimer(.send))
    stopStandard(&out)
    holdBackgroundTask(context, &out)
    if case .continuous = context.settings.background.service.pattern {
      startStandard(now, context, force: false, &out)
    } else {
      pushIsPending = false
      keepRegion(lastAccepted?.coordinate, context, &out)
    }
    trySend(now, context, force: true, &out)
    release(&out)
  }

  private mutating func expiring(_ context: borrowing Context, _ out: inout CommandList) {
    stopStandard(&out)
    keepRegion(lastAccepted?.coordinate, context, &out)
    pushIsPending = false
    if holdsBackgroundTask {
      holdsBackgroundTask = false
      out.append(.endBackgroundTask)
    }
  }
}

// MARK: - Locations

extension TrackerStateMachine {
  private mutating func standardFix(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    let isKept = keep(fix, now, context, &out)
    switch context.mode(foreground: isForeground).service.pattern {
    case .burst(let duration, _):
      timeBurst(now + duration, context, &out)
    case .off:
      if pushIsPending { timeBurst(now, context, &out) }
    case .continuous, .dutyCycle, .polled:
      // The service stays on: the push's answer goes out by itself.
      if pushIsPending && isKept {
        pushIsPending = false
        trySend(now, context, force: true, &out)
      }
    }
  }

  private mutating func timeBurst(
    _ stop: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard standardIsOn, !burstIsTimed else { return }
    burstIsTimed = true
    guard !isForeground, case .burst(let duration, _) = context.settings.background.service.pattern
    else {
      out.append(.setTimer(.stopStandard, at: stop))
      return
    }
    // A late first fix shortens the burst: the send must fit into the background time too.
    let latest = lastBurst + duration + Self.firstFixTimeout
    out.append(.setTimer(.stopStandard, at: min(stop, latest)))
  }

  /// HY3: while the standard service runs, what the imprecise manager brings is ignored; else it
  /// first changes the tracking, then passes the filter.
  private mutating func impreciseFix(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    if standardIsOn { return }
    keep(fix, now, context, &out)
    woken(at: fix.coordinate, now, context, &out)
  }

  /// RG4: a wake re-enables the standard service if it may run again, else renews the region.
  private mutating func woken(
    at coordinate: Coordinate?, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    holdBackgroundTask(context, &out)
    if !standardIsOn {
      startStandard(now, context, force: false, &out)
      if !standardIsOn {
        keepRegion(coordinate ?? lastAccepted?.coordinate, context, &out)
        trySend(now, context, force: false, &out)
      }
    }
    release(&out)
  }

  /// SP2: a push gives time for a position and a send.
  private mutating func pushed(
    _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    holdBackgroundTask(context, &out)
    switch context.settings.onPush {
    case .nothing: break
    case .cached:
      if let cached { keep(cached, now, context, &out) }
      trySend(now, context, force: true, &out)
    case .burst:
      pushIsPending = true
      if !standardIsOn { startStandard(now, context, force: true, &out) }
    }
    release(&out)
  }

  /// HY1: the stop timer ends the burst: satellites off, send, imprecise tracking round the last
  /// fix.
  private mutating func endBurst(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    stopStandard(&out)
    keepRegion(lastAccepted?.coordinate, context, &out)
    let force = pushIsPending
    pushIsPending = false
    trySend(now, context, force: force, &out)
    release(&out)
  }

  /// - Returns: whether the fix is in the outbox now.
  @discardableResult
  private mutating func keep(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) -> Bool {
    let filter = context.mode(foreground: isForeground).filter
    // A push asks "where are you now?": what answers it is kept, moved or not.
    let answersPush = pushIsPending && !burstIsTimed
    guard filter.accepts(fix, after: lastAccepted, now: now, always: answersPush) else {
      return false
    }
    lastAccepted = fix
    if outboxCount >= UInt16(clamping: context.settings.outbox.capacity) {
      guard outboxCount > cutCount else { return false }
      out.append(.evictOldest(after: cutCount))
      outboxCount -= 1
    }
    out.append(.persist(fix))
    outboxCount += 1
    return true
  }

  private mutating func startStandard(
    _ now: SimInstant, _ context: borrowing Context, force: Bool, _ out: inout CommandList
  ) {
    let mode = context.mode(foreground: isForeground)
    switch mode.service.pattern {
    case .off where !force: return
    case .off, .continuous, .dutyCycle, .polled: break
    case .burst(_, let minInterval):
      if !force && now - lastBurst < minInterval { return }
    }
    lastBurst = now
    standardIsOn = true
    burstIsTimed = false
    out.append(.startStandard(ServiceRequest(mode.service, context.settings.app)))
    // Without a first fix the burst ends all the same, in time to send within the budget.
    if case .burst(let duration, _) = mode.service.pattern {
      out.append(.setTimer(.stopStandard, at: now + duration + Self.firstFixTimeout))
    } else if case .off = mode.service.pattern {
      out.append(.setTimer(.stopStandard, at: now + Self.firstFixTimeout))
    }
  }

  /// How long a burst waits for its first fix.
  private static let firstFixTimeout = SimDuration.seconds(7)

  private mutating func stopStandard(_ out: inout CommandList) {
    guard standardIsOn else { return }
    standardIsOn = false
    burstIsTimed = false
    out.append(.stopStandard)
    out.append(.cancelTimer(.stopStandard))
  }

  private func keepRegion(
    _ centre: Coordinate?, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let radius = context.settings.regionRadius, let centre else { return }
    out.append(.monitorRegion(centre: centre, radius: radius))
  }
}

// MARK: - Sending

extension TrackerStateMachine {
  private mutating func trySend(
    _ now: SimInstant, _ context: borrowing Context, force: Bool, _ out: inout CommandList
  ) {
    guard !isSending, outboxCount > 0, now >= notBefore else { return }
    let send = context.settings.send
    let isFull = Int(outboxCount) >= send.maxFixes
    guard force || isFull || now - lastSend >= send.interval else { return }
    if cutCount == 0 {
      cutCount = UInt16(min(Int(outboxCount), send.maxFixes))
      lastSequence += 1
    }
    isSending = true
    lastSend = now
    out.append(.upload(sequence: lastSequence, count: cutCount))
  }

  private mutating func uploadFinished(
    _ result: UploadResult, _ phone: PhoneID, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    isSending = false
    switch result {
    case .acknowledged, .refused:
      out.append(.forget(count: cutCount, result))
      outboxCount -= cutCount
      cutCount = 0
      failures = 0
      notBefore = .distantPast
      if Int(outboxCount) >= context.settings.send.maxFixes {
        trySend(now, context, force: true, &out)
      }
    case .failed, .offline, .connectionLost:
      backOff(phone, now, context)
    }
    if isForeground { armSendTimer(now, context, &out) }
    release(&out)
  }

  /// Full jitter: uniform up to base · 2^failures, capped. Keyed by batch and failure.
  private mutating func backOff(
    _ phone: PhoneID, _ now: SimInstant, _ context: borrowing Context
  ) {
    let send = context.settings.send
    let exponential = send.backoffBase.seconds * Double(1 << min(failures, 20))
    var draw = Draw(
      seed: context.seed, phone: phone.rawValue, .backoff, Int64(lastSequence),
      Int64(failures))
    notBefore =
      now + SimDuration(seconds: draw.uniform() * min(send.backoffCap.seconds, exponential))
    failures = min(failures + 1, 30)
  }

  private mutating func sendTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    trySend(now, context, force: false, &out)
    if isForeground { armSendTimer(now, context, &out) }
    release(&out)
  }

  private func armSendTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard isForeground else { return }
    let wait = max(context.settings.send.interval, .seconds(1))
    out.append(.setTimer(.send, at: max(now + wait, notBefore)))
  }

  /// HY6: a background task round every wake and send.
  private mutating func holdBackgroundTask(
    _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard context.settings.send.backgroundTask, !holdsBackgroundTask, !isForeground else { return }
    holdsBackgroundTask = true
    out.append(.beginBackgroundTask)
  }

  private mutating func release(_ out: inout CommandList) {
    guard holdsBackgroundTask, !standardIsOn, !isSending else { return }
    holdsBackgroundTask = false
    out.append(.endBackgroundTask)
  }
}
