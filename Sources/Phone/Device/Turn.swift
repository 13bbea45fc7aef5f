package import SimulationCore

/// Which events happened while the app did not run; they are delivered when it does.
package struct PendingNotices: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  static let authorization = PendingNotices(rawValue: 1)
  static let motion = PendingNotices(rawValue: 2)
}

/// What the system remembers while it handles one event and discards afterwards.
package struct Turn: Sendable, BitwiseCopyable {
  /// The answers that are due when the commands of a callback have been performed.
  package internal(set) var answers = SystemAnswers()
  /// The answers already given, so that an app that restarts a service with each cached
  /// position gets one position an event (SL5, NO3).
  var given = SystemAnswers()
  /// Whether the app is being launched, opened or left (LC6).
  var isChangingState = false
  /// LU2: True from a launch in the background on, until the app has taken its session again.
  var sessionIsOpen = false
  /// Whether a location is waking the app.
  var isWokenForLocation = false
  /// The instant of the event. Fixes of the standard service are evaluated late and lie before
  /// it; the app's reaction to them starts no earlier than this instant.
  package internal(set) var instant = SimInstant.distantPast
}

/// The answers that follow once all commands of a callback are performed: the system answers
/// in a separate callback, never in the middle of the app's.
package struct SystemAnswers: OptionSet, Sendable, BitwiseCopyable {
  /// One bit for each answer.
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  static let authorization = SystemAnswers(rawValue: 1)
  /// SL5: starting the significant changes brings a cached position.
  static let cachedChange = SystemAnswers(rawValue: 2)
  /// NO3: Starting the standard service may bring a cached position, too.
  static let cachedStandard = SystemAnswers(rawValue: 4)
  static let crash = SystemAnswers(rawValue: 8)
  static let regionError = SystemAnswers(rawValue: 16)
}
