package import Core
internal import Scenarios

// This file decides when the app may run: launch, wake, foreground, background time, suspension,
// death.

extension Device {
  /// Begins an event; earlier fixes have not been evaluated yet.
  package mutating func begin(at now: SimInstant) {
    turn.instant = now
    turn.given = []
  }

  // MARK: Launch and foreground

  private mutating func launch(
    _ reason: LaunchReason, asExtension: Bool = false, _ now: SimInstant,
    _ context: borrowing Context, _ owner: Owner
  ) {
    if asExtension {
      process.launchExtension(now: now)
    } else {
      process.launch(intoForeground: false, now: now)
      turn.sessionIsOpen = holdsSession
    }
    noteLaunch(now, owner)
    notifyChange(.launched(reason), now, owner)
    notifyAuthorization(now, owner)
    if !asExtension { collectTransfer(now, owner) }
  }

  /// LC6: Marks a change of state, in which the system watches the app's main thread.
  private mutating func notifyChange(_ event: OSEvent, _ now: SimInstant, _ owner: Owner) {
    turn.isChangingState = true
    notify(event, now, owner)
    turn.isChangingState = false
  }

  mutating func open(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    process.isForceQuit = false
    learnPlace(now)
    if battery.isLocked { unlock(now, context, owner) }
    // AU12: Who opens an app has unlocked the phone; AU14: Allow Once does not lapse meanwhile.
    if consent.contains(.promptWaits) {
      answerSecondPrompt(now, context, owner)
    } else if consent.contains(.once) {
      due[.consent] = .distantFuture
    }
    if process.state == .notRunning {
      launch(.user, now, context, owner)
    } else {
      resume(now, context, owner)
    }
    // The app may have died before it reached the foreground.
    guard process.mayRunCode else { return }
    process.becomeActive()
    transfer.forgetDelay(at: now, keepsDiscretion: context.send.isDiscretionary)
    armTransfer(now, context)
    // PT2: Only the foreground ends a pause.
    standard.isAtRest = false
    standard.isPaused = false
    due[.pause] = .distantFuture
    runStandard(now, context, owner)
    pushes.endRun(of: id, at: now, context.push)
    if context.push.limits.window.opensOnUse {
      pushes.openWindow(pushSituation, at: now, context.push)
    }
    notifyChange(.becameActive, now, owner)
    if discardHeldPush(now, context, owner) { notify(.silentPush(cached: lastKnown), now, owner) }
  }

  mutating func leave(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard process.state == .foreground else { return }
    process.enterBackground(now: now)
    notifyChange(.enteredBackground, now, owner)
    if consent.contains(.once) { outlast(now, context) }
    guard standard.isOn else { return }
    // AU4, AU7: A service that was started in the foreground ends with it, or keeps the app
    // running.
    if locatesInBackground(context) {
      standard.keepsAppAlive = true
      armPause(now, context)
    } else {
      haltStandard(now, context, owner)
    }
  }

  // MARK: Wakes

  /// Gives the app time in the background, relaunching it if necessary; false if it may not run.
  /// - Parameter kept: the part of the event to keep if it must wait for the second prompt (AU12).
  /// - Parameter continues: a standard service that it starts now may go on (AU7); not an
  ///   extension.
  /// - Parameter bySession: a background activity session makes the app count as in use (LU3).
  mutating func wake(
    _ reason: LaunchReason, for kept: Consent = [], continues: Bool = false,
    asExtension: Bool = false, byMonitor: Bool = false, bySession: Bool = false, _ now: SimInstant,
    _ context: borrowing Context, _ owner: Owner
  ) -> Bool {
    if switchedOff.contains(now) || !battery.letsAppsRun || process.needsOpening { return false }
    if reason == .location, process.state != .foreground, !bySession {
      // AU5, BR1: The owner has allowed it.
      guard context.rules.wakesForLocations(authorization, traits) else { return false }
      guard mayUseAlways(now, context, owner) else {
        keep(kept, now, context, owner)
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
      owner(&self, .woken, now)
      process.wake(now: now)
      if continues { process.wokenBySignificantChange() }
      resume(now, context, owner)
    case .notRunning:
      // LC10: a force-quit app comes back for a location only where the system does so.
      // An upload's end brings it back on none (Apple, background(withIdentifier:)).
      let comesBack =
        asExtension
        || reason != .upload
          && context.rules.relaunchesAfterForceQuit(byMonitor: byMonitor)
      if process.isForceQuit, !comesBack { return false }
      owner(&self, .woken, now)
      launch(reason, asExtension: asExtension, now, context, owner)
      if continues { process.wokenBySignificantChange() }
    }
    return process.mayRunCode
  }

  /// BU1: Launches the app for a significant change before the first unlock. Its stored data cannot
  /// be read yet, so it does nothing and ends with this event.
  mutating func launchWithoutData(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard context.rules.wakesForLocations(authorization, traits) else { return }
    let comesBack = context.rules.relaunchesAfterForceQuit(byMonitor: false)
    if process.isForceQuit && !comesBack { return }
    owner(&self, .woken, now)
    process.launch(intoForeground: false, now: now)
    noteLaunch(now, owner)
  }

  private mutating func noteLaunch(_ now: SimInstant, _ owner: Owner) {
    owner(&self, .launched, now)
    upload.answerIsLost = false
    upload.isRegistered = false
  }

  /// Resumes what the suspension had stopped: the service, the lost answer, pending notices, and
  /// overdue timers (LC2).
  private mutating func resume(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    process.wake(now: now)
    runStandard(now, context, owner)
    if upload.answerIsLost {
      upload.answerIsLost = false
      notify(.uploadFinished(.connectionLost), now, owner)
    }
    notifyAuthorization(now, owner)
    collectTransfer(now, owner)
    if pendingNotices.contains(.motion) {
      pendingNotices.remove(.motion)
      recogniseMotion(now, context, owner)
    }
    for timer in AppTimer.allCases where overdueTimers & (1 << timer.rawValue) != 0 {
      overdueTimers &= ~(1 << timer.rawValue)
      notify(.timer(timer), now, owner)
    }
  }

  private mutating func notifyAuthorization(_ now: SimInstant, _ owner: Owner) {
    guard pendingNotices.contains(.authorization) else { return }
    pendingNotices.remove(.authorization)
    notify(.authorizationChanged(authorization), now, owner)
  }

  mutating func timerDue(_ timer: AppTimer, _ now: SimInstant, _ owner: Owner) {
    if process.mayRunCode {
      notify(.timer(timer), now, owner)
    } else {
      overdueTimers |= 1 << timer.rawValue
    }
  }

  // MARK: Background time

  /// LC3, LC5: Suspends the app if nothing keeps it running, and schedules the end of its budget.
  mutating func suspendIfIdle(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    settleSession(now, context, owner)
    let isHeld = serviceHoldsApp(context)
    if process.mustSuspend(isHeldByService: isHeld) {
      if process.isExtension || battery.isLocked {
        die(now, context, owner)
      } else {
        suspend(now, context, owner)
      }
    }
    // From here on a location session keeps the app running, and the push no longer does.
    if isHeld { pushes.endRun(of: id, at: now, context.push) }
    let expiry = process.backgroundExpiry(isHeldByService: isHeld, system: context.profile.system)
    due[.backgroundExpiry] = max(min(expiry, pushRunLimit(context)), now)
    noteDraw(now, context, owner)
    turn = Turn()
  }

  private mutating func suspend(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    // The service resumes with the app; LC9 applies only to processes that die.
    haltStandard(now, context, owner)
    process.suspend()
    stop(now, context, owner)
  }

  mutating func endBackgroundTime(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    notify(.backgroundTimeExpiring, now, owner)
    // LC4: The system kills an app that leaves a task open after its expiration handler.
    if process.state == .background, process.openBackgroundTasks > 0 {
      owner(&self, .crashed(.backgroundTimeOver), now)
      kill(now, context, owner)
    }
  }

  // MARK: Death

  mutating func die(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard process.state != .notRunning else { return }
    process.die()
    stopStandard(now, context, owner)
    due[.stopTimer] = .distantFuture
    due[.sendTimer] = .distantFuture
    due[.restartTimer] = .distantFuture
    due[.stillTimer] = .distantFuture
    due[.motion] = .distantFuture
    overdueTimers = 0
    pendingNotices.remove(.motion)
    stop(now, context, owner)
    if consent.contains(.once) { lapseOnce(now, context, owner) }
    armLiveReturn(now, context)
  }

  private mutating func stop(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    pushes.endRun(of: id, at: now, context.push)
    loseAnswer(now, owner)
    owner(&self, .stopped, now)
  }

  mutating func kill(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard process.state != .notRunning else { return }
    owner(&self, .killed, now)
    die(now, context, owner)
  }

  mutating func swipeAway(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    // LC12: An app that was launched in the background is not in the app switcher.
    guard process.canBeSwiped else { return }
    process.isForceQuit = true
    cancelTransfer(now, owner)
    die(now, context, owner)
    discardHeldPush(now, context, owner)
  }

  package mutating func endForceQuit(at now: SimInstant) -> Bool {
    guard process.isForceQuit else { return false }
    process.isForceQuit = false
    return !isOff(at: now)
  }

  // MARK: The world

  mutating func lose(_ window: Window, _ now: SimInstant, _ context: borrowing Context) {
    offline = window
    due[.offlineEdge] = window.contains(now) ? window.end : window.start
    armTransfer(now, context)
  }

  /// NO4: Applies a change of airplane mode, in which satellites are the only source.
  mutating func fly(_ window: Window, _ now: SimInstant, _ context: borrowing Context) {
    airplane = window
    due[.airplaneEdge] = window.contains(now) ? window.end : window.start
    armServices(now, context)
    armTransfer(now, context)
  }

  mutating func switchOff(
    _ window: Window, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let starts = switchedOff.end == now && !window.contains(now)
    switchedOff = window
    due[.powerEdge] = window.contains(now) ? window.end : window.start
    if window.contains(now) { die(now, context, owner) }
    if starts { waitForRegions(now, context) }
    armServices(now, context)
    armTransfer(now, context)
  }

  // MARK: Power

  mutating func noteDraw(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    let new = presentDraw(at: now)
    var rises = false
    if new != draw {
      readMeter(now, context, owner)
      rises = !new.subtracting(draw).isEmpty
      draw = new
    }
    watchBattery(risen: rises, now, context)
  }

  mutating func readMeter(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    // A fix that is evaluated late may stop the service at its own instant, before the phone's last
    // event.
    let from = drawnSince
    guard now > from else { return }
    drawnSince = now
    let scans = scans(from: from, to: now, context)
    let before = battery.charge
    owner(&self, .drew(draw, now - from, scans: scans), now)
    let used = before - battery.charge
    var battery = battery
    battery.charge = before
    let flow = battery.pass(
      from: from, to: now, used: used, isOn: draw.contains(.idle), context.battery
    ) { hour, percent in owner(&self, .hour(hour, percent: percent), now) }
    self.battery = battery
    owner(&self, .charged(flow), now)
  }

  /// SF3: Significant changes scan with Wi-Fi more often in a vehicle than otherwise; if the
  /// manager pauses and declares vehicle navigation, they scan in a vehicle only.
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

  @inline(__always) private func presentDraw(at now: SimInstant) -> EnergyDraw {
    if isOff(at: now) { return [] }
    var draw = EnergyDraw.idle
    // The coprocessor draws power even while its app is suspended.
    if process.receivesMotion { draw.insert(.motion) }
    let isPositioning = standard.isOn
    if isPositioning { draw.insert(.positioning(standard.accuracy)) }
    switch process.state {
    case .notRunning, .suspended: return draw
    case .foreground: draw.insert(.screen)
    case .background: break
    }
    if isPositioning || process.state == .background {
      let filtered = isPositioning && standard.distanceFilterMeters > 0
      draw.insert(filtered ? .filteredCallbacks : .callbacks)
    }
    return draw
  }
}
