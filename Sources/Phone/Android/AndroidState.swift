internal import Core

/// What a phone with Android knows beyond the state that all systems have.
package struct AndroidState: Equatable, Sendable, BitwiseCopyable {
  struct Flags: OptionSet, Equatable, Sendable, BitwiseCopyable {
    let rawValue: UInt8

    static let service = Flags(rawValue: 1)
    /// APM9: The owner has switched location off for all apps.
    static let locationOff = Flags(rawValue: 2)
    /// ANW3: The phone has no Play services.
    static let withoutPlay = Flags(rawValue: 4)
    /// AGF7: Google's location accuracy is off.
    static let accuracyOff = Flags(rawValue: 8)
    /// AAR2: The app has asked for activity transitions, which outlast its process.
    static let transitions = Flags(rawValue: 16)
    /// AFC2: What woke the app allows it the network in Doze for some seconds.
    static let allowed = Flags(rawValue: 32)
    /// ANW2: Data Saver is on.
    static let savesData = Flags(rawValue: 64)
  }

  var flags: Flags = []

  /// AFG1: Whether the app's foreground service runs.
  package internal(set) var hasService: Bool {
    get { flags.contains(.service) }
    set { if newValue { flags.insert(.service) } else { flags.remove(.service) } }
  }

  /// Whether Play services can keep fences and locate for apps in the background.
  var hasFences: Bool { flags.isDisjoint(with: [.locationOff, .withoutPlay]) }
  /// The high-priority pushes of the day `pushDay` (AFC3).
  var pushes: UInt8 = 0
  var pushDay: UInt16 = 0
  /// The second at which the phone was last unplugged, or the app left.
  var screenOffSecond: UInt32 = 0
  /// The second of the last job (AWM1), and of the last location in the background (ABL1).
  var workedSecond: UInt32 = 0
  var locatedSecond: UInt32 = 0
  /// The second since which the time of the service counts (AFG8, AOE4).
  var serviceSecond: UInt32 = 0
  /// The seconds of the present or next use of the phone in which another app locates (ABL4).
  var othersFrom: UInt32 = 0
  var othersUntil: UInt32 = 0

  package init() {}

  static func second(_ t: SimInstant) -> UInt32 { UInt32(clamping: t.microseconds / 1_000_000) }

  static func instant(_ second: UInt32) -> SimInstant {
    SimInstant(microseconds: Int64(second) * 1_000_000)
  }
}
