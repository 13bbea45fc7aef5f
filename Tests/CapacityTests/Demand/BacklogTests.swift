internal import Core
internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Backlog", .quick)
struct BacklogTests {
  private static func series(_ arrivals: [Double]) -> ArrivalSeries {
    var series = ArrivalSeries(seconds: (arrivals.last ?? 0) + 1)
    for second in arrivals { series.add(second) }
    return series
  }

  @Test("a hundred batches at once are served after a hundred service times")
  func burst() {
    let arrivals = [1.0] + [Double](repeating: 10, count: 100) + [40]
    let backlog = Self.series(arrivals).backlog(rate: 10)
    #expect(backlog.most == 100 && backlog.at == 10)
    #expect(abs(backlog.longestWait - 10) < 1e-9)
    #expect(abs(backlog.lasted - 10) < 1e-3)
  }

  @Test("the longest wait equals that of a queue replayed batch by batch", arguments: 1...5)
  func replay(seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 9_997))
    let tick = 1 / ArrivalSeries.ticksPerSecond
    // On the series' own grid: nothing is rounded.
    let arrivals = (0..<2_000).map { _ in (draw.uniform(0, 100) / tick).rounded() * tick }.sorted()
    for rate in [15.0, 21, 40] {
      var (free, longest) = (0.0, 0.0)
      for at in arrivals {
        free = max(free, at) + 1 / rate
        longest = max(longest, free - at)
      }
      let backlog = Self.series(arrivals).backlog(rate: rate)
      #expect(abs(backlog.longestWait - longest) < 1e-6, "\(rate)")
      #expect(backlog.lasted >= backlog.longestWait - 1e-6)
    }
  }

  @Test("a backend of capacity C*(D) delays no batch longer than D")
  func sustained() {
    var draw = Draw(seed: 7, phone: 0, Purpose(rawValue: 9_997))
    let series = Self.series((0..<5_000).map { _ in draw.uniform(0, 60) }.sorted())
    for delay in [0.05, 1] {
      let rate = series.sustainedRate(delay: delay).rate
      #expect(series.backlog(rate: rate).longestWait <= delay + 1e-6)
      #expect(series.backlog(rate: rate * 0.98).longestWait > delay)
    }
  }

  @Test(
    "a storm table has the seconds around the busiest one, and the backlog with fewer instances")
  func storm() throws {
    let arrivals = (0..<600).map(Double.init) + [Double](repeating: 300.5, count: 500)
    let storm = StormRecord(Self.series(arrivals.sorted()), instances: 3, perInstance: 50)
    #expect(storm.seconds.max() == 501)
    #expect(storm.from + Double(try #require(storm.seconds.firstIndex(of: 501))) == 300)
    #expect(storm.survivors.map(\.instances) == [3, 2, 1])
    let waits = storm.survivors.map(\.backlog.longestWait)
    #expect(waits == waits.sorted() && waits[0] > 3 && waits[2] >= 10)
  }
}
