package import Telemetry

/// What became of a request.
package enum PushVerdict: Equatable, Sendable {
  case accepted(AcceptedPush)
  /// - `since`: with 410, the milliseconds of 1970 at which the token died.
  case refused(PushReason, since: Int64? = nil)

  /// Is the status of HTTP.
  package var status: Int {
    switch self {
    case .accepted: 200
    case .refused(let reason, since: _): reason.status
    }
  }
}

/// A push that the provider has taken.
package struct AcceptedPush: Equatable, Sendable, Codable {
  /// Is the phone that it is for.
  package var phone: PhoneID
  /// Is its number among those that the provider has taken for the phone, from 1.
  package var number: UInt32
  /// Says what it is for.
  package var type: PushType
  /// Is 10, 5 or 1.
  package var priority: Int
  /// Until when it may be stored, in seconds since 1970: 0: not at all; nil: as long as the
  /// provider stores any.
  package var expiration: Int64?
  /// Is true where the payload asks for time to run (`content-available`).
  package var asksToRun: Bool
  /// Is true where a draw decided that it is not delivered, which the sender cannot see.
  package var isWithheld: Bool
}
