@testable import Core
import TestSupport
import Testing

@Suite("HDR histogram", .quick)
struct HistogramTests {
  @Test(
    "slots are HdrHistogram's",
    arguments: [
      (0, 0), (2_047, 2_047), (2_048, 2_048), (2_049, 2_048), (4_095, 3_071), (4_096, 3_072),
      (10_000, 4_322), (1_000_000, 11_169), (3_600_000_000, 23_220),
    ] as [(Int64, Int)])
  func index(value: Int64, slot: Int) {
    #expect(Histogram.index(of: value) == slot)
    #expect(Histogram.values(at: slot).contains(value))
  }

  @Test("slots tile the values without gaps, each within a thousandth")
  func slots() {
    for slot in 0..<Histogram.slots - 1 {
      let values = Histogram.values(at: slot)
      #expect(values.upperBound + 1 == Histogram.values(at: slot + 1).lowerBound)
      #expect(Histogram.index(of: min(values.upperBound, Histogram.highest)) <= slot)
      #expect(Double(values.count - 1) <= Double(values.lowerBound) / 1_000)
    }
  }

  @Test("percentiles agree with sorted values to three digits")
  func percentiles() {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 899))
    var histogram = Histogram()
    var values: [Int64] = []
    for _ in 0..<20_000 {
      let value = Int64(draw.logNormal(median: 5_000, sigma: 2))
      values.append(value)
      histogram.record(value)
    }
    values.sort()
    for q in [0.01, 0.5, 0.9, 0.99, 0.999] {
      let exact = values[max(1, Int(q * 20_000 + 0.5)) - 1]
      let slot = Histogram.values(at: Histogram.index(of: exact))
      #expect(histogram.percentile(q) == .value(slot.upperBound))
    }
    #expect(histogram.min == values.first && histogram.max == values.last)
    #expect(histogram.sum == values.reduce(0, +))
  }

  @Test("a merge is the histogram of all values")
  func merge() {
    var parts = [Histogram(), Histogram(), Histogram()]
    var whole = Histogram()
    for i in 0..<9_000 {
      parts[i % 3].record(Int64(i * i % 77_777))
      whole.record(Int64(i * i % 77_777))
    }
    parts[1].recordCensored(atLeast: 500)
    whole.recordCensored(atLeast: 500)
    var merged = Histogram()
    for part in parts { merged.merge(part) }
    #expect(merged == whole)
  }

  @Test(
    "a percentile needs as many samples as make its interval finite",
    arguments: [(0.5, 1), (0.9, 36), (0.95, 72), (0.99, 368), (0.999, 3_688), (0.9999, 36_887)])
  func support(q: Double, needed: Int) {
    #expect(Histogram.samplesNeeded(for: q) == needed)
    var histogram = Histogram()
    for _ in 0..<needed - 1 { histogram.record(7) }
    #expect(histogram.percentile(q) == .unsupported)
    histogram.record(7)
    #expect(histogram.percentile(q) == .value(7))
  }

  @Test("failures rank above every number, and a percentile among them is beyond the deadline")
  func censored() {
    var histogram = Histogram()
    for i in 1...980 { histogram.record(Int64(i)) }
    for _ in 0..<20 { histogram.recordCensored(atLeast: 30_000_000) }
    #expect(histogram.total == 1_000 && histogram.count == 980 && histogram.censored == 20)
    #expect(histogram.percentile(0.5) == .value(500))
    #expect(histogram.percentile(0.98) == .value(980))
    #expect(histogram.percentile(0.99) == .beyond(30_000_000))
  }

  @Test("values outside the range are kept at its ends and counted")
  func range() {
    var histogram = Histogram()
    histogram.record(-5)
    histogram.record(Histogram.highest + 1)
    #expect(histogram.min == 0 && histogram.max == Histogram.highest)
    #expect(histogram.saturated == 1)
  }

  @Test("the wire form keeps everything, and an unknown form is refused")
  func sparse() throws {
    var histogram = Histogram()
    for i in 0..<500 { histogram.record(Int64(i * 997)) }
    histogram.recordCensored(atLeast: 123)
    let sparse = histogram.sparse
    #expect(try #require(Histogram(sparse)) == histogram)
    var foreign = sparse
    foreign.slots.append(.init(index: Histogram.slots, count: 1))
    #expect(Histogram(foreign) == nil)
    #expect(try #require(Histogram(Histogram().sparse)) == Histogram())
  }

  @Test("reset leaves nothing behind")
  func reset() {
    var histogram = Histogram()
    histogram.record(99)
    histogram.recordCensored(atLeast: 5)
    histogram.reset()
    #expect(histogram == Histogram())
  }
}

@Suite("Cumulative counts of a histogram", .quick)
struct CumulativeCountTests {
  @Test("each bound counts what is at most that, or shares its slot")
  func bounds() {
    var histogram = Histogram()
    for value in [0, 99, 100, 101, 5_000, 5_003, 5_004, 3_600_000_000] as [Int64] {
      histogram.record(value)
    }
    // Slots of 4 µs from 4,096 on: 5,000 to 5,003 is one.
    #expect(histogram.cumulative(upTo: [0, 100, 1_000, 5_000, .max]) == [1, 3, 4, 6, 8])
    #expect(Histogram().cumulative(upTo: [1, 2]) == [0, 0])
  }

  @Test("an empty histogram is equal however it was made, and accepts values")
  func empty() throws {
    var emptied = Histogram()
    emptied.record(7)
    emptied.reset()
    var merged = Histogram()
    merged.merge(emptied)
    let slot = Histogram.Sparse.Slot(index: 7, count: 0)
    var sparse = Histogram().sparse
    sparse.slots = [slot]
    for var histogram in [Histogram(), emptied, merged, try #require(Histogram(sparse))] {
      #expect(histogram == Histogram())
      #expect(histogram.cumulative(upTo: [0, 7]) == [0, 0])
      #expect(histogram.percentile(0.5) == .unsupported)
      var other = Histogram()
      other.record(7)
      histogram.merge(other)
      #expect(histogram == other)
    }
  }
}
