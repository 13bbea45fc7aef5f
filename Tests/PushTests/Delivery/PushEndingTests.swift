import Core
import TestSupport
import Testing
@testable import Push

@Suite("Endings of pushes", .quick)
struct PushEndingTests {
  static func ending(_ second: Int64, _ phone: UInt32) -> PushEnding {
    PushEnding(
      id: UInt64(second) << 32 | UInt64(phone), phone: PhoneID(rawValue: phone),
      requestedAt: SimInstant(microseconds: second * 1_000_000), outcome: .caused)
  }

  @Test("merging ordered lists equals sorting them together", arguments: 0..<20)
  func merged(seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 9_102))
    let parts = (0..<Int(draw.uniform(0, 6))).map { _ in
      (0..<Int(draw.uniform(0, 50))).map { _ in
        Self.ending(Int64(draw.uniform(0, 30)), UInt32(draw.uniform(0, 9)))
      }.sorted(by: PushEnding.precedes)
    }
    let all = PushEnding.merged(parts)
    #expect(all == parts.flatMap(\.self).sorted(by: PushEnding.precedes))
  }

  @Test("the counterfactual is unknown, silent, or has its instant; 40 bytes in all")
  func otherCourse() {
    var ending = Self.ending(7, 3)
    #expect(ending.counterfactualReport == nil)
    for at in [SimInstant.distantFuture, SimInstant(microseconds: 0), ending.requestedAt] {
      ending.counterfactualReport = at
      #expect(ending.counterfactualReport == at)
    }
    ending.counterfactualReport = nil
    #expect(ending == Self.ending(7, 3))
    #expect(MemoryLayout<PushEnding>.stride == 40)
  }
}
