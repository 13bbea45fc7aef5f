package import Core
package import Scenarios

/// The push service of each phone of a fleet, in ranges of phones.
package struct ProviderKinds: Sendable {
  private var ends: [(phone: Int, kind: ProviderKind)] = []

  /// - Parameter ranges: the first ranges of phones with their kinds; other phones have Apple's.
  package init(_ ranges: [(phones: Int, kind: ProviderKind)] = []) {
    for range in ranges {
      ends.append((phone: (ends.last?.phone ?? 0) + range.phones, kind: range.kind))
    }
  }

  /// Creates the kinds of a fleet whose last phones are a share of Android phones.
  package init(phones: Int, android share: Double) {
    let android = Int((share * Double(phones)).rounded())
    self.init([(phones - android, .apns), (android, .fcm)])
  }

  package subscript(phone: PhoneID) -> ProviderKind {
    ends.first { Int(phone.rawValue) < $0.phone }?.kind ?? .apns
  }
}
