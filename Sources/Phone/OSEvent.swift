package import Core
package import Scenarios

/// The callbacks of the operating system to an app, as in `CLLocationManagerDelegate` and
/// `UIApplicationDelegate`, without further information.
///
/// A location has no source (SL6): satellites, Wi-Fi and cells are indistinguishable for the app.
/// Only the manager instance of the request is known (HY3).
package enum OSEvent: Sendable, BitwiseCopyable {
  case launched(LaunchReason)
  case becameActive
  case enteredBackground
  case location(Fix, Manager)
  /// Delivered to every manager instance (RG2). `cached` is `CLLocationManager.location`, which the
  /// app may read at any time.
  case regionExited(Manager, cached: Fix?)
  case visit(Visit)
  /// The answer to a request, a change in Settings, or the second prompt (AU6).
  case authorizationChanged(Authorization)
  /// A recognised motion activity; nil if it is unknown (AC5).
  case motionActivity(MotionActivity?)
  case standardPaused
  case settingsChanged
  case silentPush(cached: Fix?)
  case timer(AppTimer)
  /// LC4, LC5: The app must end its background task now, or the system kills the app.
  case backgroundTimeExpiring
  case uploadFinished(UploadResult)
  /// RG5: The phone is in the region of a place, given by its index in the app's list.
  case placeEntered(UInt8, cached: Fix?)
  case placeExited(UInt8, cached: Fix?)
  /// RG9: The number of regions just registered that are not monitored.
  case regionsRefused(UInt8)

  /// The position delivered with the event.
  package var position: Fix? {
    switch self {
    case .location(let fix, _): fix
    case .visit(let visit): visit.fix
    case .regionExited(_, let cached), .placeEntered(_, let cached), .placeExited(_, let cached):
      cached
    case .launched, .becameActive, .enteredBackground, .authorizationChanged, .motionActivity,
      .standardPaused, .settingsChanged, .silentPush, .timer, .backgroundTimeExpiring,
      .uploadFinished, .regionsRefused:
      nil
    }
  }
}

/// The two location managers of an app (HY3).
package enum Manager: UInt8, Sendable, BitwiseCopyable { case standard, imprecise }

/// The reason of a launch: the user, a location event, a push, or the end of an upload in a
/// background session (NW1).
package enum LaunchReason: UInt8, Sendable, BitwiseCopyable { case user, location, push, upload }

/// `CLVisit`: never without dates (VI2).
package struct Visit: Sendable, Equatable, BitwiseCopyable {
  package var fix: Fix
  /// When the phone arrived; `.distantPast` if the system does not know it (VI2).
  package var arrival: SimInstant
  /// When the phone left; `.distantFuture` while the visit lasts.
  package var departure: SimInstant

  package var hasEnded: Bool { departure < .distantFuture }
}

/// The app's own one-shot timers, which stop while it is suspended (LC2).
package enum AppTimer: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case stopStandard, send
  case restart
  /// Fires after the stationary time of the rest rule.
  case still
}

package enum UploadResult: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case acknowledged
  case refused
  case failed
  case offline
  /// The app was suspended or killed before the answer came (LC3), so the outcome is unknown.
  case connectionLost
}
