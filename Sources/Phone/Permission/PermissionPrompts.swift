internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// Lets a phone's owner answer what the system asks about location without a request by the app,
/// and change the permission in Settings (AU12–AU16).
///
/// What waits for an instant stands in the calendar: a second prompt, a reminder and the end of an
/// Allow Once exclude each other and share `.consent`.
enum PermissionPrompts {
  // MARK: Always in the background

  /// AU12: Returns whether an app with Always may locate in the background now. If its Always is
  /// provisional, the second prompt waits for the next unlock from here on.
  ///
  /// AU13: The first use of Always after an answer starts the time to the next reminder.
  static func mayUseAlways(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) -> Bool {
    guard phone.consent.contains(.provisional) else {
      if phone.due[.consent] == .distantFuture, !phone.consent.contains(.reminderIsLate) {
        awaitReminder(&phone, now, context)
      }
      return true
    }
    if !phone.consent.contains(.promptWaits) {
      owner(&phone, .consent(.secondPromptWaits), now)
      phone.consent.insert(.promptWaits)
      phone.due[.consent] = context.battery.unlock(after: now, .promptUnlock, phone: phone.id)
    }
    return false
  }

  /// AU12: Keeps an event and its position until the second prompt is answered, if that is soon.
  static func keep(
    _ event: Consent, of phone: inout PhoneOS, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    guard !event.isEmpty, phone.due[.consent] - now <= context.profile.system.storedEventLife
    else { return }
    phone.consent.insert(event)
    _ = phone.coarseFix(now, context, owner)
  }

  /// AU12: Delivers the events that were kept for the second prompt, each with the last known
  /// position; of visits, an arrival is kept.
  private static func deliver(
    _ kept: Consent, to phone: inout PhoneOS, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    let isChange = kept.contains(.keptChange)
    guard !kept.isEmpty, let known = phone.lastKnown,
      phone.wake(.location, continues: isChange, now, context, owner), phone.process.hasManager
    else { return }
    let located = LocatedFix(fix: known, source: .cached)
    if kept.contains(.keptExit) {
      owner(&phone, .located(located), now)
      phone.notifyExit(cached: known, now, owner)
    }
    if isChange { phone.deliver(located, .imprecise, now, owner) }
    if kept.contains(.keptArrival), phone.services.reportedArrival < .distantFuture {
      owner(&phone, .located(located), now)
      let visit = Visit(
        fix: known, arrival: phone.services.reportedArrival, departure: .distantFuture)
      phone.notify(.visit(visit), now, owner)
    }
  }

  private static func awaitReminder(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context
  ) {
    let isFirst = !phone.consent.contains(.reminded)
    guard let wait = context.profile.system.reminder(isFirst: isFirst) else { return }
    let at = context.battery.unlock(after: now + wait, .promptUnlock, phone: phone.id)
    if at < context.permission.end {
      phone.due[.consent] = at
    } else {
      phone.consent.insert(.reminderIsLate)
    }
  }

  // MARK: Answers

  /// Handles what the calendar has: the end of an Allow Once, or an unlock at which the system
  /// asks.
  static func happen(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    if phone.consent.contains(.once) { return endOnce(&phone, now, context, owner) }
    guard !phone.isOff(at: now), phone.battery.letsAppsRun else {
      // What waited is too old when the phone is unlocked at last.
      phone.consent.subtract(.kept)
      let on = phone.switchedOff.contains(now) ? phone.switchedOff.end : now
      phone.due[.consent] = context.battery.unlock(after: on, .promptUnlock, phone: phone.id)
      return
    }
    if phone.consent.contains(.promptWaits) {
      answerSecondPrompt(&phone, now, context, owner)
    } else if phone.authorization == .always {
      answerReminder(&phone, now, context, owner)
    }
  }

  /// AU12: The owner keeps Always, and the app gets what has waited; or takes it back.
  static func answerSecondPrompt(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    owner(&phone, .consent(.secondPrompt(phone.user)), now)
    let kept = phone.consent.intersection(.kept)
    settle(&phone, as: phone.user, now, context, owner)
    if phone.authorization == .always { deliver(kept, to: &phone, now, context, owner) }
  }

  /// AU13: The owner goes on allowing it, or takes Always back for good.
  private static func answerReminder(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    let isTakenBack = context.permission.takesBack(at: now, phone: phone.id)
    owner(&phone, .consent(.reminder(isTakenBack: isTakenBack)), now)
    phone.consent.insert(.reminded)
    if isTakenBack { settle(&phone, as: .whenInUse, now, context, owner) }
  }

  /// Applies a decision of the owner after which no prompt asks again.
  static func settle(
    _ phone: inout PhoneOS, as new: Authorization, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    owner(&phone, .willChangePermission, now)
    phone.user = new
    phone.consent.subtract([
      .promptAhead, .allowsOnce, .provisional, .promptWaits, .once, .reminderIsLate,
    ])
    phone.consent.subtract(.kept)
    phone.consent.insert(.askedForAlways)
    phone.due[.consent] = .distantFuture
    phone.changePermission(to: new, now, context, owner)
  }

  // MARK: Allow Once

  /// AU14: The app is left: its grant lasts for a while.
  static func outlast(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context
  ) {
    guard let lapse = context.profile.system.onceLapse else { return }
    phone.due[.consent] = now + lapse
  }

  private static func endOnce(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    if phone.process.state == .foreground || phone.serviceHoldsApp(context) {
      outlast(&phone, now, context)
    } else {
      lapse(&phone, now, context, owner)
    }
  }

  /// AU14: The grant is over, and the app finds no answer when it looks next.
  static func lapse(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    owner(&phone, .consent(.onceLapsed), now)
    phone.consent.remove(.once)
    phone.due[.consent] = .distantFuture
    phone.changePermission(to: .notDetermined, now, context, owner)
  }

  // MARK: Installations

  /// LC16: Forgets what was asked and answered for an app that is deleted. The new installation
  /// asks for Always as if for the first time, and what the owner answers in the end stays theirs.
  static func forget(_ phone: inout PhoneOS) {
    let isAsked = phone.consent.contains(.askedForAlways)
    phone.consent.formIntersection([.promptAhead, .allowsOnce, .reduced])
    if isAsked, phone.user == .always { phone.consent.insert(.promptAhead) }
    phone.due[.consent] = .distantFuture
  }

  // MARK: Settings

  /// AU16: The owner decides anew in Settings, where the app is listed once it has asked.
  static func changeSettings(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    phone.due[.settings] = context.permission.nextChange(after: now, phone: phone.id)
    guard phone.authorization != .notDetermined, !phone.isOff(at: now), phone.battery.letsAppsRun
    else { return }
    let (new, isReduced) = context.permission.decision(at: now, phone: phone.id)
    decide(new, &phone, now, context, owner)
    setPrecise(!isReduced, &phone, now, context, owner)
  }

  /// AU16: The owner chooses a permission in Settings; the process may end with the change.
  static func decide(
    _ new: Authorization, _ phone: inout PhoneOS, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    let isOpen = !phone.consent.isDisjoint(with: [.provisional, .once])
    guard new != phone.authorization || isOpen else { return }
    owner(&phone, .consent(.settings(new)), now)
    if context.profile.system.settingsEndApp { phone.die(now, context, owner) }
    settle(&phone, as: new, now, context, owner)
  }

  /// AU15: The owner switches precise location on or off.
  static func setPrecise(
    _ isPrecise: Bool, _ phone: inout PhoneOS, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    guard isPrecise == phone.consent.contains(.reduced) else { return }
    owner(&phone, .consent(.precise(isPrecise)), now)
    phone.consent.formSymmetricDifference(.reduced)
    if phone.standard.isOn {
      phone.haltStandard(now, context, owner)
      phone.runStandard(now, context, owner)
    }
    phone.armServices(now, context)
    phone.reportAuthorization(now, owner)
  }
}
