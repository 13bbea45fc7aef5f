package import Core
internal import Push
internal import Scenarios

// This file holds what passes between the system and its app: callbacks, commands, permission,
// errors of the app, and pushes.

extension Device {
  // MARK: Callbacks

  /// LC1: Delivers an event only to an app that runs.
  mutating func notify(_ event: OSEvent, _ now: SimInstant, _ owner: Owner) {
    guard process.mayRunCode else { return }
    owner(&self, .notify(event), now)
  }

  mutating func deliver(
    _ located: LocatedFix, _ manager: Manager, _ now: SimInstant, _ owner: Owner
  ) {
    owner(&self, .located(located), now)
    notify(.location(located.fix, manager), now, owner)
  }

  // MARK: Commands

  mutating func perform(
    _ command: OSCommand, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    switch command {
    case .requestAuthorization(let request): requestAuthorization(request, now, context, owner)
    case .startStandard(let request):
      process.hasManager = true
      startStandard(request, now, context, owner)
    case .stopStandard: stopStandard(now, context, owner)
    case .startSignificantChange: startSignificantChange(now, context, owner)
    case .stopSignificantChange: stopSignificantChange()
    case .startVisits: startVisits(now, context, owner)
    case .stopVisits: stopVisits()
    case .startMotionActivity: startMotion(now, context)
    case .monitorRegion(let centre, let radius):
      monitorRegion(centre, radius, now, context, owner)
    case .stopMonitoringRegion: stopMonitoringRegion()
    case .monitorPlaces(let near): monitorPlaces(near: near, now, context, owner)
    case .stopMonitoringPlaces: stopMonitoringPlaces()
    case .setTimer(let timer, let at):
      // A fix that is evaluated late may request an instant that has passed.
      due[DueSlot(timer)] = max(at, now, turn.instant)
    case .cancelTimer(let timer):
      due[DueSlot(timer)] = .distantFuture
      overdueTimers &= ~(1 << timer.rawValue)
    case .beginBackgroundTask:
      if process.openBackgroundTasks < .max { process.openBackgroundTasks += 1 }
    case .endBackgroundTask:
      // Ending a task twice, or one that the process before began, does nothing.
      if process.openBackgroundTasks > 0 { process.openBackgroundTasks -= 1 }
    case .blockMainThread(let time): blockMainThread(time, now, context, owner)
    case .persist, .evictOldest, .upload, .forget:
      preconditionFailure("\(command) is not for the system")
    }
  }

  // MARK: Permission

  /// AU1–AU3, AU6, AU11: The prompt, if one is shown, is answered at once.
  private mutating func requestAuthorization(
    _ request: AuthorizationRequest, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let answer = context.rules.answer(
      to: request, current: authorization, app: context.app, user: user,
      consent: consent)
    guard let answer else { return }
    consent.formUnion(answer.consent)
    // An owner who keeps to When In Use changes nothing, so there is no callback.
    guard answer.reported != authorization else { return }
    authorize(answer.reported, now, context, owner)
    turn.answers.insert(.authorization)
  }

  /// Shows the prompt at the first start of any service without a request, on a system that does
  /// so.
  mutating func authorizeImplicitly(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let answer = context.rules.implicitAnswer(current: authorization, user: user)
    guard let answer else { return }
    authorize(answer, now, context, owner)
    turn.answers.insert(.authorization)
  }

  /// AU12: The permission in the background, where a provisional Always is worth no more than When
  /// In Use.
  @inline(__always) package var backgroundPermission: Authorization {
    consent.contains(.provisional) ? .whenInUse : authorization
  }

  mutating func changePermission(
    to new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard new != authorization else { return }
    authorize(new, now, context, owner)
    reportAuthorization(now, owner)
  }

  /// AU16: At once to a running app, else when it runs next.
  mutating func reportAuthorization(_ now: SimInstant, _ owner: Owner) {
    if process.mayRunCode {
      notify(.authorizationChanged(authorization), now, owner)
    } else {
      pendingNotices.insert(.authorization)
    }
  }

  mutating func authorize(
    _ new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    owner(&self, .silenceChanges, now)
    authorization = new
    // The next upload reports it to the server.
    upload.isRegistered = false
    owner(&self, .permission(new), now)
    switch new {
    case .notDetermined, .denied:
      holdsSession = false
      haltStandard(now, context, owner)
    case .whenInUse, .always:
      if process.state == .background, !locatesInBackground(context) {
        haltStandard(now, context, owner)
      }
    }
    if new == .always, services.significantChangeIsOn {
      // Significant changes that the app started without permission begin now.
      services.startSignificantChange(at: segment.position(at: now), now: now)
      if process.mayRunCode { turn.answers.insert(.cachedChange) }
    }
    armServices(now, context)
  }

  // MARK: Errors of the app

  mutating func crash(_ reason: CrashReason, _ now: SimInstant, _ owner: Owner) {
    owner(&self, .crashed(reason), now)
    turn.answers.insert(.crash)
  }

  /// LC3, LC6.
  private mutating func blockMainThread(
    _ time: SimDuration, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isHeld = serviceHoldsApp(context)
    let isBareWake = process.state == .background && process.openBackgroundTasks == 0 && !isHeld
    let isTooLong = context.rules.endsApp(
      busyFor: time, isChangingState: turn.isChangingState, isBareWake: isBareWake)
    if isTooLong { crash(.watchdog, now, owner) }
  }

  // MARK: Answers

  mutating func follow(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard !turn.answers.isEmpty else { return }
    let answers = turn.answers
    turn.answers = []
    if answers.contains(.crash) { return kill(now, context, owner) }
    if answers.contains(.authorization) {
      notify(.authorizationChanged(authorization), now, owner)
    }
    if answers.contains(.regionError) {
      notify(.regionsRefused(places.refused), now, owner)
    }
    if answers.contains(.cachedChange) { deliverCachedChange(now, context, owner) }
    if answers.contains(.cachedStandard), let old = lastKnown {
      deliver(LocatedFix(fix: old, source: .cached), .standard, now, owner)
    }
  }

  /// SL5: With its original timestamp.
  private mutating func deliverCachedChange(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard authorization == .always, services.significantChangeIsOn else { return }
    let age = services.cachedAge(at: now, context.significantChange, seed: context.seed, phone: id)
    let then = now - age
    if let known = lastKnown, known.time.instant >= then {
      return deliver(LocatedFix(fix: known, source: .cached), .imprecise, now, owner)
    }
    guard then >= segment.start else { return owner(&self, .recallsSegment(at: then), now) }
    recall(segment, then, now, context, owner)
  }

  mutating func recall(
    _ segment: Segment, _ then: SimInstant, _ now: SimInstant, _ context: borrowing Context,
    _ owner: Owner
  ) {
    let fix = coarseFix(at: then, segment, context).fix
    deliver(LocatedFix(fix: fix, source: .cached), .imprecise, now, owner)
  }
}

// MARK: - Pushes (rule book 2.2 and section 5)

extension Device {
  package mutating func expectPush(_ manner: PushManner) { pushes.manner = manner }

  /// Stops or holds the push at the first closed gate; if all are open, the app runs for it. AL1:
  /// An alert is shown first; an app in the foreground receives it instead.
  mutating func receivePush(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    if process.state != .foreground, !isOff(at: now), context.push.isShown(on: id, pushes.manner) {
      owner(&self, .push(.shown), now)
    }
    let gate = pushGate(now, context)
    guard gate != .open else {
      owner(&self, .push(.passed), now)
      return runForPush(now, context, owner)
    }
    guard context.push.holds(at: gate, pushes.manner) else {
      return owner(&self, .push(.stopped(gate)), now)
    }
    // SP5: One push is held, and the newest replaces the older one, which has ended already.
    pushes.deferredBy = gate
    owner(&self, .push(.stored(gate)), now)
    watchPushGate(now, context)
  }

  private mutating func pushGate(_ now: SimInstant, _ context: borrowing Context) -> PushGate {
    context.rules.gate(of: &self, at: now, context.push)
  }

  var pushSituation: PushSituation {
    var situation = PushSituation()
    situation.isLocked = battery.isLocked
    situation.isForceQuit = process.isForceQuit
    situation.isForeground = process.state == .foreground
    situation.lowPower = battery.isInLowPowerMode
    situation.refreshOff = traits.contains(.refreshOff)
    situation.needsOpening = process.needsOpening
    situation.isUnopened = traits.contains(.unopened)
    situation.isCharging = battery.isPlugged
    situation.isLow = battery.isLow
    return situation
  }

  private mutating func runForPush(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    if backgroundPermission != .always { owner(&self, .push(.withoutPermission), now) }
    if !context.push.mayWake(pushes.manner) { owner(&self, .push(.wakesNobody), now) }
    let isExtension = context.push.isForExtension(pushes.manner)
    if isExtension, backgroundPermission != .always { return }
    // An app that was running already does not run because of the push.
    if !process.mayRunCode { pushes.beginRun(now: now) }
    guard wake(.push, asExtension: isExtension, now, context, owner) else {
      pushes.runsSince = .distantFuture
      let isOff = switchedOff.contains(now) || !battery.letsAppsRun
      return owner(&self, .push(.failed(isSwitchedOff: isOff)), now)
    }
    owner(&self, .push(.woke), now)
    notify(.silentPush(cached: lastKnown), now, owner)
    // If the service is on already, its next fix answers the push, so it is evaluated when it
    // comes.
    if standard.isOn {
      due[.standard] = max(standard.firstFixAt, now + StandardService.interval)
    }
  }

  @inline(__always) func pushRunLimit(_ context: borrowing Context) -> SimInstant {
    guard pushes.runsForPush, process.state == .background else { return .distantFuture }
    return pushes.runsSince + context.push.limits.runTime
  }

  mutating func releaseHeldPush(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    if pushes.deferredBy != .open, !switchedOff.contains(now), battery.letsAppsRun {
      pushes.deferredBy = pushGate(now, context)
      if pushes.deferredBy == .open {
        owner(&self, .push(.released), now)
        runForPush(now, context, owner)
      }
    }
    watchPushGate(now, context)
  }

  /// Discards the held push; returns false if none is held.
  @discardableResult
  mutating func discardHeldPush(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) -> Bool {
    guard pushes.deferredBy != .open else { return false }
    pushes.deferredBy = .open
    owner(&self, .push(.discarded), now)
    watchPushGate(now, context)
    return true
  }

  mutating func watchPushGate(_ now: SimInstant, _ context: borrowing Context) {
    var opens = context.rules.opening(on: self, at: now, context.push)
    // The first unlock looks at the gate again (BT5).
    if !battery.letsAppsRun { opens = .distantFuture }
    if opens < .distantFuture {
      if switchedOff.contains(now) { opens = max(opens, switchedOff.end) }
      opens = max(opens, now + .milliseconds(1))
    }
    if provider.stored != nil,
      let end = context.push.restrictedUntil(now, phone: id, delivery.manner)
    {
      opens = min(opens, max(end, now + .milliseconds(1)))
    }
    due[.pushGate] = opens
  }
}

extension DueSlot {
  fileprivate init(_ timer: AppTimer) {
    switch timer {
    case .stopStandard: self = .stopTimer
    case .send: self = .sendTimer
    case .restart: self = .restartTimer
    case .still: self = .stillTimer
    }
  }
}
