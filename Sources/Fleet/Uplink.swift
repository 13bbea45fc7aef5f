package import Core
package import Phone

/// Sends uploads from the fleet to a collector, once per tick and on a shard's queue. The fixes are
/// valid during the call, and have true times. The uplink replaces the times with the phone's
/// timestamps (CK2).
package protocol Uplink: AnyObject, Sendable {
  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int)
  /// Takes the uploads of events, which begin only if the server takes events.
  func submit(_ events: [EventOrder])
}

package enum ServerInput: Sendable, Equatable, BitwiseCopyable {
  case outcome(attempt: UInt32, UploadResult)
  case push(SilentPush)
  /// The number of a rollout, whose settings come with the phone's next outcome.
  case settings(rollout: UInt8)
}

package struct ConsumedInput: Sendable, Equatable, BitwiseCopyable {
  package var phone: PhoneID
  package var at: SimInstant
  package var input: ServerInput
}
