internal import SimulationCore

/// What stands in an answer to a sender.
package enum PushAnswerText {
  /// Returns the body of a refusal: JSON with the reason, and with 410 since when.
  package static func body(_ reason: PushReason, since: Int64?) -> String {
    guard let since else { return #"{"reason":"\#(reason.rawValue)"}"# }
    return #"{"reason":"\#(reason.rawValue)","timestamp":\#(since)}"#
  }

  /// Writes the name of a push whose sender gave it none: a UUID of version 4, in capitals as the
  /// provider has them, from a seed and a number.
  ///
  /// - Parameter target: has room for 36 bytes.
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
