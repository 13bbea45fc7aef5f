internal import Tracker
internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// The operating system's half of a phone: when the app may run, and what it is told.
extension Shard {
  // MARK: App lifecycle

  mutating func launch(_ i: Int, _ reason: LaunchReason, now: SimInstant) {
    figures.launches += 1
    phones[i].process.launch(intoForeground: false, now: now)
    phones[i].upload.answerIsLost = false
    phones[i].upload.isRegistered = false
    tell(i, .launched(reason), now: now)
  }

  mutating func openApp(_ i: Int, now: SimInstant) {
    if phones[i].process.state == .notRunning {
      launch(i, .user, now: now)
    } else {
      resume(i, now: now)
    }
    phones[i].process.becomeActive()
    tell(i, .becameActive, now: now)
  }

  mutating func leaveApp(_ i: Int, now: SimInstant) {
    phones[i].process.enterBackground(now: now)
    tell(i, .enteredBackground, now: now)
  }

  /// Gives the app time in the background, relaunching it if need be. False: it may not run.
  mutating func wake(_ i: Int, _ reason: LaunchReason, now: SimInstant) -> Bool {
    if phones[i].switchedOff.contains(now) { return false }
    let os = context.os(Int(phones[i].cohort))
    if reason == .location {
      // AU5: wakes need Always; BR1: old systems also need Background App Refresh.
      guard phones[i].authorization == .always else { return false }
      if phones[i].refreshIsOff && os.refreshOffBlocksLocationWakes { return false }
    }
    switch phones[i].process.state {
    case .foreground, .background: break
    case .suspended:
      countWake(i)
      phones[i].process.wake(now: now)
      resume(i, now: now)
    case .notRunning:
      // LC10: a force-quit app comes back for a location only where the OS does so.
      if phones[i].process.isForceQuit && !os.relaunchesAfterForceQuit { return false }
      countWake(i)
      launch(i, reason, now: now)
    }
    return true
  }

  private mutating func countWake(_ i: Int) {
    figures.wakes += 1
    chargeWake(i)
  }

  /// What stood still while the app was suspended: the lost answer, and overdue timers (LC2).
  private mutating func resume(_ i: Int, now: SimInstant) {
    if phones[i].process.state == .suspended { phones[i].process.wake(now: now) }
    if phones[i].upload.answerIsLost {
      phones[i].upload.answerIsLost = false
      tell(i, .uploadFinished(.connectionLost), now: now)
    }
    for timer in AppTimer.allCases where phones[i].overdueTimers & (1 << timer.rawValue) != 0 {
      phones[i].overdueTimers &= ~(1 << timer.rawValue)
      tell(i, .timer(timer), now: now)
    }
  }

  /// LC3, LC5: suspends what nothing holds, and keeps the budget's end on the calendar.
  mutating func settle(_ i: Int, now: SimInstant) {
    if phones[i].process.mustSuspend(standard: phones[i].standard) { suspend(i, now: now) }
    phones[i].due[.backgroundExpiry] = max(
      phones[i].process.backgroundExpiry(
        standard: phones[i].standard, os: context.os(Int(phones[i].cohort))), now)
    noteDraw(i, now: now)
  }

  private mutating func suspend(_ i: Int, now: SimInstant) {
    phones[i].process.suspend()
    stopStandard(i, now: now)
    loseAnswer(i)
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
    phones[i].overdueTimers = 0
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
    if phones[i].process.openBackgroundTasks > 0 {
      figures.kills += 1
      pushWakeEnded(i, crashed: true, now: now)
      die(i, now: now)
    }
  }

  // MARK: Location services

  /// Recomputes when region, significant change and visit fire next, in the present segment.
  mutating func armServices(_ i: Int, now: SimInstant) {
    let phone = phones[i]
    guard phone.authorization == .always, !phone.switchedOff.contains(now) else {
      phones[i].due[.regionExit] = .distantFuture
      phones[i].due[.significantChange] = .distantFuture
      phones[i].due[.visit] = .distantFuture
      return
    }
    armRegion(i, now: now)
    armSignificantChange(i, now: now)
    let seed = context.scenario.seed
    let visit = phone.services.visit(in: phone.segment, seed: seed, phone: phone.id)
    phones[i].due[.visit] = visit < .distantFuture ? max(visit, now) : visit
  }

  mutating func armRegion(_ i: Int, now: SimInstant) {
    phones[i].due[.regionExit] = phones[i].services.regionExit(
      in: phones[i].segment, after: now, wifi: phones[i].isOnWifi, seed: context.scenario.seed,
      phone: phones[i].id)
  }

  mutating func armSignificantChange(_ i: Int, now: SimInstant) {
    phones[i].due[.significantChange] = phones[i].services.significantChange(
      in: phones[i].segment, after: now,
      context.significantChange(Int(phones[i].cohort)), seed: context.scenario.seed,
      phone: phones[i].id)
  }

  mutating func regionExited(_ i: Int, now: SimInstant) {
    let place = phones[i].segment.position(at: now)
    guard place.distance(to: phones[i].services.regionCentre) > phones[i].services.regionRadius
    else { return armRegion(i, now: now) }  // Came back before the dwell was over.
    phones[i].services.regionIsSet = false
    guard wake(i, .location, now: now) else { return }
    // RG2: every manager instance hears of it.
    for manager in [Manager.standard, .imprecise] {
      tell(i, .regionExited(manager, cached: phones[i].lastKnown), now: now)
    }
  }

  mutating func significantChange(_ i: Int, now: SimInstant) {
    let place = phones[i].segment.position(at: now)
    phones[i].services.significantChangeFired(at: place, now: now)
    armSignificantChange(i, now: now)
    guard wake(i, .location, now: now) else { return }
    deliver(i, coarseFix(i, now: now), .imprecise, now: now)
  }

  mutating func visitHappened(_ i: Int, now: SimInstant) {
    let departed = phones[i].segment.isMoving
    phones[i].services.arrivalReported = !departed
    guard wake(i, .location, now: now) else { return }
    let fix = coarseFix(i, now: now)
    count(fix, i, now: now)
    let visit = Visit(
      fix: fix, arrival: departed ? .distantPast : phones[i].segment.start,
      departure: departed ? phones[i].segment.start : .distantFuture)
    tell(i, .visit(visit), now: now)
  }

  private mutating func coarseFix(_ i: Int, now: SimInstant) -> Fix {
    chargeScan(i)
    let fix = fixMaker(i).coarseFix(
      at: now, phones[i].segment, wifi: phones[i].isOnWifi, phones[i].id)
    phones[i].lastKnown = fix
    return fix
  }

  // MARK: Standard service

  /// The first fix is there, or a minute of fixes has piled up: they were delivered on the way
  /// here.
  mutating func standardDue(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    phones[i].due[.standard] = now + context.pace(Int(phones[i].policy))
  }

  /// Evaluates the fixes up to now in one tight loop.
  mutating func deliverStandardFixes(_ i: Int, upTo now: SimInstant) {
    guard phones[i].standard.isOn, phones[i].standard.firstFixAt <= now else { return }
    let maker = fixMaker(i)
    while let fix = phones[i].standard.nextFix(
      upTo: now, segment: phones[i].segment, maker: maker, phone: phones[i].id)
    {
      phones[i].lastKnown = fix
      deliver(i, fix, .standard, now: phones[i].standard.lastTick)
    }
  }

  mutating func stopStandard(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    phones[i].standard.stop()
    noteDraw(i, now: now)
    phones[i].due[.standard] = .distantFuture
  }

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
