internal import Mobility
internal import Scenarios
internal import SimulationCore
internal import Telemetry

// What passes between the system and its app: callbacks, commands, permission, mistakes.

extension PhoneOS {
  // MARK: Callbacks

  /// LC1: an app that does not run hears nothing.
  mutating func notify(_ event: OSEvent, _ now: SimInstant, _ owner: Owner) {
    guard process.mayRunCode else { return }
    owner(&self, .notify(event), now)
  }

  mutating func deliver(
    _ fix: Fix, _ manager: Manager, _ now: SimInstant, _ owner: Owner
  ) {
    owner(&self, .located(fix), now)
    notify(.location(fix, manager), now, owner)
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
    case .setTimer(let timer, let at):
      // A fix that is evaluated late may ask for an instant that is over.
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

  /// AU1–AU3, AU6: the prompt, if one is shown, is answered at once.
  private mutating func requestAuthorization(
    _ request: AuthorizationRequest, _ now: SimInstant, _ context: borrowing Context,
    _ owner: Owner
  ) {
    let answer = Permission.answer(
      to: request, current: authorization, app: context.app, os: context.profile, user: user,
      isProvisional: traits.contains(.provisional))
    guard let answer else { return }
    authorize(answer, now, context, owner)
    turn.answers.insert(.authorization)
  }

  /// iOS 7: the first start of any service asks by itself.
  mutating func authorizeImplicitly(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let answer = Permission.implicitAnswer(
      current: authorization, os: context.profile, user: user)
    guard let answer else { return }
    authorize(answer, now, context, owner)
    turn.answers.insert(.authorization)
  }

  /// The owner changes his mind in Settings (AU6), or at the second prompt.
  mutating func changePermission(
    to new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard new != authorization else { return }
    authorize(new, now, context, owner)
    if process.mayRunCode {
      notify(.authorizationChanged(new), now, owner)
    } else {
      pendingNotices.insert(.authorization)
    }
  }

  private mutating func authorize(
    _ new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    owner(&self, .willChangePermission, now)
    authorization = new
    owner(&self, .permission(new), now)
    switch new {
    case .notDetermined, .denied: haltStandard(now, context, owner)
    case .whenInUse, .always:
      if process.state == .background, !locatesInBackground(context) {
        haltStandard(now, context, owner)
      }
    }
    if new == .always, services.significantChangeIsOn {
      // What it asked for in vain begins now.
      services.startSignificantChange(at: segment.position(at: now), now: now)
      if process.mayRunCode { turn.answers.insert(.cachedChange) }
    }
    armServices(now, context)
  }

  /// Rule book 2.1: the first event in the background raises the second prompt. False: Always is
  /// taken back, and the event is lost.
  mutating func survivesSecondPrompt(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) -> Bool {
    guard authorization == .always, user == .whenInUse, context.profile.hasProvisionalAlways
    else { return true }
    changePermission(to: .whenInUse, now, context, owner)
    return false
  }

  // MARK: Mistakes

  /// The app ends by its own fault, when the commands of this callback are performed.
  mutating func crash(_ reason: CrashReason, _ now: SimInstant, _ owner: Owner) {
    owner(&self, .crashed(reason), now)
    turn.answers.insert(.crash)
  }

  /// LC6: ten seconds across a change of state; LC3: a wake without a background task is over when
  /// its grace is.
  private mutating func blockMainThread(
    _ time: SimDuration, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isHeld = serviceHoldsApp(context)
    let isBareWake =
      process.state == .background && process.openBackgroundTasks == 0 && !isHeld
    let isTooLong =
      turn.isChangingState
      ? time > context.profile.watchdog : time > context.profile.wakeGrace && isBareWake
    if isTooLong { crash(.watchdog, now, owner) }
  }

  // MARK: Answers

  /// The system's answers to the commands of a callback.
  mutating func follow(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard !turn.answers.isEmpty else { return }
    let answers = turn.answers
    turn.answers = []
    if answers.contains(.crash) { return kill(now, context, owner) }
    if answers.contains(.authorization) {
      notify(.authorizationChanged(authorization), now, owner)
    }
    if answers.contains(.cachedChange) { deliverCachedChange(now, context, owner) }
    if answers.contains(.cachedStandard), let old = lastKnown {
      deliver(old, .standard, now, owner)
    }
  }

  /// SL5: where the phone was when it last knew, with that instant's timestamp.
  private mutating func deliverCachedChange(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard authorization == .always, services.significantChangeIsOn else { return }
    let age = services.cachedAge(
      at: now, context.significantChange, seed: context.seed, phone: id)
    let then = now - age
    if let known = lastKnown, known.time.instant >= then {
      return deliver(known, .imprecise, now, owner)
    }
    guard then >= segment.start else { return owner(&self, .recallsSegment(at: then), now) }
    recall(segment, then, now, context, owner)
  }

  mutating func recall(
    _ segment: Segment, _ then: SimInstant, _ now: SimInstant, _ context: borrowing Context,
    _ owner: Owner
  ) {
    deliver(coarseFix(at: then, segment, context), .imprecise, now, owner)
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
