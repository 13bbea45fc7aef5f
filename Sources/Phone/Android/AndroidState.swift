internal import Core

/// What a phone with Android knows beyond the state that all systems have.
package struct AndroidState: Equatable, Sendable, BitwiseCopyable {
  /// AFG1: Whether the app's foreground service runs.
  package internal(set) var hasService = false
  /// The high-priority pushes of the day `pushDay` (AFC3).
  var pushes: UInt8 = 0
  var pushDay: UInt16 = 0
  /// The second at which the phone was last unplugged, or the app left.
  var screenOffSecond: UInt32 = 0
  /// The second of the last job (AWM1), and of the last location in the background (ABL1).
  var workedSecond: UInt32 = 0
  var locatedSecond: UInt32 = 0
  /// The seconds of the present or next use of the phone in which another app locates (ABL4).
  var othersFrom: UInt32 = 0
  var othersUntil: UInt32 = 0

  package init() {}

  static func second(_ t: SimInstant) -> UInt32 { UInt32(clamping: t.microseconds / 1_000_000) }

  static func instant(_ second: UInt32) -> SimInstant {
    SimInstant(microseconds: Int64(second) * 1_000_000)
  }
}
