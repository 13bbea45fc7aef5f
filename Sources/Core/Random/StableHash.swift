/// A hash that is not cryptographic, but equal on every machine and in every run: FNV-1a (Fowler,
/// Noll and Vo). SplitMix64's mixer improves the upper bits, which are poor for short texts.
package struct StableHash: Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package init(of text: String) { combine(text) }

  package mutating func combine(_ word: UInt64) { state = (state ^ word) &* 0x100_0000_01B3 }

  package mutating func combine(_ text: String) { for byte in text.utf8 { combine(UInt64(byte)) } }

  package var value: UInt64 { Draw.mix(state) }

  /// The value as sixteen hexadecimal digits.
  package var digits: String {
    let word = String(value, radix: 16)
    return String(repeating: "0", count: 16 - word.count) + word
  }
}
