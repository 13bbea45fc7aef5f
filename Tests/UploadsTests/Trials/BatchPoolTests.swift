import Core
import TestSupport
import Testing
import Uploads

@Suite("Fixes of trials", .quick)
struct BatchPoolTests {
  @Test("a batch of the pool is twenty fixes, five seconds apart and none in the future")
  func pool() {
    let end = SimInstant(microseconds: 1_772_433_000_000_000)
    let pool = BatchPool(before: end)
    #expect(pool.fixes.count == 2_048 * 20)
    #expect(pool.range(2_048 + 3) == 60..<80)
    let fixes = pool.fixes[pool.range(7)]
    for (earlier, later) in zip(fixes, fixes.dropFirst()) {
      let gap = (later.time.instant - earlier.time.instant).seconds
      #expect((4.8...5.2).contains(gap))
    }
    #expect(pool.fixes.allSatisfy { $0.time.instant <= end })
    #expect(pool.fixes.contains { $0.courseDegrees == -1 })
    #expect(pool.fixes.allSatisfy { (-1..<360).contains($0.courseDegrees) })
  }
}
