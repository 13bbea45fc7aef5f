internal import Mobility
internal import Scenarios
package import SimulationCore
internal import Telemetry

// The standard service with its pause, and the motion coprocessor.

extension PhoneOS {
  mutating func startStandard(
    _ request: ServiceRequest, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    if !context.app.backgroundMode && request.allowsBackground {
      return crash(.backgroundModeMissing, now, owner)  // AU8
    }
    authorizeImplicitly(now, context, owner)
    // AU1: without authorization nothing happens, and nobody is told.
    switch authorization {
    case .always, .whenInUse: break
    case .denied, .notDetermined: return
    }
    let (accuracy, filter) = (standard.accuracy, standard.distanceFilterMeters)
    standard.configure(request, defers: context.profile.defersUpdates)
    if context.profile.pauseTrap == .recoverable { standard.isPaused = false }
    guard standard.isOn else { return runStandard(now, context, owner) }
    standard.keepsAppAlive = locatesInBackground(context) && process.mayContinue
    armPause(now, context)
    guard accuracy != request.accuracy || filter != standard.distanceFilterMeters else { return }
    // A fix that the old settings held back comes with the next second.
    noteDraw(now, context, owner)
    due[.standard] = max(
      standard.firstFixAt, max(now, turn.instant) + StandardService.interval)
  }

  /// AU4, AU9: in the background the standard service wants the background mode, and When In Use
  /// only goes on with what was begun in the foreground (AU7).
  @inline(__always) func locatesInBackground(_ context: borrowing Context) -> Bool {
    guard standard.allowsBackground, context.app.backgroundMode else { return false }
    switch authorization {
    case .always: return true
    case .whenInUse: return process.mayContinue
    case .denied, .notDetermined: return false
    }
  }

  /// AU7: a standard service that keeps its app running in the background, unless the system finds
  /// that it hides (iOS 16.4; rule book section 0).
  @inline(__always) func serviceHoldsApp(_ context: borrowing Context) -> Bool {
    guard standard.isOn, standard.keepsAppAlive else { return false }
    return !(context.profile.suspendsHiddenStandard && standardHides)
  }

  /// Beside significant changes, with a filter or an accuracy of 1 km and worse, and no indicator.
  /// When In Use always shows one, and has no significant changes.
  @inline(__always) private var standardHides: Bool {
    guard authorization == .always, services.significantChangeIsOn, !standard.showsIndicator else {
      return false
    }
    switch standard.accuracy {
    case .best, .tenMeters, .hundredMeters: return standard.distanceFilterMeters > 0
    case .kilometer, .threeKilometers: return true
    }
  }

  /// Looks for positions, if the app wants them and nothing forbids it.
  mutating func runStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isWanted, !standard.isPaused, process.mayRunCode,
      locatesInBackground(context) || process.state == .foreground
    else { return }
    guard !standard.isOn else { return }
    standard.keepsAppAlive = locatesInBackground(context) && process.mayContinue
    standard.isReduced = isImprecise(context)
    standard.run(
      now: now, lastKnown: lastKnown?.time.instant ?? .distantPast,
      surroundings: segment.surroundings(at: now), isAlone: airplane.contains(now),
      context.profile.firstFix, seed: context.seed, phone: id)
    due[.standard] = standard.firstFixAt
    if standard.asksSatellites { owner(&self, .satellitesUsed, now) }
    noteDraw(now, context, owner)
    armPause(now, context)
    offerOldPoint(now, context)
  }

  /// NO3: some starts begin with where the phone was last, however long ago. A position of a moment
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

  /// The system takes the position away; the app has not stopped asking.
  mutating func haltStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isOn else { return }
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

  /// A service that goes on meets the new segment.
  mutating func carryStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    let looksAgain = standard.surroundingsChanged(
      to: segment.surroundings(at: now), now: now, context.profile.firstFix, seed: context.seed,
      phone: id)
    if looksAgain { due[.standard] = standard.firstFixAt }
    armPause(now, context)
  }

  // MARK: Fixes

  /// The first fix is there, or a minute of fixes has piled up, or the limit of a deferral is
  /// reached: they were delivered on the way here.
  mutating func lookAtStandard(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn else { return }
    if standard.isSilenced {
      due[.standard] = .distantFuture  // New settings look again.
      return
    }
    due[.standard] = isDeferring ? deferredUntil(now) : now + context.pace
  }

  @inline(__always) private var isDeferring: Bool {
    standard.isDeferring && process.state == .background
  }

  /// DF1: whichever of time and distance comes first.
  private mutating func deferredUntil(_ now: SimInstant) -> SimInstant {
    let (meters, seconds) = standard.deferral
    let until = now + SimDuration(seconds: Double(seconds))
    let away = segment.exit(
      from: segment.position(at: now), radius: Double(meters), after: now)
    return min(until, away ?? until)
  }

  /// Delivers the standard service's fixes up to now, in one tight loop.
  ///
  /// - Parameters:
  ///   - slot: what happens now; most of it leaves deferred fixes where they are (DF1).
  ///   - memory: of the sighting before, whosever it was.
  package mutating func deliverFixes(
    upTo now: SimInstant, before slot: DueSlot, _ context: borrowing Context,
    _ memory: inout SightingMemory, _ owner: Owner
  ) {
    guard standard.isOn, standard.firstFixAt <= now else { return }
    let isDeferring = isDeferring
    if isDeferring && !slot.deliversDeferred { return }
    while let fix = standard.nextFix(
      upTo: now, segment: segment, maker: context.maker, phone: id, &memory)
    {
      lastKnown = fix
      deliver(fix, .standard, isDeferring ? now : standard.lastTick, owner)
    }
  }

  // MARK: The pause trap

  /// PT1: standing still pauses the service; the wait begins with the rest, or with the service.
  mutating func armPause(_ now: SimInstant, _ context: borrowing Context) {
    guard standard.isOn, standard.pausesAutomatically, process.state == .background,
      segment.isRest(for: standard.activityType)
    else {
      due[.pause] = .distantFuture
      return
    }
    if due[.pause] == .distantFuture { due[.pause] = now + context.profile.pauseAfter }
  }

  mutating func pauseStandard(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard standard.isOn else { return }
    haltStandard(now, context, owner)
    standard.isPaused = true
    notify(.standardPaused, now, owner)
  }

  // MARK: Motion activity

  /// AU10: without its sentence in Info.plist, or against its user's wish, an app hears nothing.
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

  /// AC5: told while the app runs, else when it runs again.
  mutating func recogniseMotion(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard process.receivesMotion else { return }
    guard process.mayRunCode else {
      pendingNotices.insert(.motion)
      return
    }
    let coprocessor = MotionCoprocessor(seed: context.seed, profile: context.profile.motion)
    notify(.motionActivity(coprocessor.activity(in: segment, phone: id)), now, owner)
  }
}
