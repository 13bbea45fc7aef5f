package import Core
internal import Push
internal import Scenarios

// The interface between the system and its app: callbacks, commands, permission, errors of the app,
// and pushes.

extension Device {
  // MARK: Callbacks

  /// LC1: Delivers an event only to a running app.
  mutating func notify(_ event: OSEvent, _ context: borrowing Context, _ out: inout Effects) {
    if process.mayRunCode { answer(event, context, &out) }
  }

  /// Lets the app handle a callback, performs its commands, and delivers the system's answers.
  mutating func answer(_ event: OSEvent, _ context: borrowing Context, _ out: inout Effects) {
    let kept = outbox.count
    if !context.policy.settings.events.kinds.isEmpty { keepEvent(event, context, &out) }
    out.commands.removeAll()
    if let script = out.script {
      script(event, out.now, &out.commands)
    } else {
      tracker.handle(event, of: id, now: out.now, context.policy, into: &out.commands)
    }
    if out.isTraced { out.trace(event) }
    for k in 0..<out.commands.count {
      let command = out.commands[k]
      perform(command, context, &out)
    }
    follow(context, &out)
    guard outbox.count != kept, delivery.stage != .none, let fix = event.position else { return }
    // A visit answers no push.
    if case .visit = event { return }
    out.emit(.fixTaken(fix))
  }

  /// Counts a fix that is generated for the app, and adds it to the behaviour hash.
  mutating func note(_ located: LocatedFix, _ out: inout Effects) {
    let fix = located.fix
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    behaviour.combine(1, fix.time.instant, place ^ UInt64(fix.accuracyMeters) << 48)
    out.located = located
    out.generated += 1
  }

  mutating func deliver(
    _ located: LocatedFix, _ manager: Manager, _ context: borrowing Context, _ out: inout Effects
  ) {
    note(located, &out)
    notify(.location(located.fix, manager), context, &out)
  }

  // MARK: Commands

  package mutating func perform(
    _ command: OSCommand, _ context: borrowing Context, _ out: inout Effects
  ) {
    switch command {
    case .requestAuthorization(let request): requestAuthorization(request, context, &out)
    case .startStandard(let request):
      process.hasManager = true
      startStandard(request, context, &out)
    case .stopStandard: stopStandard(context, &out)
    case .startSignificantChange:
      if context.isAndroid {
        process.hasManager = true
      } else {
        startSignificantChange(context, &out)
      }
    case .stopSignificantChange: stopSignificantChange()
    case .startVisits: if !context.isAndroid { startVisits(context, &out) }
    case .stopVisits: stopVisits()
    case .startMotionActivity: startMotion(out.now, context)
    case .monitorRegion(let centre, let radius):
      monitorRegion(centre, radius, context, &out)
    case .stopMonitoringRegion: stopMonitoringRegion()
    case .monitorPlaces(let near): monitorPlaces(near: near, context, &out)
    case .stopMonitoringPlaces: stopMonitoringPlaces()
    case .setTimer(let timer, let at):
      // The app may answer a fix that is computed late with an instant that has passed.
      due[DueSlot(timer)] = max(at, out.now, turn.instant)
    case .cancelTimer(let timer):
      due[DueSlot(timer)] = .distantFuture
      overdueTimers &= ~(1 << timer.rawValue)
    case .beginBackgroundTask:
      if process.openBackgroundTasks < .max { process.openBackgroundTasks += 1 }
    case .endBackgroundTask:
      // Ending a task twice, or one of an earlier process, has no effect.
      if process.openBackgroundTasks > 0 { process.openBackgroundTasks -= 1 }
    case .blockMainThread(let time): blockMainThread(time, context, &out)
    case .persist(let fix): keep(fix, context, &out)
    case .evictOldest(let cut):
      out.outboxes.remove(at: Int(cut), from: &outbox)
      out.emit(.evicted)
    case .upload(let sequence, let count):
      let now = out.now
      out.now = max(now, turn.instant)
      startUpload(sequence, count, context, &out)
      out.now = now
    case .forget(let count, let result): forget(count, result, context, &out)
    case .uploadEvent:
      let now = out.now
      out.now = max(now, turn.instant)
      sendEvent(context, &out)
      out.now = now
    case .forgetEvent(let result): forgetEvent(result, &out)
    }
  }

  // MARK: Permission

  /// AU1–AU3, AU6, AU11: Shows the prompt, if the rules allow it, and answers for the owner.
  private mutating func requestAuthorization(
    _ request: AuthorizationRequest, _ context: borrowing Context, _ out: inout Effects
  ) {
    let answer = context.rules.answer(
      to: asked(request, context), current: authorization, app: context.policy.settings.app,
      user: permitted(user, context), consent: consent)
    guard let answer else { return }
    consent.formUnion(answer.consent)
    // An owner who keeps When In Use changes nothing, so there is no callback.
    guard answer.reported != authorization else { return }
    authorize(answer.reported, context, &out)
    turn.answers.insert(.authorization)
  }

  /// Shows the prompt at the first start of any service, on a system that prompts without a
  /// request.
  mutating func authorizeImplicitly(_ context: borrowing Context, _ out: inout Effects) {
    let answer = context.rules.implicitAnswer(current: authorization, user: user)
    guard let answer else { return }
    authorize(answer, context, &out)
    turn.answers.insert(.authorization)
  }

  /// AU12: The permission in the background, where a provisional Always equals When In Use.
  @inline(__always) package var backgroundPermission: Authorization {
    consent.contains(.provisional) ? .whenInUse : authorization
  }

  mutating func changePermission(
    to new: Authorization, _ context: borrowing Context, _ out: inout Effects
  ) {
    guard new != authorization else { return }
    authorize(new, context, &out)
    reportAuthorization(context, &out)
  }

  /// AU16: Reports the permission, at once to a running app, otherwise when the app runs next.
  mutating func reportAuthorization(_ context: borrowing Context, _ out: inout Effects) {
    if process.mayRunCode {
      notify(.authorizationChanged(authorization), context, &out)
    } else {
      pendingNotices.insert(.authorization)
    }
  }

  mutating func authorize(
    _ new: Authorization, _ context: borrowing Context, _ out: inout Effects
  ) {
    account(context, &out)
    authorization = new
    // The next upload reports the new permission to the server.
    upload.isRegistered = false
    out.emit(.permission(new))
    switch new {
    case .notDetermined, .denied:
      holdsSession = false
      haltStandard(context, &out)
    case .whenInUse, .always:
      if process.state == .background, !locatesInBackground(context) {
        haltStandard(context, &out)
      }
    }
    if new == .always, services.significantChangeIsOn {
      // Significant changes that the app started without permission begin now.
      services.startSignificantChange(at: segment.position(at: out.now), now: out.now)
      if process.mayRunCode { turn.answers.insert(.cachedChange) }
    }
    armServices(out.now, context)
  }

  // MARK: Errors of the app

  mutating func crash(_ reason: CrashReason, _ out: inout Effects) {
    out.emit(.crashed(reason))
    turn.answers.insert(.crash)
  }

  /// LC3, LC6: Crashes the app if the system does not tolerate `time` on the main thread.
  private mutating func blockMainThread(
    _ time: SimDuration, _ context: borrowing Context, _ out: inout Effects
  ) {
    let isHeld = serviceHoldsApp(context)
    let isBareWake = process.state == .background && process.openBackgroundTasks == 0 && !isHeld
    let isTooLong = context.rules.endsApp(
      busyFor: time, isChangingState: turn.isChangingState, isBareWake: isBareWake)
    if isTooLong { crash(.watchdog, &out) }
  }

  // MARK: Answers

  package mutating func follow(_ context: borrowing Context, _ out: inout Effects) {
    guard !turn.answers.isEmpty else { return }
    let answers = turn.answers
    turn.answers = []
    if answers.contains(.crash) { return kill(context, &out) }
    if answers.contains(.authorization) {
      notify(.authorizationChanged(authorization), context, &out)
    }
    if answers.contains(.regionError) {
      notify(.regionsRefused(places.refused), context, &out)
    }
    if answers.contains(.belief) { reportBelief(context, &out) }
    if answers.contains(.cachedChange) { deliverCachedChange(context, &out) }
    if answers.contains(.cachedStandard), let old = lastKnown {
      deliver(LocatedFix(fix: old, source: .cached), .standard, context, &out)
    }
  }

  /// SL5: Delivers the cached position, with its original timestamp.
  private mutating func deliverCachedChange(_ context: borrowing Context, _ out: inout Effects) {
    guard authorization == .always, services.significantChangeIsOn else { return }
    let age = services.cachedAge(
      at: out.now, context.significantChange, seed: context.seed, phone: id)
    let then = out.now - age
    if let known = lastKnown, known.time.instant >= then {
      return deliver(LocatedFix(fix: known, source: .cached), .imprecise, context, &out)
    }
    let segment = then >= segment.start ? segment : context.course.segment(of: id, at: then)
    let fix = coarseFix(at: then, segment, context).fix
    deliver(LocatedFix(fix: fix, source: .cached), .imprecise, context, &out)
  }
}

// MARK: - Pushes

extension Device {
  package mutating func expectPush(_ manner: PushManner) { pushes.manner = manner }

  private mutating func note(
    push step: PushStep, _ context: borrowing Context, _ out: inout Effects
  ) {
    switch step {
    case .passed: pushWasGated = false
    case .released:
      account(context, &out)
      pushWasGated = false
    case .stopped, .stored: pushWasGated = true
    case .discarded, .withoutPermission, .wakesNobody, .woke, .failed, .shown: break
    }
    out.emit(.push(step, lastReport: stored.time))
  }

  /// Stops or holds the push at the first closed gate, or runs the app if all gates are open. AL1:
  /// An alert is shown before the gates, unless the app is in the foreground.
  mutating func receivePush(_ context: borrowing Context, _ out: inout Effects) {
    // AFC11: On Android the app itself shows alerts, and a stopped app does not run.
    if process.state != .foreground, !isOff(at: out.now), !isStopped(at: out.now, context),
      context.push.isShown(on: id, pushes.manner)
    {
      note(push: .shown, context, &out)
    }
    defer { countPush(out.now, context) }
    let gate = pushGate(out.now, context)
    guard gate != .open else {
      note(push: .passed, context, &out)
      return runForPush(context, &out)
    }
    guard context.push.holds(at: gate, pushes.manner) else {
      return note(push: .stopped(gate), context, &out)
    }
    // SP5: Only one push is held, and a newer push replaces it.
    pushes.deferredBy = gate
    note(push: .stored(gate), context, &out)
    watchPushGate(out.now, context)
  }

  private mutating func pushGate(_ now: SimInstant, _ context: borrowing Context) -> PushGate {
    guard context.isAndroid else { return context.rules.gate(of: &self, at: now, context.push) }
    // AFC2, AFC11, AFC14, ABO1: There is no budget, and Doze holds pushes back at the provider.
    if isStopped(at: now, context) { return .stopped }
    if !context.push.request(pushes.manner).asksToRun { return .alertOnly }
    if battery.isLocked { return .beforeFirstUnlock }
    return jobsWait(at: now, context) == nil ? .open : .doze
  }

  var pushSituation: PushSituation {
    var situation = PushSituation()
    situation.isLocked = battery.isLocked
    situation.isForceQuit = process.isForceQuit
    situation.isForeground = process.state == .foreground
    situation.lowPower = battery.isInLowPowerMode
    situation.refreshOff = traits.contains(.refreshOff)
    situation.needsOpening = process.needsOpening
    situation.openedAt = pushes.openedAt
    situation.closedUntil = pushes.closedUntil
    situation.isMoving = segment.isMoving
    situation.isCharging = battery.isPlugged
    situation.isLow = battery.isLow
    return situation
  }

  private mutating func runForPush(_ context: borrowing Context, _ out: inout Effects) {
    if backgroundPermission != .always { note(push: .withoutPermission, context, &out) }
    if !context.push.mayWake(pushes.manner) { note(push: .wakesNobody, context, &out) }
    let isExtension = context.push.isForExtension(pushes.manner)
    if isExtension, backgroundPermission != .always { return }
    // If the app was already running, its run time is not charged to the push.
    if !process.mayRunCode { pushes.beginRun(now: out.now) }
    guard wake(.push, asExtension: isExtension, context, &out) else {
      pushes.runsSince = .distantFuture
      let isOff = switchedOff.contains(out.now) || !battery.letsAppsRun
      return note(push: .failed(isSwitchedOff: isOff), context, &out)
    }
    note(push: .woke, context, &out)
    notify(.silentPush(cached: lastKnown), context, &out)
    // If the service is already on, its next fix answers the push, so the fix is evaluated without
    // delay.
    if standard.isOn, !standard.isHeld {
      due[.standard] = max(standard.firstFixAt, out.now + StandardService.interval)
    }
  }

  @inline(__always) func pushRunLimit(_ context: borrowing Context) -> SimInstant {
    guard pushes.runsForPush, process.state == .background else { return .distantFuture }
    return pushes.runsSince
      + (context.profile.system.android?.handlerTime ?? context.push.limits.runTime)
  }

  mutating func releaseHeldPush(_ context: borrowing Context, _ out: inout Effects) {
    if pushes.deferredBy != .open, !switchedOff.contains(out.now), battery.letsAppsRun {
      pushes.deferredBy = pushGate(out.now, context)
      if pushes.deferredBy == .open {
        note(push: .released, context, &out)
        runForPush(context, &out)
      }
    }
    watchPushGate(out.now, context)
  }

  /// Discards the held push. Returns whether a push was held.
  @discardableResult
  mutating func discardHeldPush(_ context: borrowing Context, _ out: inout Effects) -> Bool {
    guard pushes.deferredBy != .open else { return false }
    pushes.deferredBy = .open
    note(push: .discarded, context, &out)
    watchPushGate(out.now, context)
    return true
  }

  mutating func watchPushGate(_ now: SimInstant, _ context: borrowing Context) {
    var opens = context.rules.opening(on: self, at: now, context.push)
    if pushes.deferredBy == .doze { opens = jobsWait(at: now, context) ?? now }
    // The first unlock checks the gate again (BT5).
    if !battery.letsAppsRun { opens = .distantFuture }
    if opens < .distantFuture {
      if switchedOff.contains(now) { opens = max(opens, switchedOff.end) }
      opens = max(opens, now + .milliseconds(1))
    }
    if provider.hasNews {
      var end = restriction(now, delivery.manner, context)?.until
      // AFC1: Use, motion or a charger may end Doze before the window that the push waited for.
      if end == nil, context.isAndroid, !isOff(at: now), !isCutOff(at: now) { end = now }
      if let end { opens = min(opens, max(end, now + .milliseconds(1))) }
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
