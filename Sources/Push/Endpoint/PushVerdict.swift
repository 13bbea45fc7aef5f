package import Core

package enum PushVerdict: Equatable, Sendable {
  case accepted(AcceptedPush)
  /// - `since`: with 410, the time in milliseconds since 1970 at which the token became invalid.
  case refused(PushReason, since: Int64? = nil)

  package var status: Int {
    switch self {
    case .accepted: 200
    case .refused(let reason, since: _): reason.status
    }
  }
}

package struct AcceptedPush: Equatable, Sendable, Codable {
  package var phone: PhoneID
  /// The number of this push among the phone's accepted pushes, from 1.
  package var number: UInt32
  package var type: PushType
  /// The priority: 10, 5 or 1.
  package var priority: Int
  /// The expiration in seconds since 1970; 0 to forbid storage, nil for the longest storage.
  package var expiration: Int64?
  package var asksToRun: Bool
  /// Whether a draw suppresses the delivery of the push, invisibly to the sender.
  package var isWithheld: Bool
  /// Whether the message has FCM's collapse key.
  package var collapses = false
}
