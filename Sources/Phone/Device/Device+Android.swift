package import Core
package import Push
internal import Scenarios

// What only Android does: Doze, standby buckets, starts and stops, and locations in the background.

extension Device {
  @inline(__always) private static func rules(_ context: borrowing Context) -> AndroidRules? {
    context.profile.system.android
  }

  // MARK: Doze and buckets

  /// ADZ1–ADZ6: Returns what Doze lets the app do. Use and charger end Doze, motion ends deep Doze.
  func doze(at now: SimInstant, _ context: borrowing Context) -> Doze {
    guard let rules = Self.rules(context), !battery.isPlugged, process.state != .foreground else {
      return .awake(until: .distantFuture)
    }
    let use = context.battery.use
    let share = context.battery.screenShare(of: id)
    let last = use.last(notAfter: now, phone: id, screenShare: share)
    if last.contains(now) { return .awake(until: last.end) }
    var screenOff = max(last.end, AndroidState.instant(android.screenOffSecond))
    var next = use.next(after: now, phone: id, screenShare: share).start
    if hasAlarmClock(context, rules) {
      // ADZ10: The alarm clock keeps the phone awake before it rings, and then lights the screen.
      let (rang, rings) = use.rising(around: now, phone: id)
      if now >= rings - rules.alarmLead { return .awake(until: rings) }
      screenOff = max(screenOff, rang)
      next = min(next, rings - rules.alarmLead)
    }
    let doze = Doze.at(
      now, screenOff: screenOff, stillSince: segment.isMoving ? nil : segment.start,
      savesPower: rules.dozesQuickly && savesPower, rules)
    return Doze(depth: doze.depth, until: min(doze.until, next), isIdle: doze.isIdle)
  }

  /// ADZ10: Whether the owner gets up by an alarm clock of the phone.
  private func hasAlarmClock(
    _ context: borrowing Context, _ rules: borrowing AndroidRules
  ) -> Bool {
    var draw = Draw(seed: context.seed, phone: id.rawValue, .alarmClock)
    return draw.chance(rules.alarmClock)
  }

  /// ABT1: Whether Battery Saver is on. On a charger it has no effect.
  @inline(__always) var savesPower: Bool { battery.isInLowPowerMode && !battery.isPlugged }

  /// ADZ7, ABT2: Whether Doze or Battery Saver keeps the app from the network. In the foreground,
  /// beside a foreground service and with an exemption (ADZ8) neither does.
  @inline(__always) func lacksNetwork(at now: SimInstant, _ context: borrowing Context) -> Bool {
    guard let rules = Self.rules(context), process.state != .foreground, !android.hasService else {
      return false
    }
    return lacksNetwork(at: now, context, rules)
  }

  private func lacksNetwork(
    at now: SimInstant, _ context: borrowing Context, _ rules: borrowing AndroidRules
  ) -> Bool {
    // AFC2, ABL6, AAL2: Some seconds after certain wakes the network is open.
    let grace = process.backgroundSince + context.rules.wakeGrace
    if android.flags.contains(.allowed), now < grace { return false }
    if isExempt(context, rules) { return false }
    // AFC12: Without such a wake an app that its owner has restricted has no network.
    return isRestricted(context, rules) || savesPower || doze(at: now, context).isIdle
  }

  /// ASB1–ASB4: A foreground service or an exemption keeps the app active, and on a charger only
  /// the bucket 'restricted' has limits.
  func bucket(
    at now: SimInstant, _ context: borrowing Context, _ rules: borrowing AndroidRules
  ) -> StandbyBucket {
    if android.hasService { return .active }
    if isExempt(context, rules) { return .active }
    let bucket = StandbyBucket(unopenedFor: now - pushes.openedAt, rules)
    return battery.isPlugged && bucket < .restricted ? .active : bucket
  }

  /// ADZ8: Whether the app asked for an exemption from battery optimisation and got it.
  func isExempt(
    _ context: borrowing Context, _ rules: borrowing AndroidRules
  ) -> Bool {
    guard context.policy.settings.android.asksExemption else { return false }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .batteryExemption)
    return draw.chance(rules.exempt)
  }

  /// ALC5, AOE2, AHI2, ABT5: Whether nothing reaches the app until its owner opens it. AOE3: The
  /// makers of some phones let nothing start an app that has ended.
  func isStopped(at now: SimInstant, _ context: borrowing Context) -> Bool {
    guard let rules = Self.rules(context), process.state != .foreground else { return false }
    if process.isForceQuit || now >= stopsAt(rules) || isStoppedBySaver(context, rules) {
      return true
    }
    guard process.state == .notRunning else { return false }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .autoStart)
    return !draw.chance(rules.startsItself)
  }

  /// ABT5: Whether the owner uses the maker's own saver in place of Battery Saver, which is on.
  func isStoppedBySaver(
    _ context: borrowing Context, _ rules: borrowing AndroidRules
  ) -> Bool {
    guard savesPower, rules.extremeSaver > 0 else { return false }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .extremeSaver)
    return draw.chance(rules.extremeSaver)
  }

  /// ASB6: Whether the owner has set the app's battery use to Restricted, which excludes an exemption.
  func isRestricted(_ context: borrowing Context, _ rules: borrowing AndroidRules) -> Bool {
    guard rules.ownerRestricts > 0, !isExempt(context, rules) else { return false }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .ownerRestricts)
    return draw.chance(rules.ownerRestricts)
  }

  /// AOE2, AHI2: Returns when the phone stops an app that its owner does not open.
  func stopsAt(_ rules: borrowing AndroidRules) -> SimInstant {
    rules.stoppedAfter.map { pushes.openedAt + $0 } ?? .distantFuture
  }

  /// APM9, ANW2, ANW3, AGF7: Notes what the phone lacks, which stays the same.
  mutating func missParts(_ rules: borrowing AndroidRules, _ context: borrowing Context) {
    var draw = Draw(seed: context.seed, phone: id.rawValue, .missingParts)
    if draw.chance(rules.locationOff) { android.flags.insert(.locationOff) }
    if draw.chance(rules.withoutPlay) { android.flags.insert(.withoutPlay) }
    if draw.chance(rules.accuracyOff) { android.flags.insert(.accuracyOff) }
    if draw.chance(rules.savesData) { android.flags.insert(.savesData) }
  }

  /// ANW2: Whether Data Saver keeps the app from sending over cellular. An app in the foreground
  /// and one with a foreground service may send.
  @inline(__always) var savesData: Bool {
    android.flags.contains(.savesData) && process.state != .foreground && !android.hasService
  }

  /// AGF7: Whether the phone can learn that it crossed a fence.
  @inline(__always) func seesFences(at now: SimInstant) -> Bool {
    !android.flags.contains(.accuracyOff) || isLocating(at: now) && standard.asksSatellites
  }

  /// AGF5: Returns the time that the phone must stay in a place before its entry is told.
  @inline(__always) func loitering(_ context: borrowing Context) -> SimDuration {
    context.isAndroid ? context.policy.settings.android.loitering ?? .zero : .zero
  }

  /// AGF5: Whether a fence that is set tells at once that the phone is inside.
  @inline(__always) func hasInitialTrigger(_ context: borrowing Context) -> Bool {
    context.isAndroid && context.policy.settings.android.initialTrigger
  }

  // MARK: Starts and stops

  /// ABO2, ALC10: Schedules a start of the app, if its policy asks for one after the phone's start
  /// and updates.
  mutating func startLater(_ now: SimInstant, _ context: borrowing Context) {
    startLater(now, if: context.policy.settings.android.startsOnBoot, context)
  }

  mutating func startLater(
    _ now: SimInstant, if asks: Bool, _ context: borrowing Context
  ) {
    guard asks, let rules = Self.rules(context), process.state == .notRunning else { return }
    due[.process] = now + rules.restartAfter
  }

  /// LC11, ALC5: Stops the app until its owner opens it.
  mutating func forceStop(_ context: borrowing Context, _ out: inout Effects) {
    process.isForceQuit = true
    if let rules = Self.rules(context) {
      loseAlarm(context)
      if rules.forceStopForgets { forgetRequests() }
    }
    cancelTransfer(&out)
    die(context, &out)
    discardHeldPush(context, &out)
  }

  /// ALC6: Removes what the app has asked the system for.
  private mutating func forgetRequests() {
    stopMonitoringRegion()
    stopMonitoringPlaces()
    forgetTransitions()
    due[.background] = .distantFuture
  }

  /// AGF6, ABO3: Removes the app's fences and its alarm (AAL1) at a start of the phone.
  mutating func loseFences(_ context: borrowing Context) {
    guard context.isAndroid else { return }
    loseAlarm(context)
    stopMonitoringRegion()
    stopMonitoringPlaces()
    android.hasService = false
    forgetTransitions()
  }

  // MARK: Permission

  /// APM1: Whether the one prompt of the system includes the background.
  private func asksOnce(_ context: borrowing Context) -> Bool {
    Self.rules(context)?.asksOnce == true
  }

  /// APM1: Returns what the system asks its owner for.
  func asked(
    _ request: AuthorizationRequest, _ context: borrowing Context
  ) -> AuthorizationRequest {
    request != .nothing && asksOnce(context) ? .always : request
  }

  /// APM1: Returns what the owner's answer permits.
  func permitted(_ answer: Authorization, _ context: borrowing Context) -> Authorization {
    answer == .whenInUse && asksOnce(context) ? .always : answer
  }

  /// APM8: Whether the owner must permit the policy's sign of motion: activity transitions from
  /// Android 10 on, the significant-motion sensor never.
  func needsMotionPermission(_ context: borrowing Context) -> Bool {
    guard let rules = Self.rules(context) else { return true }
    switch context.policy.settings.android.motion {
    case .off, .transitions: return rules.asksActivity
    case .sensor: return false
    }
  }

  // MARK: Locations in the background

  /// ABL1, ABL5, ABT3, ASB6: Whether the system gives an app in the background a location now.
  func mayLocateInBackground(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    guard let rules = Self.rules(context), authorization == .always, servicesRun(at: now),
      !isRestricted(context, rules)
    else { return false }
    let isSaving = savesPower && !android.hasService
    return !isSaving
      && now - AndroidState.instant(android.locatedSecond) >= rules.backgroundEvery
  }

  mutating func locateInBackground(
    _ batch: SimDuration?, _ context: borrowing Context, _ out: inout Effects
  ) {
    let last = AndroidState.instant(android.locatedSecond)
    android.locatedSecond = AndroidState.second(out.now)
    if let batch { deliverBatch(each: batch, since: last, context, &out) }
    deliver(wakeFix(context, &out), .imprecise, context, &out)
  }

  /// ABL2: Delivers the positions since the last location, of one period at most.
  private mutating func deliverBatch(
    each interval: SimDuration, since last: SimInstant, _ context: borrowing Context,
    _ out: inout Effects
  ) {
    guard let rules = Self.rules(context) else { return }
    var then = max(last, out.now - rules.backgroundEvery) + interval
    while then < out.now {
      let segment = then >= segment.start ? segment : context.course.segment(of: id, at: then)
      out.emit(.scanned)
      battery.charge -= bill(.scan, context, &out)
      var located = coarseFix(at: then, segment, context)
      located.truth = segment.position(at: then)
      deliver(located, .imprecise, context, &out)
      then += interval
    }
  }

  /// ABL1: Schedules the next location that the system computes for an app in the background.
  mutating func armBackground(_ now: SimInstant, _ context: borrowing Context) {
    guard let rules = Self.rules(context), context.policy.settings.android.backgroundLocations
    else { return }
    due[.background] =
      max(now + .seconds(1), AndroidState.instant(android.locatedSecond) + rules.backgroundEvery)
  }

  /// ABL3, ABL6: Delivers a location, for which the app is started. A phone that has not moved
  /// since the last one gets none.
  mutating func backgroundIsDue(_ context: borrowing Context, _ out: inout Effects) {
    // The settings may have changed since.
    guard let rules = Self.rules(context), context.policy.settings.android.backgroundLocations
    else { return }
    let last = AndroidState.instant(android.locatedSecond)
    due[.background] = out.now + rules.backgroundEvery
    guard segment.isMoving || segment.start > last, !android.hasService,
      process.state != .foreground, mayLocateInBackground(out.now, context),
      wake(.location, context, &out)
    else { return }
    locateInBackground(context.policy.settings.android.batch, context, &out)
  }

  // MARK: Pushes

  /// AFC1–AFC4, ABT4: Returns why the phone takes no push of this manner now, and until when; nil if
  /// it takes them. In Doze, normal pushes wait for a window or for use of the phone.
  package func restriction(
    _ now: SimInstant, _ manner: PushManner, _ context: borrowing Context
  ) -> (gate: StorageGate, until: SimInstant)? {
    guard context.isAndroid else {
      let until = context.push.restrictedUntil(now, phone: id, manner)
      return until.map { (gate: .restricted, until: $0) }
    }
    guard let gate = gateInDoze(manner, at: now, context) else { return nil }
    let doze = doze(at: now, context)
    return doze.isIdle ? (gate, doze.until) : nil
  }

  /// AFC2–AFC4: Whether a push of this manner has high priority on this phone now.
  func isUrgent(
    _ manner: PushManner, at now: SimInstant, _ context: borrowing Context
  ) -> Bool { gateInDoze(manner, at: now, context) == nil }

  /// Returns why Doze would keep a push of this manner from the phone now; nil if it would not.
  private func gateInDoze(
    _ manner: PushManner, at now: SimInstant, _ context: borrowing Context
  ) -> StorageGate? {
    guard let rules = Self.rules(context), context.push.request.isHigh(manner) else { return .doze }
    if context.rules.isAlert(context.push.request(manner).kind) { return nil }
    // AFC4: Each installation is judged by itself.
    var draw = Draw(seed: context.seed, phone: id.rawValue, .loweredPushes)
    if draw.chance(rules.lowered) { return .deprioritized }
    guard let most = bucket(at: now, context, rules).pushes(rules),
      (Self.day(now) == android.pushDay ? android.pushes : 0) >= most
    else { return nil }
    return .bucketQuota
  }

  /// AFC14: Returns until when the job in which the app answers a push has to wait for Doze; nil if it
  /// runs at once.
  func jobsWait(at now: SimInstant, _ context: borrowing Context) -> SimInstant? {
    guard context.isAndroid, context.policy.settings.android.pushJobs else { return nil }
    let doze = doze(at: now, context)
    return doze.isIdle ? doze.until : nil
  }

  /// AFC5: Runs the app to tell that messages to it were discarded; it sends what it has.
  mutating func noteDiscarded(_ context: borrowing Context, _ out: inout Effects) {
    pushes.manner = PushManner(.background, priority: 5, asksToRun: true)
    guard !battery.isLocked else { return }
    let runs = process.mayRunCode
    guard wake(.push, context, &out) else { return }
    if !runs { pushes.beginRun(now: out.now) }
    upload.isRegistered = false
    notify(.messagesDiscarded(cached: lastKnown), context, &out)
  }

  /// AFC3: Counts a high-priority push.
  mutating func countPush(_ now: SimInstant, _ context: borrowing Context) {
    guard context.isAndroid, context.push.request.isHigh(pushes.manner) else { return }
    if android.pushDay != Self.day(now) { (android.pushDay, android.pushes) = (Self.day(now), 0) }
    if android.pushes < .max { android.pushes += 1 }
  }

  private static func day(_ now: SimInstant) -> UInt16 {
    UInt16(truncatingIfNeeded: now.microseconds / SimDuration.hours(24).microseconds)
  }
}
