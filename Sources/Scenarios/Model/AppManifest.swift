package import SimulationCore

/// What an app is to its operating system, whatever its tracker does: keys of Info.plist,
/// capabilities, what it asks its user, and the mistakes it was shipped with.
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

/// Which permission the app asks for when it is first opened, and in which steps: none, When
/// In Use, Always, or When In Use and then Always as soon as that is answered (AU1, AU3, AU6,
/// AU11).
package enum PermissionPlan: String, CaseIterable, Sendable, BitwiseCopyable {
  case nothing, whenInUse, always, whenInUseThenAlways

  /// The request that the app makes first.
  package var first: AuthorizationRequest {
    switch self {
    case .nothing: .nothing
    case .whenInUse, .whenInUseThenAlways: .whenInUse
    case .always: .always
    }
  }
}

/// Names what an app can ask its system for in one request (AU1, AU3, AU6).
package enum AuthorizationRequest: String, CaseIterable, Sendable, BitwiseCopyable {
  case nothing, whenInUse, always
}

/// What an app does with a `CLBackgroundActivitySession`, which makes it count as in use while
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
  package var leaksBackgroundTasks: Bool
  package var ignoresExpiration: Bool
  /// Work on the main thread whenever the app is minimised or opened; beyond 10 s the watchdog
  /// kills it (LC6).
  package var mainThreadWork: SimDuration
  /// After a relaunch it starts no service, so that what it was relaunched for is not delivered
  /// (LC8).
  package var startsNothingAtLaunch: Bool
}

/// How often a phone needs memory so badly that its system ends apps (LC13, LC14).
///
/// The rates are those of a suspended app that holds `reference`; they grow in proportion to what
/// an app holds.
package struct MemoryPressure: Equatable, Sendable, BitwiseCopyable {
  package var perScreenHour = 0.0
  package var perIdleHour = 0.0
  package var whileRunning = 0.0
  /// The spread of the rates over phones, as the deviation of their logarithm: phones differ in
  /// memory and in what else their owners use.
  package var sigma = 0.0

  /// The memory of the app for which the rates are stated.
  package static var reference: ByteCount { ByteCount(bytes: 100_000_000) }
  /// The pressure of phones that never need memory.
  package static var none: MemoryPressure {
    MemoryPressure(perScreenHour: 0, perIdleHour: 0, whileRunning: 0, sigma: 0)
  }
}

/// How often the app has a new version, and how phones install it (LC15).
package struct AppUpdates: Equatable, Sendable, BitwiseCopyable {
  package var perYear = 0.0
  package var soon = 0.0
  package var soonWithin = SimDuration.zero
  package var halfLife = SimDuration.zero
  package var needsOpening = 0.0

  /// The life of an app that is never updated.
  package static var none: AppUpdates {
    AppUpdates(
      perYear: 0, soon: 1, soonWithin: .hours(48), halfLife: .hours(168), needsOpening: 0)
  }
}

/// How often owners delete the app and install it anew, or move to a new phone (LC16).
package struct Reinstalls: Equatable, Sendable, BitwiseCopyable {
  package var perYear = 0.0
  package var away = SimDuration.zero
  package var awaySigma = 0.0

  /// The life of an app that stays where it is.
  package static var none: Reinstalls { Reinstalls(perYear: 0, away: .hours(4), awaySigma: 0) }
}
