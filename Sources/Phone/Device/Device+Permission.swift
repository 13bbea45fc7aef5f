internal import Core
internal import Scenarios

/// Handles the owner's answers to location prompts of the system, and changes of the permission in
/// Settings (AU12–AU16).
///
/// A second prompt, a reminder and the end of an Allow Once exclude each other and share `.consent`
/// in the calendar.
extension Device {
  // MARK: Always in the background

  /// AU12: Returns whether an app with Always may locate in the background now. If its Always is
  /// provisional, the second prompt waits for the next unlock from here on.
  ///
  /// AU13: The first use of Always after an answer starts the time to the next reminder.
  mutating func mayUseAlways(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) -> Bool {
    guard consent.contains(.provisional) else {
      if due[.consent] == .distantFuture, !consent.contains(.reminderIsLate) {
        awaitReminder(now, context)
      }
      return true
    }
    if !consent.contains(.promptWaits) {
      owner(&self, .consent(.secondPromptWaits), now)
      consent.insert(.promptWaits)
      due[.consent] = context.battery.unlock(after: now, .promptUnlock, phone: id)
    }
    return false
  }

  /// AU12: Keeps an event and its position until the second prompt is answered, if that is soon.
  mutating func keep(
    _ event: Consent, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard !event.isEmpty, due[.consent] - now <= context.rules.storedEventLife
    else { return }
    consent.insert(event)
    _ = coarseFix(now, context, owner)
  }

  /// AU12: Delivers the events that were kept for the second prompt, each with the last known
  /// position; of visits, an arrival is kept.
  private mutating func deliverKept(
    _ kept: Consent, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isChange = kept.contains(.keptChange)
    guard !kept.isEmpty, let known = lastKnown,
      wake(.location, continues: isChange, now, context, owner), process.hasManager
    else { return }
    let located = LocatedFix(fix: known, source: .cached)
    if kept.contains(.keptExit) {
      owner(&self, .located(located), now)
      notifyExit(cached: known, now, owner)
    }
    if isChange { deliver(located, .imprecise, now, owner) }
    if kept.contains(.keptArrival), services.reportedArrival < .distantFuture {
      owner(&self, .located(located), now)
      let visit = Visit(fix: known, arrival: services.reportedArrival, departure: .distantFuture)
      notify(.visit(visit), now, owner)
    }
  }

  private mutating func awaitReminder(_ now: SimInstant, _ context: borrowing Context) {
    let isFirst = !consent.contains(.reminded)
    guard let wait = context.rules.reminder(isFirst: isFirst) else { return }
    let at = context.battery.unlock(after: now + wait, .promptUnlock, phone: id)
    if at < context.permission.end {
      due[.consent] = at
    } else {
      consent.insert(.reminderIsLate)
    }
  }

  // MARK: Answers

  mutating func consentIsDue(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    if consent.contains(.once) { return endOnce(now, context, owner) }
    guard !isOff(at: now), battery.letsAppsRun else {
      // What waited is too old when the phone is unlocked at last.
      consent.subtract(.kept)
      let on = switchedOff.contains(now) ? switchedOff.end : now
      due[.consent] = context.battery.unlock(after: on, .promptUnlock, phone: id)
      return
    }
    if consent.contains(.promptWaits) {
      answerSecondPrompt(now, context, owner)
    } else if authorization == .always {
      answerReminder(now, context, owner)
    }
  }

  /// AU12: Keeps Always and delivers the waiting events to the app, or revokes Always.
  mutating func answerSecondPrompt(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    owner(&self, .consent(.secondPrompt(user)), now)
    let kept = consent.intersection(.kept)
    settle(as: user, now, context, owner)
    if authorization == .always { deliverKept(kept, now, context, owner) }
  }

  /// AU13: Keeps Always, or revokes it for good.
  private mutating func answerReminder(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isTakenBack = context.permission.takesBack(at: now, phone: id)
    owner(&self, .consent(.reminder(isTakenBack: isTakenBack)), now)
    consent.insert(.reminded)
    if isTakenBack { settle(as: .whenInUse, now, context, owner) }
  }

  mutating func settle(
    as new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    owner(&self, .silenceChanges, now)
    user = new
    consent.subtract([
      .promptAhead, .allowsOnce, .provisional, .promptWaits, .once, .reminderIsLate,
    ])
    consent.subtract(.kept)
    consent.insert(.askedForAlways)
    due[.consent] = .distantFuture
    changePermission(to: new, now, context, owner)
  }

  // MARK: Allow Once

  /// AU14: Starts the time after which the grant ends.
  mutating func outlast(_ now: SimInstant, _ context: borrowing Context) {
    guard let lapse = context.rules.onceLapse else { return }
    due[.consent] = now + lapse
  }

  private mutating func endOnce(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    if process.state == .foreground || serviceHoldsApp(context) {
      outlast(now, context)
    } else {
      lapseOnce(now, context, owner)
    }
  }

  /// AU14: Ends the grant; the app finds no answer at its next check.
  mutating func lapseOnce(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    owner(&self, .consent(.onceLapsed), now)
    consent.remove(.once)
    due[.consent] = .distantFuture
    changePermission(to: .notDetermined, now, context, owner)
  }

  // MARK: Installations

  /// LC16: Forgets the prompts and answers of a deleted app. The new installation asks for Always
  /// as if for the first time, and the owner's final answer is the same.
  mutating func forgetConsent() {
    let isAsked = consent.contains(.askedForAlways)
    consent.formIntersection([.promptAhead, .allowsOnce, .reduced])
    if isAsked, user == .always { consent.insert(.promptAhead) }
    due[.consent] = .distantFuture
  }

  // MARK: Settings

  /// AU16: Lets the owner decide anew in Settings, where the app is listed once it has asked.
  mutating func changeSettings(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    due[.settings] = context.permission.nextChange(after: now, phone: id)
    guard authorization != .notDetermined, !isOff(at: now), battery.letsAppsRun
    else { return }
    let (new, isReduced) = context.permission.decision(at: now, phone: id)
    decide(new, now, context, owner)
    setPrecise(!isReduced, now, context, owner)
  }

  /// AU16: Applies a permission chosen in Settings; the process may end with the change.
  mutating func decide(
    _ new: Authorization, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isOpen = !consent.isDisjoint(with: [.provisional, .once])
    guard new != authorization || isOpen else { return }
    owner(&self, .consent(.settings(new)), now)
    if context.rules.settingsEndApp { die(now, context, owner) }
    settle(as: new, now, context, owner)
  }

  /// AU15: Switches precise location on or off.
  mutating func setPrecise(
    _ isPrecise: Bool, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard isPrecise == consent.contains(.reduced) else { return }
    owner(&self, .consent(.precise(isPrecise)), now)
    consent.formSymmetricDifference(.reduced)
    if standard.isOn {
      haltStandard(now, context, owner)
      runStandard(now, context, owner)
    }
    armServices(now, context)
    reportAuthorization(now, owner)
  }
}
