internal import Core

package enum PushAnswerText {
  package static func body(_ reason: PushReason, since: Int64?) -> String {
    guard let since else { return #"{"reason":"\#(reason.rawValue)"}"# }
    return #"{"reason":"\#(reason.rawValue)","timestamp":\#(since)}"#
  }

  /// Writes a version 4 UUID, in capitals like Apple's, into the first 36 bytes of `target`.
  package static func writeID(
    seed: UInt64, _ number: UInt64, into target: UnsafeMutableRawBufferPointer
  ) {
    let first = Draw.mix(seed ^ Draw.mix(number)) & ~0xF000 | 0x4000
    let second = Draw.mix(first &+ number) & ~(0xC000_0000_0000_0000) | 0x8000_0000_0000_0000
    var place = 0
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
        target[place] = 0x2D
        place += 1
      }
      let word = nibble < 16 ? first : second
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - nibble % 16 * 4)) & 15
      target[place] = digit < 10 ? 0x30 + digit : 0x37 + digit
      place += 1
    }
  }
}
