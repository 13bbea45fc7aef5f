internal import Core
internal import Scenarios

/// Handles the owner's answers to location prompts of the system, and changes of the permission in
/// Settings (AU12–AU16).
///
/// A second prompt, a reminder and the end of an Allow Once exclude each other and share the
/// calendar slot `.consent`.
extension Device {
  private mutating func note(
    _ step: ConsentStep, _ context: borrowing Context, _ out: inout Effects
  ) {
    account(context, &out)
    out.emit(.consent(step))
  }

  // MARK: Always in the background

  /// AU12: Returns whether an app with Always may locate in the background now. If its Always is
  /// provisional, the first call schedules the second prompt for the next unlock.
  ///
  /// AU13: The first use of Always after an answer starts the time to the next reminder.
  mutating func mayUseAlways(_ context: borrowing Context, _ out: inout Effects) -> Bool {
    guard consent.contains(.provisional) else {
      if due[.consent] == .distantFuture, !consent.contains(.reminderIsLate) {
        awaitReminder(out.now, context)
      }
      return true
    }
    if !consent.contains(.promptWaits) {
      note(.secondPromptWaits, context, &out)
      consent.insert(.promptWaits)
      due[.consent] = context.battery.unlock(after: out.now, .promptUnlock, phone: id)
    }
    return false
  }

  /// AU12: Keeps an event and its position for the second prompt, if the prompt is due soon.
  mutating func keep(_ event: Consent, _ context: borrowing Context, _ out: inout Effects) {
    guard !event.isEmpty, due[.consent] - out.now <= context.rules.storedEventLife else { return }
    consent.insert(event)
    _ = coarseFix(context, &out)
  }

  /// AU12: Delivers the events that were kept for the second prompt, each with the last known
  /// position. Of visits, only an arrival is kept.
  private mutating func deliverKept(
    _ kept: Consent, _ context: borrowing Context, _ out: inout Effects
  ) {
    let isChange = kept.contains(.keptChange)
    guard !kept.isEmpty, let known = lastKnown,
      wake(.location, continues: isChange, context, &out), process.hasManager
    else { return }
    let located = LocatedFix(fix: known, source: .cached)
    if kept.contains(.keptExit) {
      note(located, &out)
      notifyExit(cached: known, context, &out)
    }
    if isChange { deliver(located, .imprecise, context, &out) }
    if kept.contains(.keptArrival), services.reportedArrival < .distantFuture {
      note(located, &out)
      let visit = Visit(fix: known, arrival: services.reportedArrival, departure: .distantFuture)
      notify(.visit(visit), context, &out)
    }
  }

  private mutating func awaitReminder(_ now: SimInstant, _ context: borrowing Context) {
    let isFirst = !consent.contains(.reminded)
    // APM6: Android reminds once.
    if context.isAndroid, !isFirst { return }
    guard let wait = context.rules.reminder(isFirst: isFirst) else { return }
    let at = context.battery.unlock(after: now + wait, .promptUnlock, phone: id)
    if at < context.permission.end {
      due[.consent] = at
    } else {
      consent.insert(.reminderIsLate)
    }
  }

  // MARK: Answers

  mutating func consentIsDue(_ context: borrowing Context, _ out: inout Effects) {
    if consent.contains(.once) { return endOnce(context, &out) }
    guard !isOff(at: out.now), battery.letsAppsRun else {
      // Kept events are too old when the phone is finally unlocked.
      consent.subtract(.kept)
      let on = switchedOff.contains(out.now) ? switchedOff.end : out.now
      due[.consent] = context.battery.unlock(after: on, .promptUnlock, phone: id)
      return
    }
    if consent.contains(.promptWaits) {
      answerSecondPrompt(context, &out)
    } else if authorization == .always {
      answerReminder(context, &out)
    }
  }

  /// AU12: Keeps Always and delivers the waiting events to the app, or revokes Always.
  mutating func answerSecondPrompt(_ context: borrowing Context, _ out: inout Effects) {
    note(.secondPrompt(user), context, &out)
    let kept = consent.intersection(.kept)
    settle(as: user, context, &out)
    if authorization == .always { deliverKept(kept, context, &out) }
  }

  /// AU13: Keeps Always, or revokes it permanently.
  private mutating func answerReminder(_ context: borrowing Context, _ out: inout Effects) {
    let isTakenBack = context.permission.takesBack(at: out.now, phone: id)
    note(.reminder(isTakenBack: isTakenBack), context, &out)
    consent.insert(.reminded)
    // APM6, ALC9: On Android that is done in Settings, and ends the process.
    if isTakenBack, context.isAndroid { die(context, &out) }
    if isTakenBack { settle(as: .whenInUse, context, &out) }
  }

  mutating func settle(as new: Authorization, _ context: borrowing Context, _ out: inout Effects) {
    account(context, &out)
    user = new
    consent.subtract([
      .promptAhead, .allowsOnce, .provisional, .promptWaits, .once, .reminderIsLate,
    ])
    consent.subtract(.kept)
    consent.insert(.askedForAlways)
    due[.consent] = .distantFuture
    changePermission(to: new, context, &out)
  }

  // MARK: Allow Once

  /// AU14, APM4: Schedules the end of an Allow Once grant.
  mutating func outlast(_ now: SimInstant, _ context: borrowing Context) {
    guard let lapse = context.rules.onceLapse else { return }
    due[.consent] = now + lapse
  }

  private mutating func endOnce(_ context: borrowing Context, _ out: inout Effects) {
    if process.state == .foreground || serviceHoldsApp(context) {
      outlast(out.now, context)
    } else {
      lapseOnce(context, &out)
    }
  }

  /// AU14: Ends an Allow Once grant, and resets the app's permission to not determined.
  mutating func lapseOnce(_ context: borrowing Context, _ out: inout Effects) {
    note(.onceLapsed, context, &out)
    consent.remove(.once)
    due[.consent] = .distantFuture
    changePermission(to: .notDetermined, context, &out)
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

  /// AU16: Lets the owner decide again in Settings, which list only apps that have asked.
  mutating func changeSettings(_ context: borrowing Context, _ out: inout Effects) {
    due[.settings] = context.permission.nextChange(after: out.now, phone: id)
    guard authorization != .notDetermined, !isOff(at: out.now), battery.letsAppsRun else { return }
    let (new, isReduced) = context.permission.decision(at: out.now, phone: id)
    decide(new, context, &out)
    setPrecise(!isReduced, context, &out)
  }

  /// AU16, ALC9: Applies a permission chosen in Settings, which may end the process.
  mutating func decide(_ new: Authorization, _ context: borrowing Context, _ out: inout Effects) {
    let new = permitted(new, context)
    let isOpen = !consent.isDisjoint(with: [.provisional, .once])
    guard new != authorization || isOpen else { return }
    note(.settings(new), context, &out)
    // ALC9: Android ends it only if it loses permission.
    let isGrant = new == .always || new == .whenInUse && authorization != .always
    if context.rules.settingsEndApp, !context.isAndroid || !isGrant { die(context, &out) }
    settle(as: new, context, &out)
  }

  /// AU15: Switches precise location on or off.
  mutating func setPrecise(_ isPrecise: Bool, _ context: borrowing Context, _ out: inout Effects) {
    guard isPrecise == consent.contains(.reduced) else { return }
    note(.precise(isPrecise), context, &out)
    consent.formSymmetricDifference(.reduced)
    if standard.isOn {
      haltStandard(context, &out)
      runStandard(context, &out)
    }
    armServices(out.now, context)
    reportAuthorization(context, &out)
  }
}
