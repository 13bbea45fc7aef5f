package import Core
internal import Scenarios

// Determines when the app may run: launch, wake, foreground, background time, suspension, death.

extension Device {
  /// Begins an event, before the fixes up to `now` are evaluated.
  package mutating func begin(at now: SimInstant, _ out: inout Effects) {
    out.located = nil
    turn.instant = now
    turn.given = []
  }

  // MARK: Launch and foreground

  private mutating func launch(
    _ reason: LaunchReason, asExtension: Bool = false, _ context: borrowing Context,
    _ out: inout Effects
  ) {
    if asExtension {
      process.launchExtension(now: out.now)
    } else {
      process.launch(intoForeground: false, now: out.now)
      turn.sessionIsOpen = holdsSession
    }
    due[.process] = .distantFuture
    startService(for: reason, out.now, context)
    setAlarm(out.now, context)
    noteLaunch(&out)
    notifyChange(.launched(reason), context, &out)
    notifyAuthorization(context, &out)
    if !asExtension { collectTransfer(context, &out) }
  }

  /// LC6: Notifies the app of its change of state, in which the system watches the main thread.
  private mutating func notifyChange(
    _ event: OSEvent, _ context: borrowing Context, _ out: inout Effects
  ) {
    turn.isChangingState = true
    notify(event, context, &out)
    turn.isChangingState = false
  }

  mutating func open(_ context: borrowing Context, _ out: inout Effects) {
    process.isForceQuit = false
    if let rules = context.profile.system.android { missParts(rules, context) }
    learnPlace(out.now)
    if battery.isLocked { unlock(context, &out) }
    // AU12: An owner who opens an app has unlocked the phone. AU14: Allow Once does not lapse while
    // the app is open.
    if consent.contains(.promptWaits) {
      answerSecondPrompt(context, &out)
    } else if consent.contains(.once) {
      due[.consent] = .distantFuture
    }
    if process.state == .notRunning {
      launch(.user, context, &out)
    } else {
      resume(context, &out)
    }
    // The app may have died before it reached the foreground.
    guard process.mayRunCode else { return }
    process.becomeActive()
    transfer.forgetDelay(at: out.now, keepsDiscretion: context.policy.settings.send.isDiscretionary)
    armTransfer(out.now, context)
    // PT2: Opening the app ends a pause.
    standard.isAtRest = false
    standard.isPaused = false
    due[.pause] = .distantFuture
    runStandard(context, &out)
    pushes.endRun(of: id, at: out.now, context.push)
    // SP12: An `unopened` app was opened only once, when it was installed.
    if !traits.contains(.unopened) {
      pushes.settle(pushSituation, at: out.now, context.push)
      pushes.openedAt = out.now
      if context.push.limits.window.opensOnUse {
        pushes.openWindow(pushSituation, at: out.now, context.push)
      }
    }
    notifyChange(.becameActive, context, &out)
    if discardHeldPush(context, &out) {
      notify(.silentPush(cached: lastKnown), context, &out)
    } else if context.isAndroid {
      watchPushGate(out.now, context)
    }
  }

  mutating func leave(_ context: borrowing Context, _ out: inout Effects) {
    guard process.state == .foreground else { return }
    startService(for: .user, out.now, context)
    android.screenOffSecond = AndroidState.second(out.now)
    process.enterBackground(now: out.now)
    notifyChange(.enteredBackground, context, &out)
    if context.isAndroid {
      setAlarm(out.now, context)
      armWork(out.now, context)
      armBackground(out.now, context)
    } else {
      requestRefresh(context, out)
    }
    if consent.contains(.once) { outlast(out.now, context) }
    guard standard.isOn else { return }
    // AU4, AU7: A service from the foreground ends now, or keeps the app running in the background.
    if locatesInBackground(context) {
      standard.keepsAppAlive = true
      armPause(out.now, context)
    } else {
      haltStandard(context, &out)
    }
  }

  // MARK: Wakes

  /// Gives the app background time, with a relaunch if necessary. Returns whether the app runs.
  /// - Parameter kept: the event to keep if it must wait for the second prompt (AU12).
  /// - Parameter continues: whether a standard service that the app starts now may continue in the
  ///   background (AU7); has no effect on an extension.
  /// - Parameter bySession: whether an activity session makes the app count as in use (LU3).
  mutating func wake(
    _ reason: LaunchReason, for kept: Consent = [], continues: Bool = false,
    asExtension: Bool = false, byMonitor: Bool = false, bySession: Bool = false,
    _ context: borrowing Context, _ out: inout Effects
  ) -> Bool {
    if switchedOff.contains(out.now) || !battery.letsAppsRun || process.needsOpening
      || isStopped(at: out.now, context)
    {
      return false
    }
    if reason == .location, process.state != .foreground, !bySession {
      // AU5, BR1: A location wakes the app only if the owner's settings allow it.
      guard context.rules.wakesForLocations(authorization, traits) else { return false }
      guard mayUseAlways(context, &out) else {
        keep(kept, context, &out)
        return false
      }
    }
    turn.isWokenForLocation = reason == .location
    defer { turn.isWokenForLocation = false }
    switch process.state {
    case .foreground: break
    case .background:
      let isMore = !process.isExtension
      if continues && isMore { process.wokenBySignificantChange() }
      // A force-quit app that the system does not relaunch receives nothing while its extension
      // runs.
      if reason == .location, !isMore, process.isForceQuit {
        return context.rules.relaunchesAfterForceQuit(byMonitor: byMonitor)
      }
    case .suspended:
      gainTime(context, &out)
      due[.process] = .distantFuture
      process.wake(now: out.now)
      startService(for: reason, out.now, context)
      if continues { process.wokenBySignificantChange() }
      resume(context, &out)
    case .notRunning:
      // LC10: A location relaunches a force-quit app only if the system allows it. The end of an
      // upload never relaunches the app (Apple, background(withIdentifier:)).
      let comesBack =
        asExtension
        || reason != .upload
          && context.rules.relaunchesAfterForceQuit(byMonitor: byMonitor)
      if process.isForceQuit, !comesBack { return false }
      gainTime(context, &out)
      launch(reason, asExtension: asExtension, context, &out)
      if continues { process.wokenBySignificantChange() }
    }
    return process.mayRunCode
  }

  /// BU1: Launches the app for a significant change before the first unlock. The app cannot read
  /// its stored data yet, so it does nothing and ends with this event.
  mutating func launchWithoutData(_ context: borrowing Context, _ out: inout Effects) {
    guard context.rules.wakesForLocations(authorization, traits) else { return }
    let comesBack = context.rules.relaunchesAfterForceQuit(byMonitor: false)
    if process.isForceQuit && !comesBack { return }
    gainTime(context, &out)
    process.launch(intoForeground: false, now: out.now)
    noteLaunch(&out)
  }

  private mutating func gainTime(_ context: borrowing Context, _ out: inout Effects) {
    out.emit(.woken)
    battery.charge -= bill(.wake, context, &out)
  }

  private mutating func noteLaunch(_ out: inout Effects) {
    out.emit(.launched)
    upload.answerIsLost = false
    upload.isRegistered = false
  }

  /// Restarts the service after a suspension, and delivers a lost answer, pending notices and
  /// overdue timers (LC2, ALC3).
  private mutating func resume(_ context: borrowing Context, _ out: inout Effects) {
    process.wake(now: out.now)
    runStandard(context, &out)
    if upload.answerIsLost {
      upload.answerIsLost = false
      notify(.uploadFinished(.connectionLost), context, &out)
    }
    notifyAuthorization(context, &out)
    collectTransfer(context, &out)
    if pendingNotices.contains(.motion) {
      pendingNotices.remove(.motion)
      recogniseMotion(context, &out)
    }
    for timer in AppTimer.allCases where overdueTimers & (1 << timer.rawValue) != 0 {
      overdueTimers &= ~(1 << timer.rawValue)
      notify(.timer(timer), context, &out)
    }
  }

  private mutating func notifyAuthorization(_ context: borrowing Context, _ out: inout Effects) {
    guard pendingNotices.contains(.authorization) else { return }
    pendingNotices.remove(.authorization)
    notify(.authorizationChanged(authorization), context, &out)
  }

  mutating func timerDue(_ timer: AppTimer, _ context: borrowing Context, _ out: inout Effects) {
    if process.mayRunCode {
      notify(.timer(timer), context, &out)
    } else {
      overdueTimers |= 1 << timer.rawValue
    }
  }

  // MARK: Background time

  /// LC3, LC5: Suspends the app if nothing keeps it running. Schedules the end of background time.
  mutating func suspendIfIdle(_ context: borrowing Context, _ out: inout Effects) {
    settleSession(context, &out)
    let isHeld = serviceHoldsApp(context)
    if process.mustSuspend(isHeldByService: isHeld) {
      if process.isExtension || battery.isLocked {
        die(context, &out)
      } else {
        suspend(context, &out)
      }
    }
    // From here on a location session keeps the app running instead of the push.
    if isHeld { pushes.endRun(of: id, at: out.now, context.push) }
    let expiry = backgroundExpiry(isHeldByService: isHeld, context)
    due[.backgroundExpiry] = max(min(expiry, pushRunLimit(context)), out.now)
    armProcess(out.now, context)
    noteDraw(context, &out)
    turn = Turn()
  }

  private mutating func suspend(_ context: borrowing Context, _ out: inout Effects) {
    // The service resumes with the app, since LC9 applies only to processes that die.
    haltStandard(context, &out)
    process.suspend()
    // AFG3: A service that no longer locates has ended, and starts again only if the system allows.
    android.hasService = false
    due[.process] = .distantFuture
    stop(context, &out)
  }

  mutating func endBackgroundTime(_ context: borrowing Context, _ out: inout Effects) {
    notify(.backgroundTimeExpiring, context, &out)
    // LC4: The system kills an app that leaves a task open after its expiration handler.
    if process.state == .background, process.openBackgroundTasks > 0 {
      out.emit(.crashed(.backgroundTimeOver))
      kill(context, &out)
    }
  }

  // MARK: Death

  mutating func die(_ context: borrowing Context, _ out: inout Effects) {
    guard process.state != .notRunning else { return }
    process.die()
    android.hasService = false
    due[.process] = .distantFuture
    stopStandard(context, &out)
    due[.stopTimer] = .distantFuture
    due[.sendTimer] = .distantFuture
    due[.restartTimer] = .distantFuture
    due[.stillTimer] = .distantFuture
    if !android.flags.contains(.transitions) { due[.motion] = .distantFuture }
    overdueTimers = 0
    pendingNotices.remove(.motion)
    stop(context, &out)
    if consent.contains(.once) { lapseOnce(context, &out) }
    armLiveReturn(out.now, context)
  }

  private mutating func stop(_ context: borrowing Context, _ out: inout Effects) {
    pushes.endRun(of: id, at: out.now, context.push)
    loseAnswer(&out)
    out.emit(.stopped)
  }

  mutating func kill(_ context: borrowing Context, _ out: inout Effects) {
    guard process.state != .notRunning else { return }
    out.emit(.killed)
    die(context, &out)
  }

  mutating func swipeAway(_ context: borrowing Context, _ out: inout Effects) {
    // LC12: An app that was launched in the background is not in the app switcher.
    guard process.canBeSwiped else { return }
    if let rules = context.profile.system.android, !rules.swipeStops {
      // ALC4: The swipe ends the process, unless a foreground service runs.
      if !serviceHoldsProcess(context) { die(context, &out) }
      return
    }
    // LC11; AOE3: On some makers' phones the swipe is a force stop (ALC5).
    forceStop(context, &out)
  }

  // MARK: The world

  mutating func lose(_ window: Window, _ now: SimInstant, _ context: borrowing Context) {
    pushes.returned(from: offline, at: now, context.push)
    offline = window
    due[.offlineEdge] = window.contains(now) ? window.end : window.start
    armTransfer(now, context)
  }

  /// NO4: Applies a change of airplane mode, in which satellites are the only source.
  mutating func fly(_ window: Window, _ now: SimInstant, _ context: borrowing Context) {
    pushes.returned(from: airplane, at: now, context.push)
    airplane = window
    due[.airplaneEdge] = window.contains(now) ? window.end : window.start
    armServices(now, context)
    armTransfer(now, context)
  }

  mutating func switchOff(_ window: Window, _ context: borrowing Context, _ out: inout Effects) {
    let starts = switchedOff.end == out.now && !window.contains(out.now)
    switchedOff = window
    due[.powerEdge] = window.contains(out.now) ? window.end : window.start
    if window.contains(out.now) { die(context, &out) }
    if starts {
      noteBoot(context, &out)
      loseFences(context)
      startLater(out.now, context)
      waitForRegions(out.now, context)
      pushes.started(at: out.now, context.push)
    }
    armServices(out.now, context)
    armTransfer(out.now, context)
  }

  // MARK: Power

  mutating func noteDraw(_ context: borrowing Context, _ out: inout Effects) {
    let new = presentDraw(at: out.now, context)
    var rises = false
    if new != draw {
      readMeter(context, &out)
      rises = !new.subtracting(draw).isEmpty
      draw = new
    }
    watchBattery(risen: rises, out.now, context)
  }

  mutating func readMeter(_ context: borrowing Context, _ out: inout Effects) {
    // A fix that is computed late may stop the service at the instant of the fix, before the
    // phone's last event.
    let from = drawnSince
    guard out.now > from else { return }
    drawnSince = out.now
    let scans = scans(from: from, to: out.now, context)
    let fixes = energy.fixes
    energy.fixes = 0
    out.emit(.drew(draw, out.now - from, scans: scans, fixes: fixes))
    var meter = EnergyMeter(draw, for: out.now - from, scans: scans, fixes: Int64(fixes))
    if standard.isHeld { meterRequest(for: out.now - from, &meter, context, &out) }
    let used = bill(meter, context, &out)
    let flow = battery.pass(
      from: from, to: out.now, used: used, isOn: draw.contains(.idle), context.battery
    ) { hour, percent in out.emit(.hour(hour, percent: percent)) }
    out.emit(.charged(flow))
  }

  /// SF3: Returns the number of Wi-Fi scans for significant changes, which are more frequent in a
  /// vehicle. A manager that pauses and declares vehicle navigation scans in a vehicle only.
  private mutating func scans(
    from: SimInstant, to: SimInstant, _ context: borrowing Context
  ) -> Int64 {
    guard services.significantChangeIsOn, servicesRun(at: from) else { return 0 }
    let isVehicle = !segment.isRest(for: .automotive)
    if context.pausesForVehicles && !isVehicle { return 0 }
    let profile = context.significantChange
    let every = (isVehicle ? profile.scanEveryInVehicle : profile.scanEvery).microseconds
    return to.microseconds / every - from.microseconds / every
  }

  @inline(__always) private func presentDraw(
    at now: SimInstant, _ context: borrowing Context
  ) -> EnergyDraw {
    if isOff(at: now) { return [] }
    var draw = EnergyDraw.idle
    // BT9: A phone on Wi-Fi looks for a better cell, too.
    if link.contains(.weakSignal), !airplane.contains(now), !traits.contains(.withoutSIM) {
      draw.insert(.search)
    }
    // The coprocessor draws power even while its app is suspended.
    if process.receivesMotion, !context.isAndroid || classifiesMotion { draw.insert(.motion) }
    // A request that Android holds is metered by its positions.
    let isPositioning = standard.isOn && !standard.isHeld
    if isPositioning { draw.insert(.positioning(standard.accuracy)) }
    switch process.state {
    case .notRunning, .suspended: return draw
    case .foreground: draw.insert(.screen)
    case .background: break
    }
    if isPositioning || process.state == .background && !sleepsBetweenFixes(context) {
      let filtered = isPositioning && standard.distanceFilterMeters > 0
      draw.insert(filtered ? .filteredCallbacks : .callbacks)
    }
    return draw
  }
}
