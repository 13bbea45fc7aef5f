import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Uploads

@Suite("The seconds of a live run in several processes", .quick)
struct IntervalRoundsTests {
  private static let ranges = [0..<30, 30..<60, 60..<100]

  private static func interval(_ number: Int, second: Int) -> ShareInterval {
    ShareIntervalTests.share(ranges[number], after: second)
  }

  private static func packed(_ number: Int, second: Int) -> PackedInterval {
    PackedInterval(interval(number, second: second))
  }

  @Test("a second is complete when the last process has sent its own, and is then the sum of all")
  func complete() {
    var rounds = IntervalRounds(processes: 3)
    rounds.add(Self.packed(2, second: 1), from: 2)
    rounds.add(Self.packed(0, second: 1), from: 0)
    #expect(rounds.next() == nil)
    rounds.add(Self.packed(1, second: 1), from: 1)
    var sum = Self.interval(0, second: 1)
    sum.merge(Self.interval(1, second: 1))
    sum.merge(Self.interval(2, second: 1))
    #expect(rounds.next() == sum)
    #expect(rounds.next() == nil)
  }

  @Test("seconds come in order, however far ahead of the slowest process the others are")
  func order() {
    var rounds = IntervalRounds(processes: 3)
    for second in 1...4 {
      rounds.add(Self.packed(0, second: second), from: 0)
      rounds.add(Self.packed(1, second: second), from: 1)
    }
    #expect(rounds.next() == nil)
    for second in 1...4 {
      rounds.add(Self.packed(2, second: second), from: 2)
      #expect(rounds.next()?.second == second)
      #expect(rounds.next() == nil)
    }
  }

  @Test("a late process's two seconds at once are counted once, in the second of them")
  func skipped() {
    var rounds = IntervalRounds(processes: 2)
    for second in 1...3 { rounds.add(Self.packed(0, second: second), from: 0) }
    rounds.add(Self.packed(1, second: 1), from: 1)
    rounds.add(Self.packed(1, second: 3), from: 1)
    let sums = [rounds.next(), rounds.next(), rounds.next()].compactMap(\.self)
    #expect(sums.map(\.second) == [1, 2, 3])
    #expect(sums.map(\.load.counters[.offeredBatches]) == [60, 30, 60])
    // Totals of a process that sent nothing are unchanged.
    #expect(sums.map(\.counts[.payloadBytes]) == [60, 30 * 2 + 30, 60 * 3].map { $0 * 300 })
    #expect(sums.map(\.phones) == [60, 60, 60])
    #expect(sums[1].senders.map(\.cores) == [0.25, 0])
  }

  @Test("if the first process is late, its next second has what the others sent meanwhile")
  func firstIsLate() {
    var rounds = IntervalRounds(processes: 2)
    for second in 1...3 { rounds.add(Self.packed(1, second: second), from: 1) }
    rounds.add(Self.packed(0, second: 1), from: 0)
    rounds.add(Self.packed(0, second: 3), from: 0)
    #expect(rounds.next()?.load.counters[.offeredBatches] == 60)
    let sum = rounds.next()
    #expect(sum?.load.counters[.offeredBatches] == 30 + 2 * 30)
    #expect(sum?.load.latency.response.total == 90)
    #expect(sum?.counts[.payloadBytes] == 60 * 3 * 300)
  }

  @Test("a process that has sent its last delays no other, and its totals are kept")
  func closed() {
    var rounds = IntervalRounds(processes: 2)
    rounds.add(Self.packed(1, second: 1), from: 1)
    rounds.add(nil, from: 1)
    for second in 1...2 { rounds.add(Self.packed(0, second: second), from: 0) }
    #expect(rounds.next()?.counts[.payloadBytes] == 60 * 300)
    #expect(rounds.next()?.counts[.payloadBytes] == (30 * 2 + 30) * 300)
    // One that never sent anything is not there.
    var alone = IntervalRounds(processes: 2)
    alone.add(nil, from: 1)
    alone.add(Self.packed(0, second: 1), from: 0)
    #expect(alone.next() == Self.interval(0, second: 1))
  }
}
