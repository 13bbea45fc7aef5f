package import SimulationCore

/// Holds which events happened while the app did not run; they are delivered when it does.
struct PendingNotices: OptionSet, Sendable, BitwiseCopyable {
  let rawValue: UInt8
  static let authorization = PendingNotices(rawValue: 1)
  static let motion = PendingNotices(rawValue: 2)
}

/// Holds what the system remembers while it handles one event and discards afterwards.
package struct Turn: Sendable, BitwiseCopyable {
  /// Holds the answers that are due when the commands of a callback have been performed.
  package internal(set) var answers = SystemAnswers()
  /// Holds the answers already given, so that an app that restarts a service with each cached
  /// position gets one position an event (SL5, NO3).
  var given = SystemAnswers()
  /// Is true while the app is being launched, opened or left (LC6).
  var isChangingState = false
  /// LU2: Is true from a launch in the background on, until the app has taken its session again.
  var sessionIsOpen = false
  /// Is true while a location is waking the app.
  var isWokenForLocation = false
  /// Is the instant of the event. Fixes of the standard service are evaluated late and lie before
  /// it; the app's reaction to them starts no earlier than this instant.
  package internal(set) var instant = SimInstant.distantPast
}

/// Holds the answers that follow once all commands of a callback are performed: the system answers
/// in a separate callback, never in the middle of the app's.
package struct SystemAnswers: OptionSet, Sendable, BitwiseCopyable {
  /// Holds one bit for each answer.
  package let rawValue: UInt8
  /// Makes a set of answers from its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The owner answered the prompt.
  static let authorization = SystemAnswers(rawValue: 1)
  /// SL5: starting the significant changes brings a cached position.
  static let cachedChange = SystemAnswers(rawValue: 2)
  /// NO3: Starting the standard service may bring a cached position, too.
  static let cachedStandard = SystemAnswers(rawValue: 4)
  static let crash = SystemAnswers(rawValue: 8)
  /// RG9: A region was not taken.
  static let regionError = SystemAnswers(rawValue: 16)
}
