package import Phone
package import Scenarios
package import SimulationCore
package import Telemetry

/// One upload that a phone begins, as the fleet hands it to its uplink.
package struct UploadOrder: Sendable, BitwiseCopyable {
  package var id: BatchID
  /// The attempt's number: an answer to an older one is not consumed.
  package var attempt: UInt32
  /// The intended time of the upload's first attempt.
  package var intended: SimInstant
  /// When the phone perceives the answer, if it has come by then.
  package var perceivedAt: SimInstant
  /// When the server has the batch, on an ideal network.
  package var reachesServer: SimInstant
  /// The place of the fixes in the shard's `orderFixes` until the orders are taken.
  package var firstFix: Int32
  /// The number of fixes of the batch.
  package var fixCount: UInt16
  /// Whether the app has to register first, because it was launched since its last registration.
  package var registers: Bool
  /// The permission that a registration reports to the server.
  package var authorization: Authorization
  /// Whether a registration brings a valid push token.
  package var tokenIsValid: Bool
  /// LC16: Whether a registration brings the token of an app that was installed anew, which
  /// the server has not acknowledged yet.
  package var bringsToken = false
  /// The index of the phone's cohort in the scenario.
  package var cohort: UInt8
  /// The newest rollout of settings that the phone has, counted from 1; 0 if none.
  package var rollout: UInt8 = 0
  /// The charge of the battery in percent, as the phone shows it.
  package var batteryPercent: UInt8 = 100
  /// True on a charger.
  package var isCharging = false
  /// How the person moves, as the system recognises it (AC5); nil: it does not.
  package var motion: MotionActivity?
}

/// Carries uploads from the fleet to a collector: real connections, or server logic in process.
///
/// Called on a shard's queue, once a tick, with the orders of that tick; the fixes are valid during
/// the call and have their true times, on which the uplink puts the phones' stamps (CK2).
package protocol Uplink: AnyObject, Sendable {
  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int)
}

/// What the server sends to a phone.
package enum ServerInput: Sendable, Equatable, BitwiseCopyable {
  case outcome(attempt: UInt32, UploadResult)
  case push(SilentPush)
  /// Newer settings, by the number of their rollout, with the outcome that follows.
  case settings(rollout: UInt8)
}

/// A server input with the scenario instant at which its phone consumed it.
package struct ConsumedInput: Sendable, Equatable, BitwiseCopyable {
  /// The phone that consumed it.
  package var phone: PhoneID
  /// The scenario instant of consumption.
  package var at: SimInstant
  /// What the server sent.
  package var input: ServerInput

  package init(phone: PhoneID, at: SimInstant, input: ServerInput) {
    self.phone = phone
    self.at = at
    self.input = input
  }
}
