/// Hashes words and texts, with the same result on every machine and in every run: FNV-1a (Fowler,
/// Noll and Vo), finished with SplitMix64's mixer, since its own upper bits are poor for short
/// texts. It protects against chance, not against people.
package struct StableHash: Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Makes a hash of nothing.
  package init() {}

  /// Makes a hash of a text's bytes in UTF-8.
  package init(of text: String) { combine(text) }

  /// Adds a word as one step.
  package mutating func combine(_ word: UInt64) { state = (state ^ word) &* 0x100_0000_01B3 }

  /// Adds a text's bytes in UTF-8, a step each.
  package mutating func combine(_ text: String) { for byte in text.utf8 { combine(UInt64(byte)) } }

  /// Is the hash of all that was added so far.
  package var value: UInt64 { Draw.mix(state) }

  /// Is the hash as sixteen hexadecimal digits.
  package var digits: String {
    let word = String(value, radix: 16)
    return String(repeating: "0", count: 16 - word.count) + word
  }
}
