package import Core

package enum StorageGate: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case switchedOff, offline
  /// The phone is connected but in Low Power Mode, so pushes that are not urgent wait.
  case restricted
  // Doze, for the same reasons as the outcomes of these names.
  case doze, bucketQuota, deprioritized

  /// Whether the phone has a connection, but does not take the push now.
  package var isOnPhone: Bool {
    switch self {
    case .switchedOff, .offline: false
    case .restricted, .doze, .bucketQuota, .deprioritized: true
    }
  }
}

package struct UndeliveredPush: Equatable, Sendable, BitwiseCopyable {
  package enum Ending: UInt8, Sendable, BitwiseCopyable {
    /// Another push took the phone's only slot.
    case overwritten
    case expired
    /// The provider stored as many as it does and discarded them all (AFC5).
    case discarded
  }
  package var id: UInt64
  package var gate: StorageGate
  package var ending: Ending
}

/// The provider's state of a phone in 24 bytes, with at most one stored push.
package struct ProviderSlot: Equatable, Sendable, BitwiseCopyable {
  /// The id of the stored push; 0 if nothing is stored.
  var storedID: UInt64 = 0
  package internal(set) var expiration = SimInstant(microseconds: 0)
  /// The state of the provider's limit on pushes to the phone, in scenario seconds since 1970; 0
  /// before the first push. See `ProviderKind.pace`.
  var paceSeconds: UInt32 = 0
  var gate = StorageGate.offline
  private var flags: Flags = []
  /// PN1: The hour from which pushes to a deleted app are answered 410, as the lower 16 bits of
  /// scenario hours since 1970; 0 before a push has found the app deleted, `.max` for never.
  var goneFromHour: UInt16 = 0

  private struct Flags: OptionSet, Equatable, Sendable, BitwiseCopyable {
    let rawValue: UInt8

    static let tokenIsInactive = Flags(rawValue: 1)
    static let hasDiscarded = Flags(rawValue: 2)
  }

  package init() {}

  /// Whether a push was discarded for an inactive token, so that the next push is answered 410.
  var knowsTokenIsInactive: Bool {
    get { flags.contains(.tokenIsInactive) }
    set { if newValue { flags.insert(.tokenIsInactive) } else { flags.remove(.tokenIsInactive) } }
  }

  /// AFC5: Whether the provider has discarded the phone's messages and not told the app yet.
  package var hasDiscarded: Bool {
    get { flags.contains(.hasDiscarded) }
    set { if newValue { flags.insert(.hasDiscarded) } else { flags.remove(.hasDiscarded) } }
  }

  /// Whether the provider has something for the phone.
  package var hasNews: Bool { storedID != 0 || hasDiscarded }

  /// AFC5: Stores an older message again that was beside the stored one.
  package mutating func restore(_ id: UInt64, until expiration: SimInstant) {
    (storedID, self.expiration) = (id, expiration)
  }

  /// AFC5: Discards the stored message with all others.
  package mutating func discard() -> UndeliveredPush {
    defer { storedID = 0 }
    hasDiscarded = true
    return UndeliveredPush(id: storedID, gate: gate, ending: .discarded)
  }

  /// LC16: Forgets the token of a deleted app, since the server has the token of the new
  /// installation.
  package mutating func forgetOldToken() { goneFromHour = 0 }

  /// Returns the instant from which pushes to the token are answered 410, for a deleted app a full
  /// hour (PN1); nil if never or unknown.
  package func deadFrom(at now: SimInstant) -> SimInstant? {
    if knowsTokenIsInactive { return now }
    guard goneFromHour != 0, goneFromHour != .max else { return nil }
    let hour = now.microseconds / SimDuration.hours(1).microseconds
    let ahead = Int16(bitPattern: goneFromHour &- UInt16(truncatingIfNeeded: hour))
    return SimInstant(
      microseconds: (hour + Int64(ahead)) * SimDuration.hours(1).microseconds)
  }

  /// PN1: Returns whether pushes to a deleted app are answered 410 at `hour`. The result is valid
  /// for hours less than three years apart.
  func isKnownGone(at hour: Int64) -> Bool {
    guard goneFromHour != 0, goneFromHour != .max else { return false }
    return Int16(bitPattern: UInt16(truncatingIfNeeded: hour) &- goneFromHour) >= 0
  }

  /// The id of the stored push, even if expired and not yet removed; nil if none.
  package var stored: UInt64? { storedID == 0 ? nil : storedID }
  /// The gate for which the push is stored; nil if nothing is stored.
  package var storedFor: StorageGate? { storedID == 0 ? nil : gate }

  /// Removes the stored push if it has expired by `now`. `reconnect` and `send` remove expired
  /// pushes too, and a call at a run's end gives every push its one outcome.
  package mutating func expire(at now: SimInstant) -> UndeliveredPush? {
    guard storedID != 0, expiration <= now else { return nil }
    defer { storedID = 0 }
    return UndeliveredPush(id: storedID, gate: gate, ending: .expired)
  }
}
