import Core
import Phone
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Assumptions of the storage of phones", .quick)
struct StorageChecksTests {
  private struct Odd: BitwiseCopyable {
    var narrow: UInt8 = 1
    var wide: UInt64 = 2
    var half: UInt32 = 3
    var last: UInt8 = 4
  }

  @Test("the rule for members' offsets agrees with the compiler")
  func offsets() {
    let members: [PartialKeyPath<Odd>] = [\.narrow, \.wide, \.half, \.last]
    #expect(
      PaddingMask.offsets(ofMembersOf: Odd()) == members.map { MemoryLayout<Odd>.offset(of: $0) })
    #expect(PaddingMask.offsets(ofMembersOf: Odd()) == [0, 8, 16, 20])
  }

  @Test("a code of four bits reads back as written")
  func codes() {
    for bits in 0..<16 as Range<UInt64> { #expect(WordCode(bits: bits).bits == bits) }
    #expect(WordCode(bits: 3) == .bytes3 && WordCode(bits: 13) == .zero)
  }

  #if DEBUG
    @Test("a statement that holds the records of two phones is stopped")
    func twoPhones() async {
      await #expect(processExitsWith: .failure) {
        let scenario = Scenario.standard(phones: 2)
        let shard = Shard(context: FleetContext(scenario), phones: 0..<2, start: scenario.start)
        func hold(_ mark: inout SimInstant) { mark = shard.phones[1].mark }
        hold(&shard.phones[0].mark)
      }
    }
  #endif
}
