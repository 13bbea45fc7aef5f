/// Why a phone was not fresh. Every stale phone-minute has exactly one cause.
package enum StaleCause: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable,
  BitwiseCopyable
{
  case switchedOff = "switched-off"
  case noPermission = "no-permission"
  case forceQuit = "force-quit"
  case policySilent = "policy-silent"
  case inOutbox = "in-outbox"
  case offline
  case pushGate = "push-gate"
  case server
  /// The app's location service was on, but found no position.
  case noPosition = "no-position"
  case batteryEmpty = "battery-empty"
  case beforeFirstUnlock = "before-first-unlock"
  /// The OS ended the running app for memory; nothing has started it since.
  case endedForMemory = "ended-for-memory"
  /// The app was updated while it ran, or must be opened before it runs.
  case updated
  /// The app was deleted, and the new installation not yet opened.
  case reinstalled
  /// Fixes wait for Wi-Fi, because the app or the system sends on nothing else.
  case waitingForWifi = "waiting-for-wifi"
  /// Nothing made the app report, and precise location is off, so that its regions are silent.
  case preciseOff = "precise-off"
}

package struct StaleLedger: Equatable, Sendable, BitwiseCopyable {
  private var microseconds = InlineArray<16, Int64>(repeating: 0)

  package init() {}

  package subscript(_ cause: StaleCause) -> SimDuration {
    .microseconds(microseconds[cause.slot])
  }

  package mutating func add(_ duration: SimDuration, _ cause: StaleCause) {
    microseconds[cause.slot] += duration.microseconds
  }

  package var sum: SimDuration {
    StaleCause.allCases.reduce(.zero) { $0 + self[$1] }
  }

  package mutating func merge(_ other: StaleLedger) {
    for cause in StaleCause.allCases { add(other[cause], cause) }
  }

  package var phoneMinutes: [String: Double] {
    Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0.rawValue, self[$0].seconds / 60) })
  }

  package static func == (a: Self, b: Self) -> Bool {
    StaleCause.allCases.allSatisfy { a[$0] == b[$0] }
  }
}

extension StaleLedger: Codable {
  package init(from decoder: any Decoder) throws {
    for (cause, microseconds) in try [StaleCause: Int64](from: decoder) {
      add(.microseconds(microseconds), cause)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    try Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0, self[$0].microseconds) }
    ).encode(to: encoder)
  }
}

extension StaleCause {
  /// The index of the case: an enumeration without payloads is stored as its case number.
  package var slot: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
