internal import Tracker
internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// The operating system's half of a phone: when the app may run, and what it is told.
extension Shard {
  // MARK: App lifecycle

  mutating func launch(
    _ i: Int, _ reason: LaunchReason, now: SimInstant, asExtension: Bool = false
  ) {
    figures.launches += 1
    if asExtension {
      phones[i].process.launchExtension(now: now)
    } else {
      phones[i].process.launch(intoForeground: false, now: now)
    }
    phones[i].upload.answerIsLost = false
    phones[i].upload.isRegistered = false
    changing { $0.tell(i, .launched(reason), now: now) }
    hearAuthorization(i, now: now)
  }

  /// LC6: what the app's main thread does now is watched.
  private mutating func changing(_ body: (inout Shard) -> Void) {
    isChangingState = true
    body(&self)
    isChangingState = false
  }

  mutating func openApp(_ i: Int, now: SimInstant) {
    if phones[i].process.state == .notRunning {
      launch(i, .user, now: now)
    } else {
      resume(i, now: now)
    }
    guard phones[i].process.mayRunCode else { return }
    phones[i].process.becomeActive()
    // PT2: only the foreground ends a pause.
    phones[i].standard.isPaused = false
    phones[i].due[.pause] = .distantFuture
    runStandard(i, now: now)
    pushRunEnded(i, now: now)
    changing { $0.tell(i, .becameActive, now: now) }
    deliverHeldPush(i, now: now)
  }

  mutating func leaveApp(_ i: Int, now: SimInstant) {
    guard phones[i].process.state == .foreground else { return }
    phones[i].process.enterBackground(now: now)
    changing { $0.tell(i, .enteredBackground, now: now) }
    guard phones[i].standard.isOn else { return }
    // AU4, AU7: what was begun in the foreground ends with it, or keeps the app running.
    if locatesInBackground(i) {
      phones[i].standard.keepsAppAlive = true
      armPause(i, now: now)
    } else {
      haltStandard(i, now: now)
    }
  }

  /// Gives the app time in the background, relaunching it if need be. False: it may not run.
  ///
  /// - Parameter continues: a standard service that it starts now may go on (AU7).
  ///   An extension has no such service, and nothing else of its app runs beside it.
  /// - Parameter asExtension: an app that does not run is left so; its extension runs (iOS 15).
  mutating func wake(
    _ i: Int, _ reason: LaunchReason, now: SimInstant, continues: Bool = false,
    asExtension: Bool = false
  ) -> Bool {
    if phones[i].switchedOff.contains(now) { return false }
    let os = context.os(Int(phones[i].cohort))
    if reason == .location, phones[i].process.state != .foreground {
      // AU5: wakes need Always; BR1: old systems also need Background App Refresh.
      guard phones[i].authorization == .always else { return false }
      if phones[i].refreshIsOff && os.refreshOffBlocksLocationWakes { return false }
      guard survivesSecondPrompt(i, now: now) else { return false }
    }
    isWokenForLocation = reason == .location
    defer { isWokenForLocation = false }
    switch phones[i].process.state {
    case .foreground: break
    case .background:
      let isMore = !phones[i].process.isExtension
      if continues && isMore { phones[i].process.wokenBySignificantChange() }
      // A force-quit app that the system does not bring back hears nothing beside its extension.
      if reason == .location, !isMore, phones[i].process.isForceQuit {
        return os.relaunchesAfterForceQuit
      }
    case .suspended:
      countWake(i)
      phones[i].process.wake(now: now)
      if continues { phones[i].process.wokenBySignificantChange() }
      resume(i, now: now)
    case .notRunning:
      // LC10: a force-quit app comes back for a location only where the OS does so.
      let comesBack = asExtension || os.relaunchesAfterForceQuit
      if phones[i].process.isForceQuit && !comesBack { return false }
      countWake(i)
      launch(i, reason, now: now, asExtension: asExtension)
      if continues { phones[i].process.wokenBySignificantChange() }
    }
    return phones[i].process.mayRunCode
  }

  private mutating func countWake(_ i: Int) {
    figures.wakes += 1
    chargeWake(i)
  }

  /// What stood still while the app was suspended: its service, the lost answer, what was not
  /// heard, and overdue timers (LC2).
  private mutating func resume(_ i: Int, now: SimInstant) {
    if phones[i].process.state == .suspended { phones[i].process.wake(now: now) }
    runStandard(i, now: now)
    if phones[i].upload.answerIsLost {
      phones[i].upload.answerIsLost = false
      tell(i, .uploadFinished(.connectionLost), now: now)
    }
    hearAuthorization(i, now: now)
    if phones[i].unheard.contains(.motion) {
      phones[i].unheard.remove(.motion)
      motionRecognised(i, now: now)
    }
    for timer in AppTimer.allCases where phones[i].overdueTimers & (1 << timer.rawValue) != 0 {
      phones[i].overdueTimers &= ~(1 << timer.rawValue)
      tell(i, .timer(timer), now: now)
    }
  }

  private mutating func hearAuthorization(_ i: Int, now: SimInstant) {
    guard phones[i].unheard.contains(.authorization) else { return }
    phones[i].unheard.remove(.authorization)
    tell(i, .authorizationChanged(phones[i].authorization), now: now)
  }

  /// LC3, LC5: suspends what nothing holds, and keeps the budget's end on the calendar.
  mutating func settle(_ i: Int, now: SimInstant) {
    let os = context.os(Int(phones[i].cohort))
    let isHeld = phones[i].serviceHoldsApp(os)
    if phones[i].process.mustSuspend(isHeldByService: isHeld) {
      if phones[i].process.isExtension { die(i, now: now) } else { suspend(i, now: now) }
    }
    // A location session keeps the app running, not the push any more.
    if isHeld { pushRunEnded(i, now: now) }
    let expiry = phones[i].process.backgroundExpiry(isHeldByService: isHeld, os: os)
    phones[i].due[.backgroundExpiry] = max(min(expiry, pushRunLimit(i)), now)
    noteDraw(i, now: now)
  }

  private mutating func suspend(_ i: Int, now: SimInstant) {
    // Its service comes back with it (LC9 is for processes that die).
    haltStandard(i, now: now)
    phones[i].process.suspend()
    loseAnswer(i)
    pushRunEnded(i, now: now)
    pushWakeEnded(i, crashed: false, now: now)
  }

  mutating func die(_ i: Int, now: SimInstant) {
    guard phones[i].process.state != .notRunning else { return }
    phones[i].process.die()
    stopStandard(i, now: now)
    loseAnswer(i)
    phones[i].due[.stopTimer] = .distantFuture
    phones[i].due[.sendTimer] = .distantFuture
    phones[i].due[.restartTimer] = .distantFuture
    phones[i].due[.stillTimer] = .distantFuture
    phones[i].due[.motion] = .distantFuture
    phones[i].overdueTimers = 0
    phones[i].unheard.remove(.motion)
    pushRunEnded(i, now: now)
    pushWakeEnded(i, crashed: false, now: now)
  }

  /// A suspended or dead app's connections are gone: whatever comes, it will not hear it (LC3).
  private mutating func loseAnswer(_ i: Int) {
    guard phones[i].tracker.isSending, !phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = true
    phones[i].upload.isInFlight = false
    phones[i].due[.uploadOutcome] = .distantFuture
    figures.uploadsLost += 1
  }

  mutating func backgroundTimeEnded(_ i: Int, now: SimInstant) {
    tell(i, .backgroundTimeExpiring, now: now)
    // LC4: a task still open after its expiration handler costs the app its life.
    if phones[i].process.state == .background, phones[i].process.openBackgroundTasks > 0 {
      trace(i, at: now, .crashed(.backgroundTimeOver))
      kill(i, now: now)
    }
  }

  // MARK: Location services

  /// Region, significant changes and visits want Always (AU5), a phone that is on, and its radios
  /// (NO4).
  func servicesRun(_ i: Int, now: SimInstant) -> Bool {
    phones[i].authorization == .always && !phones[i].switchedOff.contains(now)
      && !phones[i].airplane.contains(now)
  }

  /// Recomputes when region, significant change and visit fire next, in the present segment.
  mutating func armServices(_ i: Int, now: SimInstant) {
    phones[i].due[.regionExit] = .distantFuture
    phones[i].due[.significantChange] = .distantFuture
    carryServices(i, now: now)
  }

  /// At a new segment: what was crossed in the one before and waits for its latency stays on the
  /// calendar.
  mutating func carryServices(_ i: Int, now: SimInstant) {
    phones[i].due[.visit] = .distantFuture
    guard servicesRun(i, now: now) else { return }
    if phones[i].services.regionIsSet {
      phones[i].services.noteRegion(phones[i].segment.position(at: now))
      if phones[i].due[.regionExit] == .distantFuture { armRegion(i, now: now) }
    }
    let pending = phones[i].due[.significantChange]
    armSignificantChange(i, now: now)
    phones[i].due[.significantChange] = min(pending, phones[i].due[.significantChange])
    let visit = phones[i].services.visit(
      in: phones[i].segment, context.os(Int(phones[i].cohort)).visits, seed: context.scenario.seed,
      phone: phones[i].id)
    phones[i].due[.visit] = visit < .distantFuture ? max(visit, now) : visit
  }

  /// Positions are found by the networks that are heard, connected or not.
  private func hearsWifi(_ i: Int, now: SimInstant) -> Bool {
    switch phones[i].segment.surroundings(at: now) {
    case .street, .indoor: true
    case .open, .tunnel: false
    }
  }

  mutating func armRegion(_ i: Int, now: SimInstant) {
    // With precise locations withheld there are no regions (Apple's note on reduced accuracy).
    guard !isImprecise(i) else { return }
    phones[i].due[.regionExit] = phones[i].services.regionExit(
      in: phones[i].segment, after: now, wifi: hearsWifi(i, now: now),
      context.os(Int(phones[i].cohort)).regions, seed: context.scenario.seed, phone: phones[i].id)
  }

  private func isImprecise(_ i: Int) -> Bool {
    phones[i].traits.contains(.imprecise)
      && context.os(Int(phones[i].cohort)).hasReducedAccuracy
  }

  mutating func armSignificantChange(_ i: Int, now: SimInstant) {
    phones[i].due[.significantChange] = phones[i].services.significantChange(
      in: phones[i].segment, after: now,
      context.significantChange(Int(phones[i].cohort)),
      cells: !phones[i].traits.contains(.withoutSIM), seed: context.scenario.seed,
      phone: phones[i].id)
  }

  /// RG1–RG4. Whatever becomes of the event, the phone is out, and the region can be left again
  /// only after it was entered.
  mutating func regionExited(_ i: Int, now: SimInstant) {
    let place = phones[i].segment.position(at: now)
    let services = phones[i].services
    guard place.distance(to: services.regionCentre) > services.regionRadius
    else { return armRegion(i, now: now) }  // Came back before the dwell was over.
    phones[i].services.regionIsLeft = true
    armRegion(i, now: now)
    let profile = context.os(Int(phones[i].cohort)).regions
    if services.missesExit(at: now, profile, seed: context.scenario.seed, phone: phones[i].id) {
      return
    }
    guard wake(i, .location, now: now), phones[i].process.hasManager else { return }
    // The system left the region by a position that the app may read, too.
    let fix = coarseFix(i, now: now)
    count(fix, i, now: now)
    let kept = phones[i].outbox.count
    // RG2: every manager instance hears of it.
    tell(i, .regionExited(.standard, cached: fix), now: now)
    tell(i, .regionExited(.imprecise, cached: fix), now: now)
    if phones[i].outbox.count != kept { pushFixTaken(i, fix) }
  }

  mutating func significantChange(_ i: Int, now: SimInstant) {
    let place = phones[i].segment.position(at: now)
    phones[i].services.significantChangeFired(at: place, now: now)
    armSignificantChange(i, now: now)
    guard wake(i, .location, now: now, continues: true) else { return }
    // LC8: whoever makes no manager at launch is not there to be told.
    guard phones[i].process.hasManager else { return }
    deliver(i, coarseFix(i, now: now), .imprecise, now: now)
  }

  /// VI1–VI3: never without dates.
  mutating func visitHappened(_ i: Int, now: SimInstant) {
    let departed = phones[i].segment.isMoving
    let services = phones[i].services
    let arrival =
      departed
      ? services.toldArrival : services.missedArrival ? .distantPast : phones[i].segment.start
    phones[i].services.toldArrival = departed ? .distantFuture : arrival
    guard wake(i, .location, now: now), phones[i].process.hasManager else { return }
    let fix = coarseFix(i, now: now)
    count(fix, i, now: now)
    let visit = Visit(
      fix: fix, arrival: arrival, departure: departed ? phones[i].segment.start : .distantFuture)
    tell(i, .visit(visit), now: now)
  }

  private mutating func coarseFix(_ i: Int, now: SimInstant) -> Fix {
    chargeScan(i)
    let fix = coarseFix(i, at: now, phones[i].segment)
    phones[i].lastKnown = fix
    return fix
  }

  /// A single position, of any instant.
  mutating func coarseFix(_ i: Int, at t: SimInstant, _ segment: Segment) -> Fix {
    let maker = fixMaker(i)
    if isImprecise(i) { return maker.reducedFix(at: t, segment, phones[i].id) }
    return maker.coarseFix(at: t, segment, wifi: phones[i].isOnWifi, phones[i].id)
  }

  // MARK: Deliveries

  mutating func deliver(_ i: Int, _ fix: Fix, _ manager: Manager, now: SimInstant) {
    count(fix, i, now: now)
    let kept = phones[i].outbox.count
    tell(i, .location(fix, manager), now: now)
    if phones[i].outbox.count != kept { pushFixTaken(i, fix) }
  }

  private mutating func count(_ fix: Fix, _ i: Int, now: SimInstant) {
    figures.fixesGenerated += 1
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    phones[i].behaviour.combine(1, fix.time.instant, place ^ UInt64(fix.accuracyMeters) << 48)
  }

  mutating func timerDue(_ timer: AppTimer, _ i: Int, now: SimInstant) {
    if phones[i].process.mayRunCode {
      tell(i, .timer(timer), now: now)
    } else {
      phones[i].overdueTimers |= 1 << timer.rawValue
    }
  }
}
