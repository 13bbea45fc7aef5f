package import Core

/// App properties that the operating system sees: keys of Info.plist, capabilities, permission
/// requests, and programming errors.
package struct AppManifest: Equatable, Sendable, BitwiseCopyable {
  package var request: PermissionPlan
  package var whenInUseDescription: Bool
  package var alwaysDescription: Bool
  package var motionDescription: Bool
  package var backgroundMode: Bool
  package var allowsBackgroundUpdates: Bool
  package var showsIndicator: Bool
  package var activitySession = ActivitySession.none
  package var mistakes: AppMistakes
  package var memory = MemoryPressure.reference
}

/// The permissions that an app asks for, beginning when it is first opened (AU1, AU3, AU6, AU11).
package enum PermissionPlan: String, CaseIterable, Sendable, BitwiseCopyable {
  case nothing, whenInUse, always, whenInUseThenAlways
  /// When In Use at the first opening, and Always at later openings.
  case alwaysAtNextOpening

  package var first: AuthorizationRequest {
    switch self {
    case .nothing: .nothing
    case .whenInUse, .whenInUseThenAlways, .alwaysAtNextOpening: .whenInUse
    case .always: .always
    }
  }

  /// AU17: The request at each later opening. The system shows one prompt.
  package var later: AuthorizationRequest {
    switch self {
    case .alwaysAtNextOpening: .always
    case .nothing, .whenInUse, .always, .whenInUseThenAlways: .nothing
    }
  }
}

/// A location permission that the app requests (AU1, AU3, AU6).
package enum AuthorizationRequest: String, CaseIterable, Sendable, BitwiseCopyable {
  case nothing, whenInUse, always
}

/// How an app uses a `CLBackgroundActivitySession`, which makes the app count as in use in the
/// background (LU2, LU3).
package enum ActivitySession: String, CaseIterable, Sendable, BitwiseCopyable {
  case none
  /// The app begins the session in the foreground, and begins it again at every launch.
  case retaken
  /// The app begins the session in the foreground, and does not begin it again at a launch.
  case forgotten
}

/// Programming errors of an app, whose effect on a fleet can be simulated.
package struct AppMistakes: Equatable, Sendable, BitwiseCopyable {
  package var leaksBackgroundTasks: Bool
  package var ignoresExpiration: Bool
  /// The work on the main thread whenever the app is minimised or opened. The watchdog kills an app
  /// whose work exceeds the OS profile's limit, usually 10 s (LC6).
  package var mainThreadWork: SimDuration
  /// Whether a relaunched app starts no service, so that the relaunch's event is lost (LC8).
  package var startsNothingAtLaunch: Bool
}

/// How often a phone's system ends apps to free memory (LC13, LC14). The rates are those of a
/// suspended app with the memory `reference`, and grow in proportion to the app's memory.
package struct MemoryPressure: Equatable, Sendable, BitwiseCopyable {
  package var perScreenHour = 0.0
  package var perIdleHour = 0.0
  package var whileRunning = 0.0
  /// The standard deviation over phones of the rates' natural logarithm, as phones differ in memory
  /// and use.
  package var sigma = 0.0

  package static var reference: ByteCount { ByteCount(bytes: 100_000_000) }
  package static var none: MemoryPressure {
    MemoryPressure(perScreenHour: 0, perIdleHour: 0, whileRunning: 0, sigma: 0)
  }
}

/// How often the app is updated, and when phones install the update (LC15).
package struct AppUpdates: Equatable, Sendable, BitwiseCopyable {
  package var perYear = 0.0
  package var soon = 0.0
  package var soonWithin = SimDuration.zero
  package var halfLife = SimDuration.zero
  package var needsOpening = 0.0

  package static var none: AppUpdates {
    AppUpdates(
      perYear: 0, soon: 1, soonWithin: .hours(48), halfLife: .hours(168), needsOpening: 0)
  }
}

/// How often owners delete and reinstall the app, or move to a new phone (LC16).
package struct Reinstalls: Equatable, Sendable, BitwiseCopyable {
  package var perYear = 0.0
  package var away = SimDuration.zero
  package var awaySigma = 0.0

  package static var none: Reinstalls { Reinstalls(perYear: 0, away: .hours(4), awaySigma: 0) }
}
