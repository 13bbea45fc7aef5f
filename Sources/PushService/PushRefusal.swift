internal import Scenarios
internal import SimulationCore

/// Why the provider did not take a request, by the reason that APNs gives (Apple, "Handling
/// notification responses from APNs").
package enum PushRefusal: String, CaseIterable, Sendable, BitwiseCopyable {
  case serviceUnavailable = "ServiceUnavailable"
  case expiredProviderToken = "ExpiredProviderToken"
  case badPriority = "BadPriority"
  case badCollapseID = "BadCollapseId"
  case payloadEmpty = "PayloadEmpty"
  case payloadTooLarge = "PayloadTooLarge"
  case unregistered = "Unregistered"
  case tooManyRequests = "TooManyRequests"

  /// What the server reads.
  package var status: Int {
    switch self {
    case .badPriority, .badCollapseID, .payloadEmpty: 400
    case .expiredProviderToken: 403
    case .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyRequests: 429
    case .serviceUnavailable: 503
    }
  }
}

extension PushRequest {
  /// `apns-collapse-id` may have 64 bytes at most.
  private static let longestCollapseID = 64

  /// What is wrong with a request whichever phone it is for (rule book 2.2); nil: nothing.
  ///
  /// A background push has priority 5, or 1 to wake no phone; only alerts and location pushes may
  /// be urgent.
  func refusal(largestPayload: ByteCount) -> PushRefusal? {
    switch credentials {
    case .valid: break
    case .expired: return .expiredProviderToken
    }
    let isAllowed =
      switch kind {
      case .background: priority == 5 || priority == 1
      case .alert, .location: priority == 10 || priority == 5 || priority == 1
      }
    if !isAllowed { return .badPriority }
    if collapseIDLength > Self.longestCollapseID { return .badCollapseID }
    if payload.bytes <= 0 { return .payloadEmpty }
    return payload > largestPayload ? .payloadTooLarge : nil
  }
}
