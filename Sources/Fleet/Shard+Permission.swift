internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// What follows an app's command once all commands of its event are performed: the system answers
/// in a callback of its own, never in the middle of the app's.
struct Aftermath: OptionSet {
  let rawValue: UInt8
  /// The owner answered the prompt.
  static let authorization = Aftermath(rawValue: 1)
  /// SL5: starting the significant changes brings a cached position.
  static let cachedChange = Aftermath(rawValue: 2)
  /// NO3: so may starting the standard service.
  static let cachedStandard = Aftermath(rawValue: 4)
  static let crash = Aftermath(rawValue: 8)
}

/// Permission, mistakes that kill, and what the system answers to commands.
extension Shard {
  // MARK: Permission

  /// AU1–AU3, AU6: the prompt, if one is shown, is answered at once.
  mutating func requestAuthorization(_ i: Int, _ request: AuthorizationRequest, now: SimInstant) {
    let answer = Permission.answer(
      to: request, standing: phones[i].authorization, app: context.app(Int(phones[i].policy)),
      os: context.os(Int(phones[i].cohort)), user: phones[i].user,
      isProvisional: phones[i].traits.contains(.provisional))
    guard let answer else { return }
    authorize(i, answer, now: now)
    aftermath.insert(.authorization)
  }

  /// iOS 7: the first start of any service asks by itself.
  mutating func authorizeImplicitly(_ i: Int, now: SimInstant) {
    let answer = Permission.implicitAnswer(
      standing: phones[i].authorization, os: context.os(Int(phones[i].cohort)),
      user: phones[i].user)
    guard let answer else { return }
    authorize(i, answer, now: now)
    aftermath.insert(.authorization)
  }

  /// The owner changes his mind in Settings (AU6), or at the second prompt.
  mutating func authorizationChanges(_ i: Int, to new: Authorization, now: SimInstant) {
    guard new != phones[i].authorization else { return }
    authorize(i, new, now: now)
    if phones[i].process.mayRunCode {
      tell(i, .authorizationChanged(new), now: now)
    } else {
      phones[i].unheard.insert(.authorization)
    }
  }

  private mutating func authorize(_ i: Int, _ new: Authorization, now: SimInstant) {
    account(i, upTo: now)
    phones[i].authorization = new
    // The server hears of it with the next upload.
    phones[i].upload.isRegistered = false
    trace(i, at: now, .authorized(new))
    switch new {
    case .notDetermined, .denied: haltStandard(i, now: now)
    case .whenInUse, .always:
      if phones[i].process.state == .background, !locatesInBackground(i) {
        haltStandard(i, now: now)
      }
    }
    if new == .always, phones[i].services.significantChangeIsOn {
      // What it asked for in vain begins now.
      phones[i].services.startSignificantChange(
        at: phones[i].segment.position(at: now), now: now)
      if phones[i].process.mayRunCode { aftermath.insert(.cachedChange) }
    }
    armServices(i, now: now)
  }

  /// Rule book 2.1: the first event in the background raises the second prompt. False: Always is
  /// taken back, and the event is lost.
  mutating func survivesSecondPrompt(_ i: Int, now: SimInstant) -> Bool {
    guard phones[i].authorization == .always, phones[i].user == .whenInUse,
      context.os(Int(phones[i].cohort)).hasProvisionalAlways
    else { return true }
    authorizationChanges(i, to: .whenInUse, now: now)
    return false
  }

  // MARK: Mistakes

  /// The app ends by its own fault, when the commands of this event are performed.
  mutating func crash(_ i: Int, _ reason: CrashReason, now: SimInstant) {
    trace(i, at: now, .crashed(reason))
    aftermath.insert(.crash)
  }

  /// LC6: ten seconds across a change of state; LC3: a wake without a background task is over when
  /// its grace is.
  mutating func blockMainThread(_ i: Int, _ time: SimDuration, now: SimInstant) {
    let os = context.os(Int(phones[i].cohort))
    let isBareWake =
      phones[i].process.state == .background && phones[i].process.openBackgroundTasks == 0
      && !phones[i].serviceHoldsApp(os)
    let isTooLong =
      time > os.watchdog && isChangingState || time > os.wakeGrace && isBareWake && !isChangingState
    if isTooLong { crash(i, .watchdog, now: now) }
  }

  mutating func kill(_ i: Int, now: SimInstant) {
    guard phones[i].process.state != .notRunning else { return }
    figures.kills += 1
    pushWakeEnded(i, crashed: true, now: now)
    die(i, now: now)
  }

  // MARK: Aftermath

  /// The system's answers to the commands of an event.
  mutating func follow(_ i: Int, now: SimInstant) {
    guard !aftermath.isEmpty else { return }
    let due = aftermath
    aftermath = []
    if due.contains(.crash) { return kill(i, now: now) }
    if due.contains(.authorization) {
      tell(i, .authorizationChanged(phones[i].authorization), now: now)
    }
    if due.contains(.cachedChange) { deliverCachedChange(i, now: now) }
    if due.contains(.cachedStandard), let old = phones[i].lastKnown {
      deliver(i, old, .standard, now: now)
    }
  }

  /// SL5: where the phone was when it last knew, with that instant's timestamp.
  private mutating func deliverCachedChange(_ i: Int, now: SimInstant) {
    guard phones[i].authorization == .always, phones[i].services.significantChangeIsOn else {
      return
    }
    let cohort = Int(phones[i].cohort)
    let age = phones[i].services.cachedAge(
      at: now, context.significantChange(cohort), seed: context.scenario.seed,
      phone: phones[i].id)
    let then = now - age
    if let known = phones[i].lastKnown, known.time.instant >= then {
      return deliver(i, known, .imprecise, now: now)
    }
    let segment =
      then >= phones[i].segment.start
      ? phones[i].segment : context.segment(of: phones[i].id, cohort: cohort, at: then)
    deliver(i, coarseFix(i, at: then, segment), .imprecise, now: now)
  }
}
