package import Core

package struct PendingNotices: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  static let authorization = PendingNotices(rawValue: 1)
  static let motion = PendingNotices(rawValue: 2)
}

package struct Turn: Sendable, BitwiseCopyable {
  package internal(set) var answers = SystemAnswers()
  /// The answers already given in this event. An app that restarts a service at each cached
  /// position gets only one such position per event (SL5, NO3).
  var given = SystemAnswers()
  /// Whether the app is being launched, opened or left (LC6).
  var isChangingState = false
  /// LU2: Whether the app has not yet resumed its session after a launch in the background.
  var sessionIsOpen = false
  var isWokenForLocation = false
  /// The instant of the event. Fixes of the standard service are evaluated late and may be older,
  /// but the app reacts no earlier than at this instant.
  package internal(set) var instant = SimInstant.distantPast
}

/// The system's answers that are due after all commands of a callback. Each answer comes in a
/// separate callback, never during the callback that caused it.
package struct SystemAnswers: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  static let authorization = SystemAnswers(rawValue: 1)
  /// SL5: Starting significant changes delivers a cached position.
  static let cachedChange = SystemAnswers(rawValue: 2)
  /// NO3: Starting the standard service may deliver a cached position, too.
  static let cachedStandard = SystemAnswers(rawValue: 4)
  static let crash = SystemAnswers(rawValue: 8)
  static let regionError = SystemAnswers(rawValue: 16)
  /// CM6: Adding a condition may report an old state.
  static let belief = SystemAnswers(rawValue: 32)
}
