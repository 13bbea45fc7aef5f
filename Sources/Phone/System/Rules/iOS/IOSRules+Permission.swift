internal import Scenarios
internal import Telemetry

// This file decides what location permission iOS gives an app, and what the app may do with it.

extension IOSRules {
  // MARK: Prompts

  /// Returns the answer to an app's request; nil if no prompt is shown and the app gets no callback
  /// (AU2, AU6).
  ///
  /// - Parameter user: what the owner would grant at most.
  /// - Parameter isProvisional: the owner grants Always at first, and takes it back at the second
  ///   prompt (iOS 13; rule book 2.1).
  func answer(
    to request: AuthorizationRequest, current: Authorization, app: AppManifest,
    user: Authorization, isProvisional: Bool
  ) -> Authorization? {
    // AU6: the prompt is one-shot; after an answer only Settings changes it.
    guard current == .notDetermined, requiresRequest else { return nil }
    switch request {
    case .nothing:
      return nil
    case .whenInUse:
      guard app.whenInUseDescription else { return nil }
      return user == .always ? .whenInUse : user
    case .always:
      guard app.alwaysDescription else { return nil }
      return isProvisional && hasProvisionalAlways && user == .whenInUse ? .always : user
    }
  }

  /// Returns the answer to the prompt that the start of a service shows before iOS 8, for Always or
  /// nothing; nil on later systems, which do not prompt there (AU1, AU3).
  func implicitAnswer(current: Authorization, user: Authorization) -> Authorization? {
    guard current == .notDetermined, !requiresRequest else { return nil }
    return user == .denied ? .denied : .always
  }

  /// Returns what the second prompt leaves of a provisional Always, which the first event in the
  /// background raises (rule book 2.1); nil if there is no such prompt or Always stays.
  func secondAnswer(current: Authorization, user: Authorization) -> Authorization? {
    current == .always && user == .whenInUse && hasProvisionalAlways ? .whenInUse : nil
  }

  // MARK: What it allows

  /// Returns whether a location may wake an app that is not in the foreground.
  /// It needs Always (AU5), and on old systems Background App Refresh, too (BR1).
  @inline(__always)
  func wakesForLocations(_ current: Authorization, _ traits: PhoneTraits) -> Bool {
    current == .always && !(refreshOffBlocksLocationWakes && traits.contains(.refreshOff))
  }

  /// AU4, AU9: Returns whether the standard service may run in the background. It requires the
  /// background mode, and with When In Use only a session from the foreground continues (AU7).
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

  /// Returns whether the app gets no precise positions (iOS 14).
  @inline(__always)
  func isImprecise(_ traits: PhoneTraits) -> Bool {
    hasReducedAccuracy && traits.contains(.imprecise)
  }
}
