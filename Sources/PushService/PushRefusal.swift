internal import Scenarios

/// Why a provider did not take a request, whatever the service calls the reason.
package enum PushRefusal: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case serviceUnavailable
  case expiredProviderToken
  case badPriority
  case badCollapseID
  case payloadEmpty
  case payloadTooLarge
  case unregistered
  case tooManyRequests
}

// What differs between push services: one switch each.
extension ProviderKind {
  /// Returns what is wrong with a request whichever phone it is for; nil: nothing.
  func refusal(of request: PushRequest, _ settings: ProviderSettings) -> PushRefusal? {
    switch self {
    case .apns: APNs.refusal(of: request, largestPayload: settings.largestPayload)
    }
  }

  /// Returns the status that the server reads.
  func status(of refusal: PushRefusal) -> Int {
    switch self {
    case .apns: APNs.status(of: refusal)
    }
  }

  /// Returns whether a phone that saves power takes the push all the same.
  func isUrgent(_ request: PushRequest) -> Bool {
    switch self {
    case .apns: APNs.isUrgent(request)
    }
  }
}
