package import SimulationCore

/// What an app is to its operating system, whatever its tracker does: keys of Info.plist,
/// capabilities, what it asks its user, and the mistakes it was shipped with.
package struct AppManifest: Equatable, Sendable, BitwiseCopyable {
  /// What it asks for when it is first opened (AU1, AU3, AU6).
  package var request: AuthorizationRequest
  /// `NSLocationWhenInUseUsageDescription` (AU2).
  package var whenInUseDescription: Bool
  /// `NSLocationAlwaysUsageDescription` (AU2).
  package var alwaysDescription: Bool
  /// `NSMotionUsageDescription` (AU10).
  package var motionDescription: Bool
  /// `location` among `UIBackgroundModes` (AU7, AU8, AU9).
  package var backgroundMode: Bool
  /// `allowsBackgroundLocationUpdates` (AU7, AU8).
  package var allowsBackgroundUpdates: Bool
  /// `showsBackgroundLocationIndicator` (rule book section 0, iOS 16.4).
  package var showsIndicator: Bool
  /// Says what the app does with a `CLBackgroundActivitySession` (LU1, LU2, LU3).
  package var activitySession = ActivitySession.none
  /// Holds the programming errors that the app was shipped with; all are off in the default.
  package var mistakes: AppMistakes
}

/// Says which permission the app asks for when it is first opened: none, When In Use or Always
/// (AU1, AU3, AU6).
package enum AuthorizationRequest: String, CaseIterable, Sendable, BitwiseCopyable {
  case nothing, whenInUse, always
}

/// Says what an app does with a `CLBackgroundActivitySession`, which makes it count as in use while
/// it is in the background (LU2, LU3).
package enum ActivitySession: String, CaseIterable, Sendable, BitwiseCopyable {
  /// The app begins none.
  case none
  /// The app begins one in the foreground, and takes it again whenever it is launched.
  case retaken
  /// The app begins one in the foreground, and does not take it again.
  case forgotten
}

/// What an app does wrong; a user can see what such an app does to a fleet.
package struct AppMistakes: Equatable, Sendable, BitwiseCopyable {
  /// A background task begun with each wake is never ended (LC4).
  package var leaksBackgroundTasks: Bool
  /// The expiration handler logs and ends nothing (DC6).
  package var ignoresExpiration: Bool
  /// Work on the main thread whenever the app is minimised or opened; beyond 10 s the watchdog
  /// kills it (LC6).
  package var mainThreadWork: SimDuration
  /// After a relaunch it starts no service, so that what it was relaunched for is not delivered
  /// (LC8).
  package var startsNothingAtLaunch: Bool
}
