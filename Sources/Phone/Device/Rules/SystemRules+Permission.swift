internal import Core
internal import Scenarios

// Defines which location permission the system gives an app, and what it allows.

extension SystemRules {
  // MARK: Prompts

  /// Returns the answer to a request; nil if there is no prompt and no callback (AU2, AU6, APM2).
  func answer(
    to request: AuthorizationRequest, current: Authorization, app: AppManifest,
    user: Authorization, consent: Consent
  ) -> PromptAnswer? {
    guard requiresRequest else { return nil }
    switch (request, current) {
    case (.whenInUse, .notDetermined):
      guard app.whenInUseDescription else { return nil }
      return firstAnswer(user == .always ? .whenInUse : user, consent)
    case (.always, .notDetermined):
      guard app.alwaysDescription else { return nil }
      if user != .denied, hasProvisionalAlways, consent.contains(.promptAhead) {
        return PromptAnswer(reported: .always, consent: [.provisional, .askedForAlways])
      }
      return firstAnswer(user, consent, asked: .askedForAlways)
    case (.always, .whenInUse):
      // AU11, APM3: An app with When In Use may ask for Always once.
      guard upgradesWhenInUse, app.alwaysDescription,
        consent.isDisjoint(with: [.askedForAlways, .once])
      else { return nil }
      let isGranted = user == .always
      return PromptAnswer(reported: isGranted ? .always : .whenInUse, consent: .askedForAlways)
    case (.nothing, _), (.whenInUse, _), (.always, _):
      // AU6: The system prompts once. After the answer only Settings change the permission.
      return nil
    }
  }

  /// AU14: A first prompt offers Allow Once in addition to When In Use.
  private func firstAnswer(
    _ reported: Authorization, _ consent: Consent, asked: Consent = []
  ) -> PromptAnswer {
    let isOnce = reported == .whenInUse && consent.contains(.allowsOnce) && onceLapse != nil
    return PromptAnswer(reported: reported, consent: isOnce ? .once : asked)
  }

  /// Returns the answer to the prompt that systems before iOS 8 show at the start of a service; nil
  /// on later systems (AU1, AU3).
  func implicitAnswer(current: Authorization, user: Authorization) -> Authorization? {
    guard current == .notDetermined, !requiresRequest else { return nil }
    return user == .denied ? .denied : .always
  }

  /// AU13: Returns the time from a use of Always to the next reminder; nil without reminders.
  func reminder(isFirst: Bool) -> SimDuration? {
    guard let first = reminderFirst else { return nil }
    return isFirst ? first : reminderEvery
  }

  // MARK: Effects of the permission

  /// Returns whether locations wake an app: with Always (AU5) and, to iOS 12, App Refresh (BR1).
  @inline(__always)
  func wakesForLocations(_ current: Authorization, _ traits: PhoneTraits) -> Bool {
    current == .always && !(refreshOffBlocksLocationWakes && traits.contains(.refreshOff))
  }

  /// AU4, AU9: Returns whether the standard service runs in the background. The service needs the
  /// background mode. With When In Use only a session begun in the foreground continues (AU7).
  @inline(__always)
  func locatesInBackground(
    _ current: Authorization, allowsBackground: Bool, mayContinue: Bool, _ app: AppManifest
  ) -> Bool {
    guard allowsBackground, app.backgroundMode else { return false }
    switch current {
    case .always: return true
    case .whenInUse: return mayContinue
    case .denied, .notDetermined: return false
    }
  }

  /// AU15, APM5: Returns whether precise location is off (from iOS 14 and Android 12 on).
  @inline(__always)
  func isImprecise(_ consent: Consent) -> Bool {
    hasReducedAccuracy && consent.contains(.reduced)
  }
}
