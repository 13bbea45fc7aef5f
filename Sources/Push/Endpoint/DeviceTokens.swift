package import Core
internal import Scenarios

/// The push tokens of a fleet. Eight bytes encrypt phone and installation by a four-round Feistel
/// network, the rest authenticates them, and no token is stored. Tokens are not secure, since the
/// seed is no secret. Those of Apple's service have 32 bytes; `RegistrationTokens` are FCM's.
package struct DeviceTokens: Sendable {
  package let kinds: ProviderKinds
  private let key: UInt64
  private let registrations: RegistrationTokens

  package init(seed: UInt64, kinds: ProviderKinds = ProviderKinds(), project: String = "") {
    key = Draw.mix(seed ^ 0x7075_7368_746F_6B65)
    self.kinds = kinds
    registrations = RegistrationTokens(key: key, project: project)
  }

  package init(_ rules: EndpointRules) {
    self.init(seed: rules.seed, kinds: rules.kinds, project: rules.project)
  }

  package struct Owner: Equatable, Sendable, BitwiseCopyable {
    package var phone: PhoneID
    /// The number of the app's installation, from 0. Each installation has its own token.
    package var installation: UInt32

    package init(_ phone: PhoneID, installation: UInt32 = 0) {
      self.phone = phone
      self.installation = installation
    }
  }

  /// An Android phone's token. `isOfProject`: whether this project may send to the phone.
  struct Registration: Equatable {
    var owner: Owner
    var isOfProject: Bool
  }

  /// Returns the token as apps send it: of Apple's service 64 hexadecimal digits.
  package func text(of owner: Owner) -> String {
    let first = seal(UInt64(owner.phone.rawValue) << 32 | UInt64(owner.installation))
    switch kinds[owner.phone] {
    case .apns: return hexadecimalText(first)
    case .fcm:
      // swift-format-ignore: the digits are ASCII.
      return String(decoding: registrations.text(first), as: UTF8.self)
    }
  }

  private func hexadecimalText(_ first: UInt64) -> String {
    let words = [first] + (1...3).map { proof(first, $0) }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for word in words {
      for shift in stride(from: 60, through: 0, by: -4) {
        text.append(digits[Int(truncatingIfNeeded: word >> UInt64(shift)) & 15])
      }
    }
    // swift-format-ignore: the digits are ASCII.
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the owner of a token of Apple's service; nil if the token is invalid.
  package func owner(_ text: UnsafeRawBufferPointer) -> Owner? {
    guard text.count == 64 else { return nil }
    guard let first = word(text, 0) else { return nil }
    for number in 1...3 {
      guard let word = word(text, number), word == proof(first, number) else { return nil }
    }
    return owner(first, of: .apns)
  }

  /// Returns whom a token of an Android phone belongs to; nil if the token is invalid.
  func registration(_ text: UnsafeRawBufferPointer) -> Registration? {
    guard let read = registrations.read(text), let owner = owner(read.sealed, of: .fcm) else {
      return nil
    }
    return Registration(owner: owner, isOfProject: read.isOfProject)
  }

  private func owner(_ sealed: UInt64, of kind: ProviderKind) -> Owner? {
    let opened = open(sealed)
    let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: opened >> 32))
    guard kinds[phone] == kind else { return nil }
    return Owner(phone, installation: UInt32(truncatingIfNeeded: opened))
  }

  private func word(_ text: UnsafeRawBufferPointer, _ number: Int) -> UInt64? {
    var word: UInt64 = 0
    for place in number * 16..<number * 16 + 16 {
      guard let digit = hexadecimal(text[place]) else { return nil }
      word = word << 4 | UInt64(digit)
    }
    return word
  }

  private func proof(_ first: UInt64, _ number: Int) -> UInt64 {
    Draw.mix(Draw.mix(first ^ key) &+ UInt64(number))
  }

  private func round(_ half: UInt64, _ number: UInt64) -> UInt64 {
    Draw.mix(key &+ number << 32 ^ half) & 0xFFFF_FFFF
  }

  private func seal(_ word: UInt64) -> UInt64 {
    var (left, right) = (word >> 32, word & 0xFFFF_FFFF)
    for number in 0..<4 as Range<UInt64> { (left, right) = (right, left ^ round(right, number)) }
    return left << 32 | right
  }

  private func open(_ word: UInt64) -> UInt64 {
    var (left, right) = (word >> 32, word & 0xFFFF_FFFF)
    for number in (0..<4 as Range<UInt64>).reversed() {
      (left, right) = (right ^ round(left, number), left)
    }
    return left << 32 | right
  }
}
