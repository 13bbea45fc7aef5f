internal import Scenarios

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

// The methods below contain the differences between push services, with one switch each.
extension ProviderKind {
  func refusal(of request: PushRequest, _ settings: ProviderSettings) -> PushRefusal? {
    switch self {
    case .apns: APNs.refusal(of: request, largestPayload: settings.largestPayload)
    }
  }

  func status(of refusal: PushRefusal) -> Int {
    switch self {
    case .apns: APNs.status(of: refusal)
    }
  }

  func isUrgent(_ request: PushRequest) -> Bool {
    switch self {
    case .apns: APNs.isUrgent(request)
    }
  }
}
