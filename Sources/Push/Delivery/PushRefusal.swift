package import Core
package import Scenarios

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
    case .fcm: FCM.refusal(of: request, largestPayload: settings.largestPayload)
    }
  }

  func status(of refusal: PushRefusal) -> Int {
    switch self {
    case .apns: APNs.status(of: refusal)
    case .fcm: FCM.status(of: refusal)
    }
  }

  /// Whether the provider stores one push for a phone at most.
  package var storesOne: Bool {
    switch self {
    case .apns: true
    case .fcm: false
    }
  }

  /// Returns the share of cases in which a new push takes the slot of one that it may replace.
  func keepsNewest(_ settings: ProviderSettings) -> Double {
    switch self {
    case .apns: settings.keepsNewest
    case .fcm: 1
    }
  }

  /// Whether a newer push to the phone makes this one useless to its sender.
  package func replaces(_ manner: PushManner, _ request: PushRequest) -> Bool {
    switch self {
    case .apns: true
    case .fcm: manner.isOfScenario ? request.collapseIDLength > 0 : manner.collapses
    }
  }

  /// Whether the provider refuses a push because it comes too soon after another one.
  func isTooSoon(_ pace: UInt32, _ settings: ProviderSettings, at second: UInt32) -> Bool {
    switch self {
    case .apns: pace != 0 && .seconds(Int64(second) - Int64(pace)) < settings.leastSpacing
    case .fcm: false
    }
  }

  /// Notes an accepted push in `pace`, and returns how long the provider holds the push back.
  func pace(_ pace: inout UInt32, collapses: Bool, at second: UInt32) -> SimDuration {
    switch self {
    case .apns:
      pace = second
      return .zero
    case .fcm: return collapses ? FCM.wait(&pace, at: second) : .zero
    }
  }
}
