internal import Core
internal import Scenarios

/// Firebase Cloud Messaging to Android phones (Firebase, "FCM error codes", "About FCM messages" and
/// "Throttling and quotas").
enum FCM {
  /// AFC10: The number of collapsible messages that an app gets at once.
  private static let burst: Int64 = 20
  /// AFC10: The seconds after which the app may get another collapsible message.
  private static let refill: Int64 = 180

  /// Returns the error of a request that is wrong for any phone; nil if there is none. Messages may
  /// be empty, and collapse keys have any length.
  static func refusal(of request: PushRequest, largestPayload: ByteCount) -> PushRefusal? {
    switch request.credentials {
    case .valid: request.payload > largestPayload ? .payloadTooLarge : nil
    case .expired: .expiredProviderToken
    }
  }

  static func status(of refusal: PushRefusal) -> Int {
    switch refusal {
    case .badPriority, .badCollapseID, .payloadEmpty, .payloadTooLarge: 400
    case .expiredProviderToken: 401
    case .unregistered: 404
    case .tooManyRequests: 429
    case .serviceUnavailable: 503
    }
  }

  /// AFC10: Returns how long a collapsible message waits for the burst to refill. A newer message
  /// replaces one that waits, and both wait for the same instant.
  ///
  /// - Parameter whole: the second at which the burst will be whole again.
  static func wait(_ whole: inout UInt32, at second: UInt32) -> SimDuration {
    var left = max(0, Int64(whole) - Int64(second))
    if left <= burst * refill { left += refill }
    whole = UInt32(clamping: Int64(second) + left)
    return .seconds(max(0, left - burst * refill))
  }
}
