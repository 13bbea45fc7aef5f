package import Phone
package import SimulationCore
package import Telemetry

/// One upload that a phone begins: what the fleet asks of its uplink.
package struct UploadOrder: Sendable, BitwiseCopyable {
  /// Names the batch by phone, epoch and sequence.
  package var id: BatchID
  /// Names the attempt towards the phone: an answer to an older one is not consumed.
  package var attempt: UInt32
  /// The schedule's instant of the upload's first attempt.
  package var intended: SimInstant
  /// When the phone perceives the answer, if it is there by then.
  package var perceivedAt: SimInstant
  /// When the server has the batch, on an ideal network.
  package var reachesServer: SimInstant
  /// Place in the shard's `orderFixes` until the orders are taken.
  package var firstFix: Int32
  /// Counts the fixes of the batch.
  package var fixCount: UInt16
  /// The app has to register first: it was launched since it last did.
  package var registers: Bool
  /// Is the permission that a registration reports to the server.
  package var authorization: Authorization
  /// Is true where a registration brings a valid push token.
  package var tokenIsValid: Bool
  /// Is the index of the phone's cohort in the scenario.
  package var cohort: UInt8
  /// The newest rollout whose settings the phone has, counted from 1; 0: none.
  package var rollout: UInt8 = 0
}

/// Carries uploads from the fleet to a collector: real connections, or server logic in process.
///
/// Called on a shard's queue, once a tick, with the orders of that tick; the fixes are valid
/// during the call.
package protocol Uplink: AnyObject, Sendable {
  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int)
}

/// What comes from the server to a phone.
package enum ServerInput: Sendable, Equatable, BitwiseCopyable {
  /// The outcome of an attempt.
  case outcome(attempt: UInt32, UploadResult)
  case push(SilentPush)
  /// Newer settings, by the number of their rollout, with the outcome that follows.
  case settings(rollout: UInt8)
}

/// A server input, and the scenario instant at which its phone consumed it.
package struct ConsumedInput: Sendable, Equatable, BitwiseCopyable {
  /// Is the phone that consumed it.
  package var phone: PhoneID
  /// Is the scenario instant of consumption.
  package var at: SimInstant
  /// Is what the server said.
  package var input: ServerInput

  /// Makes a consumed input from its phone, instant and content.
  package init(phone: PhoneID, at: SimInstant, input: ServerInput) {
    self.phone = phone
    self.at = at
    self.input = input
  }
}
