internal import Scenarios
internal import SimulationCore
internal import Telemetry

// This file asks a phone's system for all that the machine leaves to it. Each question is one
// switch; the answers stand in a folder for each system. Questions that are asked at every event
// are inlined, since a call would copy the rules.

// MARK: - Permission

extension PhoneSystem {
  /// Returns the answer to an app's request for permission; nil if it gets no callback.
  func answer(
    to request: AuthorizationRequest, current: Authorization, app: AppManifest,
    user: Authorization, consent: Consent
  ) -> PromptAnswer? {
    switch self {
    case .ios(let rules):
      rules.answer(
        to: request, current: current, app: app, user: user, consent: consent)
    }
  }

  /// Returns the permission that the start of a service brings; nil if it changes nothing.
  func implicitAnswer(current: Authorization, user: Authorization) -> Authorization? {
    switch self {
    case .ios(let rules): rules.implicitAnswer(current: current, user: user)
    }
  }

  /// Is how long an event in the background waits for the second prompt.
  var storedEventLife: SimDuration {
    switch self {
    case .ios(let rules): rules.storedEventLife
    }
  }

  /// Returns how long after the use of Always the system reminds of it; nil if it does not.
  func reminder(isFirst: Bool) -> SimDuration? {
    switch self {
    case .ios(let rules): rules.reminder(isFirst: isFirst)
    }
  }

  /// Is how long Allow Once outlasts the use of the app; nil where it is not offered.
  var onceLapse: SimDuration? {
    switch self {
    case .ios(let rules): rules.onceLapse
    }
  }

  /// Is true if a change of the permission in Settings ends the app.
  var settingsEndApp: Bool {
    switch self {
    case .ios(let rules): rules.settingsEndApp
    }
  }

  /// Returns whether a location may wake an app that is not in the foreground.
  @inline(__always)
  func wakesForLocations(_ current: Authorization, _ traits: PhoneTraits) -> Bool {
    switch self {
    case .ios(let rules): rules.wakesForLocations(current, traits)
    }
  }

  /// Returns whether the standard service may run in the background.
  @inline(__always)
  func locatesInBackground(
    _ current: Authorization, allowsBackground: Bool, mayContinue: Bool, _ app: AppManifest
  ) -> Bool {
    switch self {
    case .ios(let rules):
      rules.locatesInBackground(
        current, allowsBackground: allowsBackground, mayContinue: mayContinue, app)
    }
  }

  /// Returns whether the app gets no precise positions.
  @inline(__always)
  func isImprecise(_ consent: Consent) -> Bool {
    switch self {
    case .ios(let rules): rules.isImprecise(consent)
    }
  }
}

// MARK: - The app's life

extension PhoneSystem {
  /// Returns whether a location brings back an app that its user force-quit.
  ///
  /// - Parameter byMonitor: whether a condition of CLMonitor does.
  func relaunchesAfterForceQuit(byMonitor: Bool) -> Bool {
    switch self {
    case .ios(let rules):
      byMonitor ? rules.relaunchesMonitorAfterForceQuit : rules.relaunchesAfterForceQuit
    }
  }

  /// Is true where an app can set conditions of CLMonitor.
  var hasConditionMonitor: Bool {
    switch self {
    case .ios(let rules): rules.hasConditionMonitor
    }
  }

  /// Returns whether the system suspends an app although its standard service runs.
  @inline(__always)
  func suspends(
    _ service: borrowing StandardService, besideSignificantChanges: Bool,
    _ current: Authorization
  ) -> Bool {
    switch self {
    case .ios(let rules):
      rules.suspends(service, besideSignificantChanges: besideSignificantChanges, current)
    }
  }

  /// Returns the error for which the system kills an app that starts the standard service.
  func error(in request: ServiceRequest, of app: AppManifest) -> CrashReason? {
    switch self {
    case .ios(let rules): rules.error(in: request, of: app)
    }
  }

  /// Returns whether the system kills an app whose main thread is busy for that long.
  ///
  /// - Parameters:
  ///   - isChangingState: the app is being launched, opened or left.
  ///   - isBareWake: nothing holds the app in the background.
  func endsApp(busyFor time: SimDuration, isChangingState: Bool, isBareWake: Bool) -> Bool {
    switch self {
    case .ios(let rules):
      rules.endsApp(busyFor: time, isChangingState: isChangingState, isBareWake: isBareWake)
    }
  }

  // MARK: The standard service

  /// Is true where live updates and background activity sessions exist (LU1).
  var hasLiveUpdates: Bool {
    switch self {
    case .ios(let rules): rules.hasLiveUpdates
    }
  }

  /// Is the time at rest after which live updates pause (LU1).
  var livePauseAfter: SimDuration {
    switch self {
    case .ios(let rules): rules.livePauseAfter
    }
  }

  /// Returns how long and how far a phone is on the way before live updates resume (LU1).
  var liveResume: (after: SimDuration, distance: Distance) {
    switch self {
    case .ios(let rules): (rules.liveResumeAfter, rules.liveResumeDistance)
    }
  }

  /// Is true if an app may ask for its fixes to be collected (DF1).
  var defersUpdates: Bool {
    switch self {
    case .ios(let rules): rules.defersUpdates
    }
  }

  /// Is the time at rest after which the standard service is paused.
  var pauseAfter: SimDuration {
    switch self {
    case .ios(let rules): rules.pauseAfter
    }
  }

  /// Is true if an app that starts the standard service again ends its pause.
  var restartEndsPause: Bool {
    switch self {
    case .ios(let rules): rules.restartEndsPause
    }
  }
}

// MARK: - Silent pushes

extension PhoneSystem {
  /// Returns whether a push may wake an app.
  func mayWake(_ request: PushRequest) -> Bool {
    switch self {
    case .ios(let rules): rules.mayWake(request)
    }
  }

  /// Returns whether a push runs an extension instead of the app.
  func isForExtension(_ kind: PushRequest.Kind) -> Bool {
    switch self {
    case .ios(let rules): rules.isForExtension(kind)
    }
  }

  /// Returns whether a push is shown to the phone's owner.
  func isAlert(_ kind: PushRequest.Kind) -> Bool {
    switch self {
    case .ios(let rules): rules.isAlert(kind)
    }
  }

  /// Returns whether an app has a valid token for pushes of a kind.
  func hasToken(for kind: PushRequest.Kind) -> Bool {
    switch self {
    case .ios(let rules): rules.hasToken(for: kind)
    }
  }

  /// Returns how many tokens a full budget holds.
  func pushCapacity(for kind: PushRequest.Kind, _ limits: PhonePushSettings) -> Double {
    switch self {
    case .ios(let rules): rules.pushCapacity(for: kind, limits)
    }
  }

  /// Returns the first closed gate; if all are open, the push has taken its token from the budget.
  func gate(
    of phone: inout PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    switch self {
    case .ios(let rules): rules.gate(of: &phone, at: now, push)
    }
  }

  /// Returns whether a push that meets this gate waits on the phone until the gate opens.
  func holds(_ kind: PushRequest.Kind, at gate: PushGate, _ limits: PhonePushSettings) -> Bool {
    switch self {
    case .ios(let rules): rules.holds(kind, at: gate, limits)
    }
  }

  /// Returns when the gate that holds the phone's push may open without the user; `distantFuture`
  /// if never, or if none is held.
  func opening(
    on phone: borrowing PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> SimInstant {
    switch self {
    case .ios(let rules): rules.opening(on: phone, at: now, push)
    }
  }

  /// Returns whether a push reaches a phone that saves power, and is not grouped with others.
  func isUrgent(_ request: PushRequest) -> Bool {
    switch self {
    case .ios: PushGrouping.isUrgent(priority: request.priority)
    }
  }

  /// Returns how long a push that is not urgent waits to be grouped with others.
  func groupingWait(
    _ id: UInt64, phone: PhoneID, seed: UInt64, priority: Int, isForeground: Bool,
    isCharging: Bool, _ push: borrowing PushConditions
  ) -> SimDuration {
    switch self {
    case .ios:
      PushGrouping.wait(
        id, phone: phone.rawValue, seed: seed, priority: priority, isForeground: isForeground,
        isCharging: isCharging, push.limits)
    }
  }
}
