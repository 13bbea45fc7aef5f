package import Core

package enum StorageGate: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case switchedOff, offline
  /// The phone is connected, and saves power: pushes that are not urgent wait.
  case restricted
}

package struct UndeliveredPush: Equatable, Sendable, BitwiseCopyable {
  package enum Ending: UInt8, Sendable, BitwiseCopyable {
    /// Another push took the phone's one stored place.
    case overwritten
    case expired
  }
  package var id: UInt64
  package var gate: StorageGate
  package var ending: Ending
}

/// The provider's state of a phone: at most one stored push, and a dead token. 24 bytes.
package struct ProviderSlot: Equatable, Sendable, BitwiseCopyable {
  /// 0 if nothing is stored.
  var storedID: UInt64 = 0
  var expiration = SimInstant(microseconds: 0)
  /// Scenario seconds since 1970 of the last accepted push; 0: none yet.
  var lastAcceptedSeconds: UInt32 = 0
  var gate = StorageGate.offline
  /// A push was discarded for an inactive token: the next one is answered 410.
  var knowsTokenIsInactive = false
  /// PN1: Scenario hours since 1970, lower 16 bits, from which a deleted app's token is answered
  /// 410. 0: no push has found the app gone yet; `.max`: never.
  var goneFromHour: UInt16 = 0

  package init() {}

  /// LC16: Forgets the token of a deleted app, since the server has that of the new installation.
  package mutating func forgetOldToken() { goneFromHour = 0 }

  /// When the token begins to be answered 410, as far as known at `now`; an hour for that of a
  /// deleted app (PN1); nil: never.
  package func deadFrom(at now: SimInstant) -> SimInstant? {
    if knowsTokenIsInactive { return now }
    guard goneFromHour != 0, goneFromHour != .max else { return nil }
    let hour = now.microseconds / SimDuration.hours(1).microseconds
    let ahead = Int16(bitPattern: goneFromHour &- UInt16(truncatingIfNeeded: hour))
    return SimInstant(
      microseconds: (hour + Int64(ahead)) * SimDuration.hours(1).microseconds)
  }

  /// PN1: Whether the token of a deleted app is answered 410 now. Hours that differ by less than
  /// three years are distinguished.
  func isKnownGone(at hour: Int64) -> Bool {
    guard goneFromHour != 0, goneFromHour != .max else { return false }
    return Int16(bitPattern: UInt16(truncatingIfNeeded: hour) &- goneFromHour) >= 0
  }

  /// The push that waits for the phone, if any; expired ones count until they are taken out.
  package var stored: UInt64? { storedID == 0 ? nil : storedID }
  /// The gate that first stored the push; nil: nothing is stored.
  package var storedFor: StorageGate? { storedID == 0 ? nil : gate }

  /// Takes out the stored push if it has expired by `now`, as `reconnect` and `send` do; called
  /// once at a run's end, so that every push has its one outcome.
  package mutating func expire(at now: SimInstant) -> UndeliveredPush? {
    guard storedID != 0, expiration <= now else { return nil }
    defer { storedID = 0 }
    return UndeliveredPush(id: storedID, gate: gate, ending: .expired)
  }
}
