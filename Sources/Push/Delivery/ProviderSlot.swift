package import Core

package enum StorageGate: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case switchedOff, offline
  /// The phone is connected, but in Low Power Mode: pushes that are not urgent wait.
  case restricted
}

package struct UndeliveredPush: Equatable, Sendable, BitwiseCopyable {
  package enum Ending: UInt8, Sendable, BitwiseCopyable {
    /// Another push took the phone's only slot.
    case overwritten
    case expired
  }
  package var id: UInt64
  package var gate: StorageGate
  package var ending: Ending
}

/// The provider's state of a phone: at most one stored push, and an invalid token. 24 bytes.
package struct ProviderSlot: Equatable, Sendable, BitwiseCopyable {
  /// The id of the stored push; 0 if nothing is stored.
  var storedID: UInt64 = 0
  var expiration = SimInstant(microseconds: 0)
  /// Scenario seconds since 1970 of the last accepted push; 0 if there is none yet.
  var lastAcceptedSeconds: UInt32 = 0
  var gate = StorageGate.offline
  /// Whether a push was discarded for an inactive token; if so, the next one is answered 410.
  var knowsTokenIsInactive = false
  /// PN1: The hour from which a deleted app's token is answered 410: the lower 16 bits of scenario
  /// hours since 1970. 0: no push has found the app deleted yet. `.max`: never.
  var goneFromHour: UInt16 = 0

  package init() {}

  /// LC16: Forgets the token of a deleted app, since the server has the token of the new
  /// installation.
  package mutating func forgetOldToken() { goneFromHour = 0 }

  /// Returns when the token starts to be answered 410, as known at `now`; for a deleted app to the
  /// hour (PN1). nil: never.
  package func deadFrom(at now: SimInstant) -> SimInstant? {
    if knowsTokenIsInactive { return now }
    guard goneFromHour != 0, goneFromHour != .max else { return nil }
    let hour = now.microseconds / SimDuration.hours(1).microseconds
    let ahead = Int16(bitPattern: goneFromHour &- UInt16(truncatingIfNeeded: hour))
    return SimInstant(
      microseconds: (hour + Int64(ahead)) * SimDuration.hours(1).microseconds)
  }

  /// PN1: Whether the token of a deleted app is answered 410 at `hour`. Valid for hours that differ
  /// by less than three years.
  func isKnownGone(at hour: Int64) -> Bool {
    guard goneFromHour != 0, goneFromHour != .max else { return false }
    return Int16(bitPattern: UInt16(truncatingIfNeeded: hour) &- goneFromHour) >= 0
  }

  /// The push that waits for the phone, if any; expired pushes count until they are removed.
  package var stored: UInt64? { storedID == 0 ? nil : storedID }
  /// The gate that first stored the push; nil if nothing is stored.
  package var storedFor: StorageGate? { storedID == 0 ? nil : gate }

  /// Removes the stored push if it has expired by `now`. `reconnect` and `send` do so too; a call
  /// at a run's end gives every push its one outcome.
  package mutating func expire(at now: SimInstant) -> UndeliveredPush? {
    guard storedID != 0, expiration <= now else { return nil }
    defer { storedID = 0 }
    return UndeliveredPush(id: storedID, gate: gate, ending: .expired)
  }
}
