/// Why Firebase Cloud Messaging refuses a request, by Google's names (Firebase, "FCM error codes";
/// Google, "API errors").
package enum MessagingReason: String, CaseIterable, Sendable, BitwiseCopyable {
  case invalidArgument = "INVALID_ARGUMENT"
  case unregistered = "UNREGISTERED"
  case senderIDMismatch = "SENDER_ID_MISMATCH"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case unavailable = "UNAVAILABLE"
  case `internal` = "INTERNAL"
  case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
  /// A missing, expired or foreign access token (a Google API code, not an FCM code).
  case unauthenticated = "UNAUTHENTICATED"
  /// The account may not send for that project (a Google API code, not an FCM code).
  case permissionDenied = "PERMISSION_DENIED"
  case notFound = "NOT_FOUND"

  package var status: Int {
    switch self {
    case .invalidArgument: 400
    case .thirdPartyAuthError, .unauthenticated: 401
    case .senderIDMismatch, .permissionDenied: 403
    case .unregistered, .notFound: 404
    case .quotaExceeded: 429
    case .internal: 500
    case .unavailable: 503
    }
  }

  var statusName: String {
    switch self {
    case .unregistered: "NOT_FOUND"
    case .senderIDMismatch: "PERMISSION_DENIED"
    case .quotaExceeded: "RESOURCE_EXHAUSTED"
    case .thirdPartyAuthError: "UNAUTHENTICATED"
    case .invalidArgument, .unavailable, .internal, .unauthenticated, .permissionDenied,
      .notFound:
      rawValue
    }
  }

  /// Whether FCM's answer gives the reason as an FCM code.
  var isOfMessaging: Bool {
    switch self {
    case .unauthenticated, .permissionDenied, .notFound: false
    case .invalidArgument, .unregistered, .senderIDMismatch, .quotaExceeded, .unavailable,
      .internal, .thirdPartyAuthError:
      true
    }
  }

  package var asksToWait: Bool { self == .quotaExceeded || self == .unavailable }

  var message: String {
    switch self {
    case .invalidArgument: "Request contains an invalid argument."
    case .unregistered: "Requested entity was not found."
    case .senderIDMismatch: "SenderId mismatch"
    case .quotaExceeded: "Quota exceeded for messages of this project or device."
    case .unavailable: "The service is currently unavailable."
    case .internal: "Internal error encountered."
    case .thirdPartyAuthError: "Auth error from APNS or Web Push Service"
    case .unauthenticated:
      "Request had invalid authentication credentials. Expected an OAuth 2 access token."
    case .permissionDenied: "The account may not send messages for this project."
    case .notFound: "No such path."
    }
  }

  init(_ reason: PushReason) {
    switch reason {
    case .unregistered, .expiredToken: self = .unregistered
    case .deviceTokenNotForTopic: self = .senderIDMismatch
    case .tooManyRequests: self = .quotaExceeded
    case .serviceUnavailable, .shutdown: self = .unavailable
    case .internalServerError: self = .internal
    case .topicDisallowed, .badEnvironmentKeyID, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .unrelatedKeyID,
      .tooManyProviderTokenUpdates:
      self = .thirdPartyAuthError
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
      .badTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
      .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
      self = .invalidArgument
    }
  }
}
