package import Core
internal import Scenarios

// The standard service with its pause, live updates with their session, and the motion coprocessor.

extension Device {
  mutating func startStandard(
    _ request: ServiceRequest, _ context: borrowing Context, _ out: inout Effects
  ) {
    if let error = context.rules.error(in: request, of: context.policy.settings.app) {
      return crash(error, &out)  // AU8
    }
    authorizeImplicitly(context, &out)
    // AU1: Without authorization the service does not start, and the app gets no callback.
    switch authorization {
    case .always, .whenInUse: break
    case .denied, .notDetermined: return
    }
    if request.isSingle, offerCurrent(context, &out) { return }
    if standard.isOn, standard.every > request.every {
      // AFL2: A request with a shorter interval begins with a search.
      haltStandard(context, &out)
    } else if standard.isOn, request.interval != nil {
      readMeter(context, &out)
    }
    let (accuracy, filter) = (standard.accuracy, standard.distanceFilterMeters)
    let every = standard.every
    standard.configure(
      request, defers: context.rules.defersUpdates,
      hasLiveUpdates: context.rules.hasLiveUpdates)
    if standard.isLive { takeSession(context) }
    if context.rules.restartEndsPause { standard.isPaused = false }
    if authorization == .always, process.state == .background, !process.mayContinue {
      // AU12, AU13: The start counts as a use of Always, which may schedule a prompt.
      _ = mayUseAlways(context, &out)
    }
    guard standard.isOn else {
      return runStandard(isSingle: request.isSingle, context, &out)
    }
    standard.keepsAppAlive = continuesInBackground(context)
    armPause(out.now, context)
    guard
      accuracy != request.accuracy || filter != standard.distanceFilterMeters
        || every != standard.every
    else { return }
    // A fix that the old settings suppressed comes in the next second, or, for a single request,
    // at the end of the request.
    noteDraw(context, &out)
    if request.isSingle { awaitAccuracy(from: max(out.now, turn.instant), context) }
    due[.standard] = max(standard.firstFixAt, max(out.now, turn.instant) + StandardService.interval)
    if standard.isHeld { due[.standard] = max(due[.standard], standard.lastTick + standard.every) }
  }

  /// AU4, AU7, AU9: Returns whether a running service may locate in the background.
  @inline(__always) func locatesInBackground(_ context: borrowing Context) -> Bool {
    if standard.isLive { return holdsSession && context.policy.settings.app.backgroundMode }
    if context.isAndroid { return locatesInService(context) }
    return context.rules.locatesInBackground(
      backgroundPermission, allowsBackground: standard.allowsBackground,
      mayContinue: process.mayContinue, context.policy.settings.app)
  }

  /// AU7, LU2: Returns whether a service that starts now keeps the app running in the background.
  private func continuesInBackground(_ context: borrowing Context) -> Bool {
    locatesInBackground(context) && (process.mayContinue || standard.isLive || context.isAndroid)
  }

  @inline(__always) func serviceHoldsApp(_ context: borrowing Context) -> Bool {
    if context.isAndroid { return serviceHoldsProcess(context) }
    guard standard.isOn, standard.keepsAppAlive else { return false }
    // LU2: An activity session shows an indicator, so the system does not suspend the app.
    if standard.isLive { return true }
    return !context.rules.suspends(
      standard, besideSignificantChanges: services.significantChangeIsOn, backgroundPermission)
  }

  mutating func runStandard(
    isSingle: Bool = false, _ context: borrowing Context, _ out: inout Effects
  ) {
    // APM9: A request is kept, and brings nothing.
    guard !android.flags.contains(.locationOff) else { return }
    guard standard.isWanted, !standard.isPaused, !standard.isAtRest, process.mayRunCode,
      locatesInBackground(context) || process.state == .foreground
    else { return }
    guard !standard.isOn else { return }
    account(context, &out)
    if standard.isHeld { readMeter(context, &out) }
    standard.keepsAppAlive = continuesInBackground(context)
    standard.isReduced = isImprecise(context)
    standard.run(
      now: out.now, lastKnown: lastKnown?.time.instant ?? .distantPast,
      surroundings: segment.surroundings(at: out.now), spot: segment.spot,
      isAlone: airplane.contains(out.now),
      mayUseNetwork: mayUseNetwork(out.now, context), context.profile.firstFix, seed: context.seed,
      phone: id)
    if isSingle { awaitAccuracy(from: out.now, context) }
    due[.standard] = standard.firstFixAt
    learnPlace(standard.firstFixAt)
    if standard.asksSatellites { pushes.usedSatellites = true }
    noteDraw(context, &out)
    armPause(out.now, context)
    if !isSingle { offerOldPoint(out.now, context) }
  }

  private mutating func awaitAccuracy(from now: SimInstant, _ context: borrowing Context) {
    // AFL3: Android answers with the first position.
    if context.isAndroid { return }
    standard.awaitAccuracy(
      from: now, segment: segment, maker: context.maker, radios, context.profile.firstFix,
      phone: id)
  }

  private func mayUseNetwork(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    context.maker.network(at: now, segment, radios, id) != nil
  }

  package func findsNothing(
    from: SimInstant, to: SimInstant, _ context: borrowing Context
  ) -> Bool {
    standard.findsNothing(
      from: from, to: to, newest: lastKnown?.time.instant ?? .distantPast,
      patience: patience(context))
  }

  /// The time for which a position counts as new.
  @inline(__always) private func patience(_ context: borrowing Context) -> SimDuration {
    let age = context.profile.firstFix.oldPointAge
    return standard.isHeld ? age + standard.every : age
  }

  /// NO3: Some starts first deliver the last known position, regardless of its age. A position no
  /// older than `oldPointAge` counts as new.
  private mutating func offerOldPoint(_ now: SimInstant, _ context: borrowing Context) {
    guard let old = lastKnown, now - old.time.instant > context.profile.firstFix.oldPointAge,
      !turn.answers.contains(.crash), !turn.given.contains(.cachedStandard)
    else { return }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .oldPoint, now.microseconds)
    guard draw.chance(context.profile.firstFix.oldPoint) else { return }
    turn.given.insert(.cachedStandard)
    turn.answers.insert(.cachedStandard)
  }

  mutating func haltStandard(_ context: borrowing Context, _ out: inout Effects) {
    guard standard.isOn else { return }
    account(context, &out)
    let heldApp = serviceHoldsApp(context)
    if standard.isHeld { readMeter(context, &out) }
    standard.halt()
    noteDraw(context, &out)
    due[.standard] = .distantFuture
    due[.pause] = .distantFuture
    if heldApp { process.locationSessionEnded(now: out.now) }
  }

  mutating func stopStandard(_ context: borrowing Context, _ out: inout Effects) {
    haltStandard(context, &out)
    standard.stop()
  }

  mutating func carryStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    let looksAgain = standard.surroundingsChanged(
      to: segment.surroundings(at: now), spot: segment.spot, now: now,
      mayUseNetwork: mayUseNetwork(now, context), context.profile.firstFix, seed: context.seed,
      phone: id)
    if looksAgain {
      due[.standard] = standard.firstFixAt
    } else if standard.isHeld {
      lookAtStandard(now, context)
    }
    armPause(now, context)
  }

  // MARK: Fixes

  /// Schedules the next evaluation of fixes: after `context.pace`, or at the limit of a deferral.
  /// The fixes up to `now` were delivered before this call.
  mutating func lookAtStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    if standard.isSilenced {
      due[.standard] = .distantFuture  // New settings schedule it again.
      return
    }
    if isDeferring {
      due[.standard] = deferredUntil(now)
    } else {
      due[.standard] = standard.isHeld ? nextLook(now, context) : now + context.pace
    }
  }

  @inline(__always) private var isDeferring: Bool {
    standard.isDeferring && process.state == .background
  }

  /// DF1: Returns when deferred fixes are due: by time or by distance, whichever comes first.
  private mutating func deferredUntil(_ now: SimInstant) -> SimInstant {
    let (meters, seconds) = standard.deferral
    let until = now + SimDuration(seconds: Double(seconds))
    let away = segment.exit(from: segment.position(at: now), radius: Double(meters), after: now)
    return min(until, away ?? until)
  }

  /// Delivers the fixes up to `now`. DF1: While fixes are deferred, only events with
  /// `slot.deliversDeferred` deliver them.
  package mutating func deliverFixes(
    upTo now: SimInstant, before slot: DueSlot, _ context: borrowing Context, _ out: inout Effects
  ) {
    guard standard.isOn, standard.firstFixAt <= now else { return }
    let isDeferring = isDeferring
    if isDeferring && !slot.deliversDeferred { return }
    while let fix = nextFix(upTo: now, context, &out) {
      let newest = max(standard.startedAt, lastKnown?.time.instant ?? .distantPast)
      if standard.lastTick - newest > patience(context) {
        out.now = standard.lastTick
        account(context, &out)
      }
      lastKnown = fix
      out.now = isDeferring ? now : standard.lastTick
      let truth = isDeferring ? nil : out.memory.truth
      deliver(
        LocatedFix(fix: fix, source: out.memory.source, truth: truth), .standard, context, &out)
    }
  }

  @inline(__always) private mutating func nextFix(
    upTo now: SimInstant, _ context: borrowing Context, _ out: inout Effects
  ) -> Fix? {
    if standard.isHeld, !standard.isReduced, let rules = context.profile.system.android {
      return nextHeldFix(upTo: now, rules, context, &out)
    }
    return standard.nextFix(
      upTo: now, segment: segment, maker: context.maker, radios, phone: id, &out.memory)
  }

  // MARK: The pause trap

  /// PT1, PT5: Schedules the pause of a service at rest. The wait begins with the rest or with the
  /// service, whichever is later, and again whenever the owner picks up the phone.
  mutating func armPause(_ now: SimInstant, _ context: borrowing Context) {
    if standard.isLive { return armLivePause(now, context) }
    guard standard.isOn, standard.pausesAutomatically, process.state == .background,
      segment.isRest(for: standard.activityType)
    else {
      due[.pause] = .distantFuture
      return
    }
    guard due[.pause] == .distantFuture else { return }
    due[.pause] = context.battery.use.leftAlone(
      for: context.rules.pauseAfter, since: now, phone: id,
      screenShare: context.battery.screenShare(of: id))
  }

  mutating func pauseStandard(_ context: borrowing Context, _ out: inout Effects) {
    guard standard.isOn else { return resumeLive(context, &out) }
    haltStandard(context, &out)
    if standard.isLive { standard.isAtRest = true } else { standard.isPaused = true }
    notify(.standardPaused, context, &out)
  }

  // MARK: Live updates

  /// LU2: Begins a background activity session in the foreground, and keeps one that the app
  /// resumes at launch.
  mutating func takeSession(_ context: borrowing Context) {
    let isForeground = process.state == .foreground
    switch context.policy.settings.app.activitySession {
    case .none: break
    case .retaken:
      if isForeground { holdsSession = true }
      turn.sessionIsOpen = false
    case .forgotten:
      if isForeground { holdsSession = true }
    }
  }

  /// LU2: Ends the session of an app that was launched and has not resumed it.
  mutating func settleSession(_ context: borrowing Context, _ out: inout Effects) {
    guard turn.sessionIsOpen, process.state != .foreground else { return }
    turn.sessionIsOpen = false
    holdsSession = false
    if standard.isLive { haltStandard(context, &out) }
  }

  /// LU1: Schedules the pause of live updates, unless the phone moves.
  mutating func armLivePause(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn, !segment.isMoving else {
      due[.pause] = .distantFuture
      return
    }
    if due[.pause] == .distantFuture { due[.pause] = now + context.rules.livePauseAfter }
  }

  /// LU1, LU2: Whether the system waits for a movement, because live updates are paused or because
  /// the process has ended but its activity session has not.
  private var waitsForMovement: Bool {
    standard.isAtRest || (holdsSession && process.state == .notRunning)
  }

  /// LU1: Schedules the return of live updates in the present segment. The phone's sensors notice
  /// movement indoors too.
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

  /// LU1, LU2: Resumes live updates because the phone moves, and relaunches an app that has ended.
  /// The permission When In Use is enough (LU3).
  mutating func resumeLive(_ context: borrowing Context, _ out: inout Effects) {
    guard waitsForMovement, segment.isMoving else { return }
    standard.isAtRest = false
    if process.mayRunCode { return runStandard(context, &out) }
    guard holdsSession else { return }
    _ = wake(.location, bySession: true, context, &out)
  }

  // MARK: Motion activity

  /// AU10: Starts motion activity updates, if Info.plist has the usage description and the user
  /// allows them.
  mutating func startMotion(_ now: SimInstant, _ context: borrowing Context) {
    guard context.policy.settings.app.motionDescription else { return }
    if traits.contains(.motionDenied), needsMotionPermission(context) { return }
    process.receivesMotion = true
    if context.isAndroid, hasTransitions(context) { return }
    armMotion(now, context)
  }

  mutating func armMotion(_ now: SimInstant, _ context: borrowing Context) {
    if context.isAndroid, armTransitions(now, context) { return }
    guard process.receivesMotion else { return }
    let coprocessor = MotionCoprocessor(seed: context.seed, profile: context.profile.motion)
    due[.motion] = coprocessor.recognised(segment.isMoving, at: now, phone: id)
  }

  /// AC5: Delivers the activity now if the app runs, otherwise when the app runs again.
  mutating func recogniseMotion(_ context: borrowing Context, _ out: inout Effects) {
    if context.isAndroid, tellTransition(context, &out) { return }
    guard process.receivesMotion else { return }
    guard process.mayRunCode else {
      pendingNotices.insert(.motion)
      return
    }
    notify(.motionActivity(motion(context)), context, &out)
  }
}
