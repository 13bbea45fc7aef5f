internal import Core

/// The form of an Android phone's registration token: 22 characters, a colon and 143 characters of
/// base64url. The first words encode the installation and the project, the rest authenticates both.
struct RegistrationTokens: Sendable {
  private let key: UInt64
  private let project: UInt64

  private static let wordCount = 15
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let colon = UInt8(ascii: ":")

  init(key: UInt64, project: String) {
    self.key = key
    self.project = project.utf8.reduce(0) { Draw.mix($0 ^ UInt64($1)) }
  }

  /// - Parameter sealed: the encrypted installation.
  func text(_ sealed: UInt64) -> [UInt8] { text(sealed, of: project) }

  /// Returns the encrypted installation, and whether the token belongs to this project; nil if the
  /// token is invalid.
  func read(_ text: UnsafeRawBufferPointer) -> (sealed: UInt64, isOfProject: Bool)? {
    // A token of APNs has digits of base64url, too.
    guard text.count == 11 * Self.wordCount + 1, let sealed = Self.word(text, 0),
      let covered = Self.word(text, 1)
    else { return nil }
    let project = covered ^ Draw.mix(sealed ^ key)
    guard self.text(sealed, of: project).elementsEqual(text) else { return nil }
    return (sealed, project == self.project)
  }

  private func text(_ sealed: UInt64, of project: UInt64) -> [UInt8] {
    let seed = Draw.mix(sealed ^ project ^ ~key)
    let words =
      [sealed, project ^ Draw.mix(sealed ^ key)]
      + (2..<Self.wordCount).map { Draw.mix(seed &+ UInt64($0)) }
    var text: [UInt8] = []
    for (number, word) in words.enumerated() {
      if number == 2 { text.append(Self.colon) }
      for shift in stride(from: 60, through: 0, by: -6) {
        text.append(Self.digits[Int(truncatingIfNeeded: word >> UInt64(shift)) & 63])
      }
    }
    return text
  }

  /// Reads the first or the second word, of 11 digits each.
  private static func word(_ text: UnsafeRawBufferPointer, _ number: Int) -> UInt64? {
    var word: UInt64 = 0
    for byte in text[number * 11..<number * 11 + 11] {
      guard let digit = ProviderToken.sextet(byte) else { return nil }
      word = word << 6 | UInt64(digit)
    }
    return word
  }
}
