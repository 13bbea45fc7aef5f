import TestSupport
import Testing
@testable import Uploads

@Suite("A process's place in a run", .quick)
struct SharePlaceTests {
  @Test(
    "every phone has one process, in order, and sizes differ by one phone at most",
    arguments: [(1, 7), (3, 200), (4, 1_000_003), (7, 5), (16, 16)])
  func ranges(count: Int, phones: Int) {
    let ranges = (0..<count).map { SharePlace(number: $0, of: count).range(of: phones) }
    #expect(ranges.flatMap { $0.isEmpty ? [] : [$0] }.first?.lowerBound == 0)
    #expect(ranges.last?.upperBound == phones)
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.upperBound == next.lowerBound)
    }
    let sizes = ranges.map(\.count)
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
  }

  @Test("a single process has all phones, is the first, and is not named in a sentence")
  func alone() {
    let place = SharePlace.alone
    #expect(place.isFirst && place.range(of: 500) == 0..<500)
    #expect(place.label("The generator was late.", from: 0) == "The generator was late.")
  }

  @Test("a sentence about one of several processes names it")
  func label() {
    let place = SharePlace(number: 0, of: 3)
    #expect(place.label("memory: 9 MB.", from: 1) == "process 2 of 3: memory: 9 MB.")
  }
}
