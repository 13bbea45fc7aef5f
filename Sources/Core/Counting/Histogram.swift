/// A percentile: a number, only a lower bound, or unsupported because there are too few samples.
package enum Percentile: Equatable, Sendable {
  /// The percentile in microseconds.
  case value(Int64)
  /// There are fewer samples than a two-sided 95 % interval of this percentile needs.
  case unsupported
  /// The percentile lies among the failed calls, above this many microseconds.
  case beyond(Int64)

  package var microseconds: Int64? {
    switch self {
    case .value(let value): value
    case .unsupported, .beyond: nil
    }
  }
}

/// An HdrHistogram (Tene) of latencies, 1 µs … 1 h at three significant digits. Every instance has
/// 23,552 slots, so merging is a vector addition. A failed call is censored: it ranks above every
/// recorded value, and a percentile among the failed calls is `.beyond`.
package struct Histogram: Equatable, Sendable {
  /// The greatest recordable value: one hour, in µs.
  package static let highest: Int64 = 3_600_000_000
  /// The number of slots. Two values in the same slot differ by less than 0.1 %.
  package static let slots = 23_552
  private static let halfCount = 1_024
  private static let log2Half = 10

  /// A count for each slot; empty before the first value, since many histograms stay empty.
  private var counts: [UInt64] = []
  package private(set) var count: Int = 0
  /// The number of failed calls, which rank above every recorded value.
  package private(set) var censored: Int = 0
  /// The least deadline among the censored values, µs.
  private var censoredFrom = Int64.max
  /// The number of values above an hour, which are recorded as an hour.
  package private(set) var saturated: Int = 0
  /// The exact sum of the recorded values, µs.
  package private(set) var sum: Int64 = 0
  private var least = Int64.max
  private var greatest = Int64.min

  package init() {}

  private mutating func addSlots() {
    counts.append(contentsOf: repeatElement(0, count: Self.slots))
  }

  package var total: Int { count + censored }
  package var isEmpty: Bool { total == 0 }
  /// The least recorded value, exact, in µs; nil without one.
  package var min: Int64? { count > 0 ? least : nil }
  /// The greatest recorded value, exact up to one hour, in µs; nil without one.
  package var max: Int64? { count > 0 ? greatest : nil }
  /// The mean of the recorded values in µs; nil without one.
  package var mean: Double? { count > 0 ? Double(sum) / Double(count) : nil }

  // MARK: Recording

  /// Records a latency, clamped to zero … one hour.
  package mutating func record(_ microseconds: Int64) {
    let value = Swift.min(Swift.max(microseconds, 0), Self.highest)
    if microseconds > Self.highest { saturated += 1 }
    if counts.isEmpty { addSlots() }
    counts[Self.index(of: value)] += 1
    count += 1
    sum += value
    least = Swift.min(least, value)
    greatest = Swift.max(greatest, value)
  }

  /// Records a failed call, which took at least this long.
  package mutating func recordCensored(atLeast microseconds: Int64) {
    censored += 1
    censoredFrom = Swift.min(censoredFrom, microseconds)
  }

  /// Adds another histogram's counts; the sum and both extremes stay exact.
  package mutating func merge(_ other: Histogram) {
    add(other.counts.span)
    count += other.count
    censored += other.censored
    censoredFrom = Swift.min(censoredFrom, other.censoredFrom)
    saturated += other.saturated
    sum += other.sum
    least = Swift.min(least, other.least)
    greatest = Swift.max(greatest, other.greatest)
  }

  /// Adds counts slot by slot, in a loop without branches that the compiler vectorises.
  private mutating func add(_ others: Span<UInt64>) {
    guard !others.isEmpty else { return }
    if counts.isEmpty { addSlots() }
    var mine = counts.mutableSpan
    for i in 0..<Self.slots { mine[i] &+= others[i] }
  }

  /// Empties the histogram and keeps its memory.
  package mutating func reset() {
    counts.removeAll(keepingCapacity: true)
    count = 0
    censored = 0
    censoredFrom = .max
    saturated = 0
    sum = 0
    least = .max
    greatest = .min
  }

  // MARK: Slots

  package static func index(of value: Int64) -> Int {
    let power = 64 - (UInt64(value) | 2_047).leadingZeroBitCount
    let bucket = power - (log2Half + 1)
    let sub = Int(value >> Int64(bucket))
    return ((bucket + 1) << log2Half) + (sub - halfCount)
  }

  package static func values(at index: Int) -> ClosedRange<Int64> {
    let bucket = Swift.max(0, (index >> log2Half) - 1)
    let sub = index < 2 * halfCount ? index : (index & (halfCount - 1)) + halfCount
    let low = Int64(sub) << Int64(bucket)
    return low...(low + (1 << Int64(bucket)) - 1)
  }

  // MARK: Asking

  package func percentile(_ q: Double) -> Percentile {
    guard total >= Self.samplesNeeded(for: q) else { return .unsupported }
    let rank = Swift.max(1, Int((q * Double(total) + 0.5).rounded(.down)))
    guard rank <= count else { return .beyond(censoredFrom) }
    return .value(value(atRank: rank))
  }

  /// Returns the highest value in the slot of this rank, 1 ... `count`.
  private func value(atRank rank: Int) -> Int64 {
    var seen: UInt64 = 0
    let counts = counts.span
    for i in counts.indices {
      seen &+= counts[i]
      if seen >= UInt64(rank) { return Self.values(at: i).upperBound }
    }
    preconditionFailure("rank \(rank) of \(count) recorded values does not exist")
  }

  /// Returns the least n for which an order-statistics 95 % interval of the percentile is finite:
  /// q^n ≤ 0.025 and (1 − q)^n ≤ 0.025. The median is always supported.
  package static func samplesNeeded(for q: Double) -> Int {
    if q <= 0 || q == 0.5 || q >= 1 { return 1 }
    let tail = Swift.max(q, 1 - q)
    var n = 1
    var power = tail
    while power > 0.025 {
      power *= tail
      n += 1
    }
    return n
  }

  /// Returns how many values are at most each bound in µs (or 0.1 % above); the bounds ascend.
  package func cumulative(upTo bounds: [Int64]) -> [UInt64] {
    guard count > 0 else { return bounds.map { _ in 0 } }
    var seen: UInt64 = 0
    var next = 0
    return bounds.map { bound in
      let last = Self.index(of: Swift.min(bound, Self.highest))
      while next <= last {
        seen += counts[next]
        next += 1
      }
      return seen
    }
  }

  // MARK: Over the wire

  /// The serialized form: the slots in use, and the fields that slots cannot represent.
  package struct Sparse: Equatable, Sendable, Codable {
    package struct Slot: Equatable, Sendable, Codable {
      package var index: Int
      package var count: Int
      package init(index: Int, count: Int) {
        self.index = index
        self.count = count
      }
    }
    package var slots: [Slot]
    package var sum: Int64
    /// The least recorded value in µs; absent when nothing was recorded.
    package var min: Int64?
    package var max: Int64?
    package var saturated: Int
    package var censored: Int
    /// The least deadline of a failed call in µs, or nil if none was recorded.
    package var censoredFrom: Int64?

    package init(
      slots: [Slot], sum: Int64, min: Int64?, max: Int64?, saturated: Int, censored: Int,
      censoredFrom: Int64?
    ) {
      self.slots = slots
      self.sum = sum
      self.min = min
      self.max = max
      self.saturated = saturated
      self.censored = censored
      self.censoredFrom = censoredFrom
    }
  }

  package var sparse: Sparse {
    var used: [Sparse.Slot] = []
    let all = counts.span
    for i in all.indices where all[i] != 0 {
      used.append(Sparse.Slot(index: i, count: Int(all[i])))
    }
    return Sparse(
      slots: used, sum: sum, min: min,
      max: max, saturated: saturated, censored: censored,
      censoredFrom: censored > 0 ? censoredFrom : nil)
  }

  package mutating func pass(_ columns: inout PackedColumns) {
    let (values, failed) = (columns.agree(Int64(count)), columns.agree(Int64(censored)))
    guard values >= 0, failed >= 0 else { return columns.refuse() }
    guard values > 0 || failed > 0 else { return }
    if columns.adds { (count, censored) = (count + Int(values), censored + Int(failed)) }
    columns.pass(least: &censoredFrom)
    columns.pass(&saturated)
    columns.pass(&sum)
    columns.pass(least: &least)
    columns.pass(greatest: &greatest)
    // A reader that only checks the columns needs no slots.
    guard !columns.checks(columnOf: Self.slots) else { return }
    if counts.isEmpty { addSlots() }
    columns.pass(&counts)
    if count == 0 { counts.removeAll() }
  }

  /// Returns nil if a slot does not exist or a count is negative.
  package init?(_ sparse: Sparse) {
    self.init()
    for slot in sparse.slots {
      guard 0..<Self.slots ~= slot.index, slot.count >= 0 else { return nil }
      guard slot.count > 0 else { continue }
      if counts.isEmpty { addSlots() }
      counts[slot.index] += UInt64(slot.count)
      count += slot.count
    }
    guard sparse.censored >= 0, sparse.saturated >= 0, (count == 0) == (sparse.min == nil) else {
      return nil
    }
    sum = sparse.sum
    least = sparse.min ?? .max
    greatest = sparse.max ?? .min
    saturated = sparse.saturated
    censored = sparse.censored
    censoredFrom = sparse.censoredFrom ?? .max
  }
}

extension Histogram: Codable {
  package init(from decoder: any Decoder) throws {
    guard let histogram = Histogram(try Sparse(from: decoder)) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "the slots make no histogram of ours"))
    }
    self = histogram
  }

  package func encode(to encoder: any Encoder) throws { try sparse.encode(to: encoder) }
}
