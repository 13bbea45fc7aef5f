internal import Core
internal import Scenarios

/// Apple's push notification service (Apple, "Sending notification requests to APNs" and "Handling
/// notification responses from APNs").
enum APNs {
  /// The maximum length of `apns-collapse-id`, in bytes.
  private static let longestCollapseID = 64

  /// Returns the error of a request that is wrong for any phone; nil if there is none. Background
  /// pushes have priority 5, or 1 to wake no phone. Only alerts and location pushes may be urgent.
  static func refusal(of request: PushRequest, largestPayload: ByteCount) -> PushRefusal? {
    switch request.credentials {
    case .valid: break
    case .expired: return .expiredProviderToken
    }
    let priority = request.priority
    let isAllowed =
      switch request.kind {
      case .background: priority == 5 || priority == 1
      case .alert, .location: priority == 10 || priority == 5 || priority == 1
      }
    if !isAllowed { return .badPriority }
    if request.collapseIDLength > longestCollapseID { return .badCollapseID }
    if request.payload.bytes <= 0 { return .payloadEmpty }
    return request.payload > largestPayload ? .payloadTooLarge : nil
  }

  /// Returns the HTTP status that the server reads. The real APNs adds a reason, such as
  /// `BadPriority` or `ExpiredProviderToken`.
  static func status(of refusal: PushRefusal) -> Int {
    switch refusal {
    case .badPriority, .badCollapseID, .payloadEmpty: 400
    case .expiredProviderToken: 403
    case .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyRequests: 429
    case .serviceUnavailable: 503
    }
  }
}
