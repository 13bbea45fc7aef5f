package import Core
package import Phone
package import Scenarios

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
  package var firstFix: Int32
  package var fixCount: UInt16
  /// Whether the app has to register first, because it was launched since its last registration.
  package var registers: Bool
  package var authorization: Authorization
  package var tokenIsValid: Bool
  /// LC16: Whether a registration carries the token of a new installation, not yet acknowledged by
  /// the server.
  package var bringsToken = false
  package var cohort: UInt8
  /// The newest rollout of settings on the phone, counted from 1; 0 if none.
  package var rollout: UInt8 = 0
  package var batteryPercent: UInt8 = 100
  package var isCharging = false
  /// The person's motion as the system recognises it (AC5); nil if it does not.
  package var motion: MotionActivity?
}

/// Carries uploads from the fleet to a collector. Called on a shard's queue, once a tick; the fixes
/// are valid during the call, with true times, on which the uplink puts the stamps (CK2).
package protocol Uplink: AnyObject, Sendable {
  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int)
}

package enum ServerInput: Sendable, Equatable, BitwiseCopyable {
  case outcome(attempt: UInt32, UploadResult)
  case push(SilentPush)
  /// Newer settings, by the number of their rollout, with the outcome that follows.
  case settings(rollout: UInt8)
}

package struct ConsumedInput: Sendable, Equatable, BitwiseCopyable {
  package var phone: PhoneID
  package var at: SimInstant
  package var input: ServerInput
}
