package import SimulationCore

/// Why the provider could not hand a push to a phone at once.
package enum StorageGate: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case switchedOff, offline
  /// The phone is connected, and saves power: what is not urgent waits.
  case restricted
}

/// A push that left the provider without reaching its phone.
package struct UndeliveredPush: Equatable, Sendable, BitwiseCopyable {
  /// How the push ended at the provider.
  package enum Ending: UInt8, Sendable, BitwiseCopyable {
    /// The one stored place of the phone went to another push.
    case overwritten
    /// Its `apns-expiration`, or the provider's longest storage time, passed.
    case expired
  }
  /// The id of the push.
  package var id: UInt64
  /// What kept it at the provider in the first place.
  package var gate: StorageGate
  /// How the push ended at the provider.
  package var ending: Ending

  /// Makes the record of a push that did not reach its phone.
  package init(id: UInt64, gate: StorageGate, ending: Ending) {
    self.id = id
    self.gate = gate
    self.ending = ending
  }
}

/// What the provider remembers of one phone: at most one stored push, and whether its token died.
///
/// 24 bytes, so that the fleet keeps it inside the phone's own record.
package struct ProviderSlot: Equatable, Sendable, BitwiseCopyable {
  /// 0 when nothing is stored.
  var storedID: UInt64 = 0
  /// Of the stored push, or of the one that is on its way.
  var expiration = SimInstant(microseconds: 0)
  /// Scenario seconds since 1970 of the last push that was accepted; 0: none yet.
  var lastAcceptedSeconds: UInt32 = 0
  var gate = StorageGate.offline
  /// A push was discarded for an inactive token: the next one is answered 410.
  var knowsTokenIsInactive = false
  /// PN1: Scenario hours since 1970, in their lower 16 bits, from which a token whose app is gone
  /// is answered 410. 0: no push has found the app gone yet; `.max`: it never is.
  var goneFromHour: UInt16 = 0

  /// Makes the slot of a phone to which nothing was ever sent.
  package init() {}

  /// LC16: Forgets what was learnt of the token of a deleted app, since the server has the token of
  /// the new installation.
  package mutating func forgetOldToken() { goneFromHour = 0 }

  /// Returns from when on the token is answered 410, as far as the provider knows at `now`: the
  /// present for one that it has found inactive (rule book section 5), an hour for that of a
  /// deleted app (PN1); nil: it is good, or it never is answered so.
  package func deadFrom(at now: SimInstant) -> SimInstant? {
    if knowsTokenIsInactive { return now }
    guard goneFromHour != 0, goneFromHour != .max else { return nil }
    let hour = now.microseconds / SimDuration.hours(1).microseconds
    let ahead = Int16(bitPattern: goneFromHour &- UInt16(truncatingIfNeeded: hour))
    return SimInstant(
      microseconds: (hour + Int64(ahead)) * SimDuration.hours(1).microseconds)
  }

  /// PN1: Returns whether the token of a deleted app is answered 410 now. Hours that differ by
  /// less than three years are told apart.
  func isKnownGone(at hour: Int64) -> Bool {
    guard goneFromHour != 0, goneFromHour != .max else { return false }
    return Int16(bitPattern: UInt16(truncatingIfNeeded: hour) &- goneFromHour) >= 0
  }

  /// The push that waits for the phone, if any; expired ones count until they are taken out.
  package var stored: UInt64? { storedID == 0 ? nil : storedID }
  /// What kept the stored push from its phone in the first place; nil: nothing is stored.
  package var storedFor: StorageGate? { storedID == 0 ? nil : gate }

  /// Takes out the stored push if its time has passed by `now`.
  ///
  /// The provider does so by itself at `reconnect` and `send`; a run calls it once more at its
  /// end, so that every push has its one outcome.
  package mutating func expire(at now: SimInstant) -> UndeliveredPush? {
    guard storedID != 0, expiration <= now else { return nil }
    defer { storedID = 0 }
    return UndeliveredPush(id: storedID, gate: gate, ending: .expired)
  }
}
