package import SimulationCore

/// Why a phone was not fresh. Every phone-minute that is not fresh has exactly one.
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
  /// The app's location service was on, and the phone found no position for it.
  case noPosition = "no-position"
  /// The phone has run empty.
  case batteryEmpty = "battery-empty"
  /// The phone has started, and its owner has not unlocked it since.
  case beforeFirstUnlock = "before-first-unlock"
  /// The phone needed memory and ended the app while it ran; nothing has started it since.
  case endedForMemory = "ended-for-memory"
  /// A new version of the app was installed while it ran, or must be opened before it runs.
  case updated
  /// The app was deleted, and the new installation was not opened yet.
  case reinstalled
  /// The app's fixes wait for Wi-Fi, because it or the system sends them on nothing else.
  case waitingForWifi = "waiting-for-wifi"
  /// Nothing made the app report, and its owner has switched precise location off, so that its
  /// regions are silent.
  case preciseOff = "precise-off"
}

/// Phone-time that was not fresh, by cause.
package struct StaleLedger: Equatable, Sendable, BitwiseCopyable {
  /// Has room for more causes than there are.
  private var microseconds = InlineArray<16, Int64>(repeating: 0)

  /// Makes a ledger in which no time was stale.
  package init() {}

  /// Is the phone-time that was not fresh for one cause.
  package subscript(_ cause: StaleCause) -> SimDuration {
    .microseconds(microseconds[cause.slot])
  }

  /// Adds phone-time that was not fresh for a cause.
  package mutating func add(_ duration: SimDuration, _ cause: StaleCause) {
    microseconds[cause.slot] += duration.microseconds
  }

  /// Is the phone-time that was not fresh, over all causes.
  package var sum: SimDuration {
    StaleCause.allCases.reduce(.zero) { $0 + self[$1] }
  }

  /// Adds another ledger's phone-time, cause by cause.
  package mutating func merge(_ other: StaleLedger) {
    for cause in StaleCause.allCases { add(other[cause], cause) }
  }

  /// Cause → phone-minutes, as the run record has it.
  package var phoneMinutes: [String: Double] {
    Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0.rawValue, self[$0].seconds / 60) })
  }

  /// Compares the two ledgers' phone-time, cause by cause.
  package static func == (a: Self, b: Self) -> Bool {
    StaleCause.allCases.allSatisfy { a[$0] == b[$0] }
  }
}

extension StaleLedger: Codable {
  /// Reads cause → microseconds; a cause that is not there has none.
  package init(from decoder: any Decoder) throws {
    for (cause, microseconds) in try [StaleCause: Int64](from: decoder) {
      add(.microseconds(microseconds), cause)
    }
  }

  /// Writes cause → microseconds.
  package func encode(to encoder: any Encoder) throws {
    try Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0, self[$0].microseconds) }
    ).encode(to: encoder)
  }
}

extension StaleCause {
  /// The place of a cause among all: an enumeration without payloads is the number of its case.
  var slot: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
