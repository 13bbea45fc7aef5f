/// Why a push provider refuses a request, by Apple's names (Apple, "Handling notification responses
/// from APNs"). Reasons about certificates are omitted, since senders use tokens here.
package enum PushReason: String, CaseIterable, Sendable, BitwiseCopyable {
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyID = "UnrelatedKeyIdInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  package var status: Int {
    switch self {
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
      .badTopic, .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType,
      .missingDeviceToken, .missingTopic, .payloadEmpty, .topicDisallowed:
      400
    case .badEnvironmentKeyID, .expiredProviderToken, .forbidden, .invalidProviderToken,
      .missingProviderToken, .unrelatedKeyID:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    }
  }

  /// The index of the case. An enumeration without payloads is stored as this index.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
