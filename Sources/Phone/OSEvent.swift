package import Core
package import Scenarios

/// The callbacks of the operating system to an app, with the information that
/// `CLLocationManagerDelegate` and `UIApplicationDelegate` give and no more.
///
/// A location has no source, since the app cannot distinguish satellites, Wi-Fi and cells (SL6).
/// The app knows only which manager instance received the location (HY3).
package enum OSEvent: Sendable, BitwiseCopyable {
  case launched(LaunchReason)
  case becameActive
  case enteredBackground
  case location(Fix, Manager)
  /// A region exit, delivered to every manager instance (RG2). `cached` is
  /// `CLLocationManager.location`, which the app may read at any time.
  case regionExited(Manager, cached: Fix?)
  case visit(Visit)
  /// The new permission after a request, a change in Settings or the second prompt (AU6).
  case authorizationChanged(Authorization)
  /// A recognised motion activity; nil if the activity is unknown (AC5).
  case motionActivity(MotionActivity?)
  case standardPaused
  case settingsChanged
  case silentPush(cached: Fix?)
  /// AFC5: Messages to the app were discarded (onDeletedMessages).
  case messagesDiscarded(cached: Fix?)
  /// A background refresh (BR4).
  case refreshed(cached: Fix?)
  /// A background processing task (BR5).
  case processing(cached: Fix?)
  case timer(AppTimer)
  /// LC4, LC5: The app must end its background task now, or the system kills the app.
  case backgroundTimeExpiring
  case uploadFinished(UploadResult)
  /// RG5: The phone is in the region of a place, given by its index from 0 in the app's list.
  case placeEntered(UInt8, cached: Fix?)
  case placeExited(UInt8, cached: Fix?)
  /// RG9: The number of regions that the system refused to monitor at the last registration.
  case regionsRefused(UInt8)

  /// The position delivered with the event; nil if there is none.
  package var position: Fix? {
    switch self {
    case .location(let fix, _): fix
    case .visit(let visit): visit.fix
    case .regionExited(_, let cached), .placeEntered(_, let cached), .placeExited(_, let cached):
      cached
    case .launched, .becameActive, .enteredBackground, .authorizationChanged, .motionActivity,
      .standardPaused, .settingsChanged, .silentPush, .messagesDiscarded, .refreshed, .processing,
      .timer, .backgroundTimeExpiring, .uploadFinished, .regionsRefused:
      nil
    }
  }
}

/// The two location managers of an app (HY3).
package enum Manager: UInt8, Sendable, BitwiseCopyable { case standard, imprecise }

/// The reason of a launch: the user, a location event, a push, the end of an upload in a background
/// session (NW1), a background refresh or processing task (BR4, BR5) or work (AWM1), or the system
/// itself (ALC8, ABO2).
package enum LaunchReason: UInt8, Sendable, BitwiseCopyable {
  case user, location, push, upload, refresh, system
}

/// A `CLVisit`, whose unknown dates are sentinels and not nil (VI2).
package struct Visit: Sendable, Equatable, BitwiseCopyable {
  package var fix: Fix
  /// The instant of the arrival; `.distantPast` if unknown to the system (VI2).
  package var arrival: SimInstant
  /// The instant of the departure; `.distantFuture` while the visit lasts.
  package var departure: SimInstant

  package var hasEnded: Bool { departure < .distantFuture }
}

/// The app's own one-shot timers, which stop while the app is suspended (LC2).
package enum AppTimer: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case stopStandard, send
  case restart
  /// Fires when the phone has not moved for the stationary time of the rest rule.
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
