import Core
import TestSupport
import Testing

@Suite("Stable hash", .quick)
struct StableHashTests {
  @Test(
    "texts have the sums that FNV-1a's authors publish, mixed",
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func vectors(text: String, sum: UInt64) {
    #expect(StableHash(of: text).value == Draw.mix(sum))
  }

  @Test("it always has sixteen digits, and depends on the words next to a text")
  func digits() {
    var hash = StableHash()
    for word in 0..<2_000 as Range<UInt64> {
      hash.combine(word)
      #expect(hash.digits.count == 16 && UInt64(hash.digits, radix: 16) == hash.value)
    }
    #expect(hash.value != StableHash().value)
  }
}
