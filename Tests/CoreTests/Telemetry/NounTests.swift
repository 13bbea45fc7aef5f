import TestSupport
import Testing
@testable import Core

@Suite("Shared types", .quick)
struct NounTests {
  @Test("a fix's time is its instant rounded down to a hundredth of a second")
  func fixTime() {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 95))
    for _ in 0..<1_000 {
      let instant = SimInstant(microseconds: Int64(draw.uniform(0, 4e15)))
      let kept = FixTime(instant).instant
      #expect(kept <= instant && instant - kept < .milliseconds(10))
      #expect(FixTime(kept).instant == kept)
    }
  }

  @Test("times of fixes have the order of their instants")
  func fixTimeOrder() {
    let a = SimInstant(microseconds: 1_772_433_000_004_000)
    #expect(FixTime(a) < FixTime(a + .milliseconds(10)))
    #expect(FixTime(a) == FixTime(a + .milliseconds(5)))
  }

  @Test("a fix takes the 24 bytes that the pools assume")
  func sizes() {
    #expect(MemoryLayout<Fix>.stride == 24)
  }

  @Test("phones are in the order of their numbers")
  func phones() {
    #expect(PhoneID(rawValue: 7) < PhoneID(rawValue: 11))
  }
}
