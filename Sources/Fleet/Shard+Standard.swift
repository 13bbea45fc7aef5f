internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// The standard service and the motion coprocessor, as the system runs them.
extension Shard {
  mutating func startStandard(_ i: Int, _ request: ServiceRequest, now: SimInstant) {
    let cohort = Int(phones[i].cohort)
    if request.allowsBackground && !context.app(Int(phones[i].policy)).backgroundMode {
      return crash(i, .backgroundModeMissing, now: now)  // AU8
    }
    authorizeImplicitly(i, now: now)
    // AU1: without authorization nothing happens, and nobody is told.
    switch phones[i].authorization {
    case .always, .whenInUse: break
    case .denied, .notDetermined: return
    }
    let os = context.os(cohort)
    let (accuracy, filter) = (
      phones[i].standard.accuracy, phones[i].standard.distanceFilterMeters
    )
    phones[i].standard.configure(request, defers: os.defersUpdates)
    if os.pauseTrap == .recoverable { phones[i].standard.isPaused = false }
    guard phones[i].standard.isOn else { return runStandard(i, now: now) }
    phones[i].standard.keepsAppAlive =
      locatesInBackground(i) && phones[i].process.mayContinue
    armPause(i, now: now)
    guard
      accuracy != request.accuracy || filter != phones[i].standard.distanceFilterMeters
    else { return }
    // A fix that the old settings held back comes with the next second.
    noteDraw(i, now: now)
    phones[i].due[.standard] = max(
      phones[i].standard.firstFixAt, max(now, eventInstant) + StandardService.interval)
  }

  /// AU4, AU9: in the background the standard service wants the background mode, and When In Use
  /// only goes on with what was begun in the foreground (AU7).
  func locatesInBackground(_ i: Int) -> Bool {
    guard phones[i].standard.allowsBackground, context.app(Int(phones[i].policy)).backgroundMode
    else {
      return false
    }
    switch phones[i].authorization {
    case .always: return true
    case .whenInUse: return phones[i].process.mayContinue
    case .denied, .notDetermined: return false
    }
  }

  /// Looks for positions, if the app wants them and nothing forbids it.
  mutating func runStandard(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isWanted, !phones[i].standard.isPaused, phones[i].process.mayRunCode,
      phones[i].process.state == .foreground || locatesInBackground(i)
    else { return }
    guard !phones[i].standard.isOn else { return }
    phones[i].standard.keepsAppAlive = locatesInBackground(i) && phones[i].process.mayContinue
    let os = context.os(Int(phones[i].cohort))
    phones[i].standard.isReduced = os.hasReducedAccuracy && phones[i].traits.contains(.imprecise)
    phones[i].standard.run(
      now: now, lastKnown: phones[i].lastKnown?.time.instant ?? .distantPast,
      surroundings: phones[i].segment.surroundings(at: now),
      isAlone: phones[i].airplane.contains(now),
      seed: context.scenario.seed, phone: phones[i].id)
    phones[i].due[.standard] = phones[i].standard.firstFixAt
    if phones[i].standard.asksSatellites { phones[i].pushes.usedSatellites = true }
    noteDraw(i, now: now)
    armPause(i, now: now)
    offerOldPoint(i, now: now)
  }

  /// NO3: three starts in ten begin with where the phone was last, however long ago (A). A position
  /// of the last 15 s counts as new (rule book 2.1, Apple's sample).
  private mutating func offerOldPoint(_ i: Int, now: SimInstant) {
    guard let old = phones[i].lastKnown, now - old.time.instant > .seconds(15),
      !aftermath.contains(.crash), !given.contains(.cachedStandard)
    else { return }
    var draw = Draw(
      seed: context.scenario.seed, phone: phones[i].id.rawValue, .oldPoint, now.microseconds)
    guard draw.chance(0.3) else { return }
    given.insert(.cachedStandard)
    aftermath.insert(.cachedStandard)
  }

  /// The system takes the position away; the app has not stopped asking.
  mutating func haltStandard(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    let heldApp = phones[i].serviceHoldsApp(context.os(Int(phones[i].cohort)))
    phones[i].standard.halt()
    noteDraw(i, now: now)
    phones[i].due[.standard] = .distantFuture
    phones[i].due[.pause] = .distantFuture
    if heldApp { phones[i].process.locationSessionEnded(now: now) }
  }

  mutating func stopStandard(_ i: Int, now: SimInstant) {
    haltStandard(i, now: now)
    phones[i].standard.stop()
  }

  /// A service that goes on meets the new segment.
  mutating func carryStandard(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    let looksAgain = phones[i].standard.surroundingsChanged(
      to: phones[i].segment.surroundings(at: now), now: now, seed: context.scenario.seed,
      phone: phones[i].id)
    if looksAgain { phones[i].due[.standard] = phones[i].standard.firstFixAt }
    armPause(i, now: now)
  }

  // MARK: Fixes

  /// The first fix is there, or a minute of fixes has piled up, or the limit of a deferral is
  /// reached: they were delivered on the way here.
  mutating func standardDue(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    if phones[i].standard.isSilenced {
      phones[i].due[.standard] = .distantFuture  // New settings look again.
      return
    }
    phones[i].due[.standard] =
      isDeferring(i) ? deferredUntil(i, now: now) : now + context.pace(Int(phones[i].policy))
  }

  private func isDeferring(_ i: Int) -> Bool {
    phones[i].standard.isDeferring && phones[i].process.state == .background
  }

  /// DF1: whichever of time and distance comes first.
  private func deferredUntil(_ i: Int, now: SimInstant) -> SimInstant {
    let (meters, seconds) = phones[i].standard.deferral
    let until = now + SimDuration(seconds: Double(seconds))
    let away = phones[i].segment.exit(
      from: phones[i].segment.position(at: now), radius: Double(meters), after: now)
    return min(until, away ?? until)
  }

  /// Evaluates the fixes up to now in one tight loop.
  ///
  /// - Parameter slot: what happens now; most of it leaves deferred fixes where they are (DF1).
  mutating func deliverStandardFixes(
    _ i: Int, upTo now: SimInstant, before slot: DueSlot = .standard
  ) {
    guard phones[i].standard.isOn, phones[i].standard.firstFixAt <= now else { return }
    let isDeferring = isDeferring(i)
    if isDeferring && !slot.deliversDeferred { return }
    let maker = fixMaker(i)
    while let fix = phones[i].standard.nextFix(
      upTo: now, segment: phones[i].segment, maker: maker, phone: phones[i].id, &memory)
    {
      phones[i].lastKnown = fix
      deliver(i, fix, .standard, now: isDeferring ? now : phones[i].standard.lastTick)
    }
  }

  // MARK: The pause trap

  /// PT1: standing still pauses the service; the wait begins with the rest, or with the service.
  mutating func armPause(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn, phones[i].standard.pausesAutomatically,
      phones[i].process.state == .background,
      phones[i].segment.isRest(for: phones[i].standard.activityType)
    else {
      phones[i].due[.pause] = .distantFuture
      return
    }
    if phones[i].due[.pause] == .distantFuture {
      phones[i].due[.pause] = now + context.os(Int(phones[i].cohort)).pauseAfter
    }
  }

  mutating func pauseStandard(_ i: Int, now: SimInstant) {
    guard phones[i].standard.isOn else { return }
    haltStandard(i, now: now)
    phones[i].standard.isPaused = true
    tell(i, .standardPaused, now: now)
  }

  // MARK: Motion activity

  /// AU10: without its sentence in Info.plist, or against its user's wish, an app hears nothing.
  mutating func startMotion(_ i: Int, now: SimInstant) {
    guard context.app(Int(phones[i].policy)).motionDescription,
      !phones[i].traits.contains(.motionDenied)
    else { return }
    phones[i].process.hearsMotion = true
    armMotion(i, from: now)
  }

  mutating func armMotion(_ i: Int, from begin: SimInstant) {
    guard phones[i].process.hearsMotion else { return }
    let coprocessor = MotionCoprocessor(seed: context.scenario.seed)
    phones[i].due[.motion] = coprocessor.recognised(at: begin, phone: phones[i].id)
  }

  /// AC5: told while the app runs, else when it runs again.
  mutating func motionRecognised(_ i: Int, now: SimInstant) {
    guard phones[i].process.hearsMotion else { return }
    guard phones[i].process.mayRunCode else {
      phones[i].unheard.insert(.motion)
      return
    }
    let coprocessor = MotionCoprocessor(seed: context.scenario.seed)
    let activity = coprocessor.activity(in: phones[i].segment, phone: phones[i].id)
    tell(i, .motionActivity(activity), now: now)
  }
}
