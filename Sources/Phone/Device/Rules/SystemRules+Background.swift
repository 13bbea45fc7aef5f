internal import Core
internal import Scenarios

// Defines what the system lets an app do in the background, and for which errors it kills the app.

extension SystemRules {
  /// Whether an app that starts the standard service again ends its pause (PT3).
  var restartEndsPause: Bool { pauseTrap == .recoverable }

  /// Returns whether a location relaunches a force-quit app. `byMonitor`: the location is a
  /// condition of CLMonitor.
  func relaunchesAfterForceQuit(byMonitor: Bool) -> Bool {
    byMonitor ? relaunchesMonitorAfterForceQuit : relaunchesAfterForceQuit
  }

  /// Returns whether the system suspends an app although its standard service runs. iOS 16.4 and
  /// later suspend an app that uses significant changes as well, has a filter or an accuracy of 1
  /// km or worse, and shows no indicator. An app with When In Use always shows an indicator.
  @inline(__always)
  func suspends(
    _ service: borrowing StandardService, besideSignificantChanges: Bool, _ current: Authorization
  ) -> Bool {
    guard suspendsHiddenStandard, current == .always, besideSignificantChanges,
      !service.showsIndicator
    else { return false }
    switch service.accuracy {
    case .best, .tenMeters, .hundredMeters: return service.distanceFilterMeters > 0
    case .kilometer, .threeKilometers: return true
    }
  }

  // MARK: Errors of the app

  /// AU8: Returns the error of an app that starts the standard service with settings that its
  /// Info.plist does not allow.
  func error(in request: ServiceRequest, of app: AppManifest) -> CrashReason? {
    request.allowsBackground && !app.backgroundMode ? .backgroundModeMissing : nil
  }

  /// Returns whether the main thread has been busy for too long. LC6: The limit is ten seconds
  /// across a change of state. LC3: A wake without a background task ends with its grace period.
  func endsApp(busyFor time: SimDuration, isChangingState: Bool, isBareWake: Bool) -> Bool {
    isChangingState ? time > watchdog : time > wakeGrace && isBareWake
  }
}
