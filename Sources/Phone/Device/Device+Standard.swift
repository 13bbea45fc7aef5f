package import Core
internal import Scenarios

// This file runs the standard service with its pause, live updates with their session, and the
// motion coprocessor.

extension Device {
  mutating func startStandard(
    _ request: ServiceRequest, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    if let error = context.rules.error(in: request, of: context.app) {
      return crash(error, now, owner)  // AU8
    }
    authorizeImplicitly(now, context, owner)
    // AU1: Without authorization the service does not start, and the app gets no callback.
    switch authorization {
    case .always, .whenInUse: break
    case .denied, .notDetermined: return
    }
    let (accuracy, filter) = (standard.accuracy, standard.distanceFilterMeters)
    standard.configure(
      request, defers: context.rules.defersUpdates,
      hasLiveUpdates: context.rules.hasLiveUpdates)
    if standard.isLive { takeSession(context) }
    if context.rules.restartEndsPause { standard.isPaused = false }
    if authorization == .always, process.state == .background, !process.mayContinue {
      // AU12, AU13: The app uses Always, or would.
      _ = mayUseAlways(now, context, owner)
    }
    guard standard.isOn else { return runStandard(now, context, owner) }
    standard.keepsAppAlive = continuesInBackground(context)
    armPause(now, context)
    guard accuracy != request.accuracy || filter != standard.distanceFilterMeters else { return }
    // A fix that the old settings held back comes in the next second.
    noteDraw(now, context, owner)
    due[.standard] = max(standard.firstFixAt, max(now, turn.instant) + StandardService.interval)
  }

  /// AU4, AU7, AU9.
  @inline(__always) func locatesInBackground(_ context: borrowing Context) -> Bool {
    if standard.isLive { return holdsSession && context.app.backgroundMode }
    return context.rules.locatesInBackground(
      backgroundPermission, allowsBackground: standard.allowsBackground,
      mayContinue: process.mayContinue, context.app)
  }

  /// AU7, LU2: Whether a service that the app starts now keeps it running in the background.
  private func continuesInBackground(_ context: borrowing Context) -> Bool {
    locatesInBackground(context) && (process.mayContinue || standard.isLive)
  }

  @inline(__always) func serviceHoldsApp(_ context: borrowing Context) -> Bool {
    guard standard.isOn, standard.keepsAppAlive else { return false }
    // LU2: An activity session shows its mark.
    if standard.isLive { return true }
    return !context.rules.suspends(
      standard, besideSignificantChanges: services.significantChangeIsOn, backgroundPermission)
  }

  mutating func runStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isWanted, !standard.isPaused, !standard.isAtRest, process.mayRunCode,
      locatesInBackground(context) || process.state == .foreground
    else { return }
    guard !standard.isOn else { return }
    owner(&self, .silenceChanges, now)
    standard.keepsAppAlive = continuesInBackground(context)
    standard.isReduced = isImprecise(context)
    standard.run(
      now: now, lastKnown: lastKnown?.time.instant ?? .distantPast,
      surroundings: segment.surroundings(at: now), isAlone: airplane.contains(now),
      mayUseNetwork: mayUseNetwork(now, context), context.profile.firstFix, seed: context.seed,
      phone: id)
    due[.standard] = standard.firstFixAt
    learnPlace(standard.firstFixAt)
    if standard.asksSatellites { pushes.usedSatellites = true }
    noteDraw(now, context, owner)
    armPause(now, context)
    offerOldPoint(now, context)
  }

  private func mayUseNetwork(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    context.maker.network(at: now, segment, radios, id) != nil
  }

  package func findsNothing(
    from: SimInstant, to: SimInstant, _ context: borrowing Context
  ) -> Bool {
    standard.findsNothing(
      from: from, to: to, newest: lastKnown?.time.instant ?? .distantPast,
      patience: context.profile.firstFix.oldPointAge)
  }

  /// NO3: Some starts first deliver the last known position, however old. A position from a moment
  /// ago counts as new.
  private mutating func offerOldPoint(_ now: SimInstant, _ context: borrowing Context) {
    guard let old = lastKnown, now - old.time.instant > context.profile.firstFix.oldPointAge,
      !turn.answers.contains(.crash), !turn.given.contains(.cachedStandard)
    else { return }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .oldPoint, now.microseconds)
    guard draw.chance(context.profile.firstFix.oldPoint) else { return }
    turn.given.insert(.cachedStandard)
    turn.answers.insert(.cachedStandard)
  }

  mutating func haltStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isOn else { return }
    owner(&self, .silenceChanges, now)
    let heldApp = serviceHoldsApp(context)
    standard.halt()
    noteDraw(now, context, owner)
    due[.standard] = .distantFuture
    due[.pause] = .distantFuture
    if heldApp { process.locationSessionEnded(now: now) }
  }

  mutating func stopStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    haltStandard(now, context, owner)
    standard.stop()
  }

  mutating func carryStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    let looksAgain = standard.surroundingsChanged(
      to: segment.surroundings(at: now), now: now, mayUseNetwork: mayUseNetwork(now, context),
      context.profile.firstFix, seed: context.seed, phone: id)
    if looksAgain { due[.standard] = standard.firstFixAt }
    armPause(now, context)
  }

  // MARK: Fixes

  /// Schedules the next evaluation: the first fix, a minute of accumulated fixes, or the limit of a
  /// deferral. These fixes were delivered before this call.
  mutating func lookAtStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    if standard.isSilenced {
      due[.standard] = .distantFuture  // New settings schedule it again.
      return
    }
    due[.standard] = isDeferring ? deferredUntil(now) : now + context.pace
  }

  @inline(__always) private var isDeferring: Bool {
    standard.isDeferring && process.state == .background
  }

  /// DF1: When collected fixes are due, by time or by distance, whichever comes first.
  private mutating func deferredUntil(_ now: SimInstant) -> SimInstant {
    let (meters, seconds) = standard.deferral
    let until = now + SimDuration(seconds: Double(seconds))
    let away = segment.exit(from: segment.position(at: now), radius: Double(meters), after: now)
    return min(until, away ?? until)
  }

  /// Delivers fixes up to now, in one loop. Most events `slot` leave deferred fixes uncollected
  /// (DF1); `memory` is the previous sighting, maybe another phone's.
  package mutating func deliverFixes(
    upTo now: SimInstant, before slot: DueSlot, _ context: borrowing Context,
    _ memory: inout SightingMemory, _ owner: Owner
  ) {
    guard standard.isOn, standard.firstFixAt <= now else { return }
    let isDeferring = isDeferring
    if isDeferring && !slot.deliversDeferred { return }
    while let fix = standard.nextFix(
      upTo: now, segment: segment, maker: context.maker, radios, phone: id, &memory)
    {
      let newest = max(standard.startedAt, lastKnown?.time.instant ?? .distantPast)
      if standard.lastTick - newest > context.profile.firstFix.oldPointAge {
        owner(&self, .silenceChanges, standard.lastTick)
      }
      lastKnown = fix
      deliver(
        LocatedFix(fix: fix, source: memory.source, truth: isDeferring ? nil : memory.truth),
        .standard,
        isDeferring ? now : standard.lastTick, owner)
    }
  }

  // MARK: The pause trap

  /// PT1: Schedules the pause of a service at rest; the wait begins with the rest or with the
  /// service, whichever is later.
  mutating func armPause(_ now: SimInstant, _ context: borrowing Context) {
    if standard.isLive { return armLivePause(now, context) }
    guard standard.isOn, standard.pausesAutomatically, process.state == .background,
      segment.isRest(for: standard.activityType)
    else {
      due[.pause] = .distantFuture
      return
    }
    if due[.pause] == .distantFuture { due[.pause] = now + context.rules.pauseAfter }
  }

  mutating func pauseStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isOn else { return resumeLive(now, context, owner) }
    haltStandard(now, context, owner)
    if standard.isLive { standard.isAtRest = true } else { standard.isPaused = true }
    notify(.standardPaused, now, owner)
  }

  // MARK: Live updates

  /// LU2: Begins a background activity session in the foreground, and keeps one that the app takes
  /// again at launch.
  mutating func takeSession(_ context: borrowing Context) {
    let isForeground = process.state == .foreground
    switch context.app.activitySession {
    case .none: break
    case .retaken:
      if isForeground { holdsSession = true }
      turn.sessionIsOpen = false
    case .forgotten:
      if isForeground { holdsSession = true }
    }
  }

  /// LU2: Ends the session of an app that was launched and has not taken it again.
  mutating func settleSession(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard turn.sessionIsOpen, process.state != .foreground else { return }
    turn.sessionIsOpen = false
    holdsSession = false
    if standard.isLive { haltStandard(now, context, owner) }
  }

  /// LU1.
  mutating func armLivePause(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn, !segment.isMoving else {
      due[.pause] = .distantFuture
      return
    }
    if due[.pause] == .distantFuture { due[.pause] = now + context.rules.livePauseAfter }
  }

  /// LU1, LU2: Whether the system waits for a movement: live updates are paused, or the process
  /// that had them is gone and its session is not.
  private var waitsForMovement: Bool {
    standard.isAtRest || (holdsSession && process.state == .notRunning)
  }

  /// LU1: Schedules the return of live updates in the present segment; the phone's sensors notice
  /// the movement, indoors too.
  mutating func armLiveReturn(_ now: SimInstant, _ context: borrowing Context) {
    guard waitsForMovement else { return }
    guard segment.isMoving else {
      due[.pause] = .distantFuture
      return
    }
    let rules = context.rules
    let away = segment.exit(
      from: segment.position(at: now), radius: rules.liveResumeDistance.meters, after: now)
    due[.pause] = min(now + rules.liveResumeAfter, away ?? .distantFuture)
  }

  /// LU1, LU2: Resumes live updates because the phone moves, and relaunches an app that is gone.
  /// When In Use is enough (LU3).
  mutating func resumeLive(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard waitsForMovement, segment.isMoving else { return }
    standard.isAtRest = false
    if process.mayRunCode { return runStandard(now, context, owner) }
    guard holdsSession else { return }
    _ = wake(.location, bySession: true, now, context, owner)
  }

  // MARK: Motion activity

  /// AU10: Delivers no activity to an app without the usage description in Info.plist or without
  /// its user's consent.
  mutating func startMotion(_ now: SimInstant, _ context: borrowing Context) {
    guard context.app.motionDescription, !traits.contains(.motionDenied) else { return }
    process.receivesMotion = true
    armMotion(now, context)
  }

  mutating func armMotion(_ now: SimInstant, _ context: borrowing Context) {
    guard process.receivesMotion else { return }
    let coprocessor = MotionCoprocessor(seed: context.seed, profile: context.profile.motion)
    due[.motion] = coprocessor.recognised(at: now, phone: id)
  }

  /// AC5: Delivers the activity now if the app runs, else when it runs again.
  mutating func recogniseMotion(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard process.receivesMotion else { return }
    guard process.mayRunCode else {
      pendingNotices.insert(.motion)
      return
    }
    let coprocessor = MotionCoprocessor(seed: context.seed, profile: context.profile.motion)
    notify(.motionActivity(coprocessor.activity(in: segment, phone: id)), now, owner)
  }
}
