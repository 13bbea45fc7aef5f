/// The age of each phone's newest position, weighted by phone-time. Between two arrivals an age
/// grows evenly, from `a0` to `a1`. `add` stores this span as one step up and one step down between
/// buckets, 64 per octave of µs. `add` takes constant time, and `merge` adds the arrays.
package struct AgeIntegral: Equatable, Sendable {
  /// The ages for which the phone-time at or below the age is counted exactly.
  package let thresholds: [SimDuration]
  /// The phone-time at or below each threshold, µs.
  package private(set) var timeWithin: [Int64]
  /// The phone-time with a position at the server, µs.
  package private(set) var aged: Int64 = 0
  /// The phone-time without a position at the server, µs.
  package private(set) var never: Int64 = 0

  /// The full crossings of each bucket, as differences: a bucket's count is the prefix sum.
  private var steps: [Int64]
  /// The time spent in each bucket by partial crossings, µs.
  private var partial: [Int64]

  private static let log2Sub = 6
  /// The greatest age, 2^46 µs (814 days); greater ages are clamped.
  private static let highest: Int64 = 1 << 46
  private static let buckets = index(of: highest) + 1

  package init(thresholds: [SimDuration] = []) {
    self.thresholds = thresholds
    timeWithin = [Int64](repeating: 0, count: thresholds.count)
    steps = [Int64](repeating: 0, count: Self.buckets + 1)
    partial = [Int64](repeating: 0, count: Self.buckets)
  }

  package var total: SimDuration { .microseconds(aged + never) }

  // MARK: Adding

  /// Adds the time in which an age grew from `a0` to `a1`. Ages below 0 (a clock ahead) count as 0.
  package mutating func add(from a0: SimDuration, to a1: SimDuration) {
    let length = a1.microseconds - a0.microseconds
    guard length > 0 else { return }
    aged += length
    for (i, threshold) in thresholds.enumerated() {
      timeWithin[i] += min(max(threshold.microseconds - a0.microseconds, 0), length)
    }
    let low = min(max(a0.microseconds, 0), Self.highest)
    let high = min(max(a1.microseconds, 0), Self.highest)
    partial[0] += low > a0.microseconds ? min(low - a0.microseconds, length) : 0
    partial[Self.buckets - 1] += max(0, a1.microseconds - max(Self.highest, a0.microseconds))
    guard low < high else { return }
    let first = Self.index(of: low)
    let last = Self.index(of: high)
    if first == last {
      partial[first] += high - low
      return
    }
    partial[first] += Self.lowerEdge(first + 1) - low
    partial[last] += high - Self.lowerEdge(last)
    steps[first + 1] += 1
    steps[last] -= 1
  }

  package mutating func addNever(_ duration: SimDuration) { never += duration.microseconds }

  /// Adds another integral, which must have the same thresholds.
  package mutating func merge(_ other: AgeIntegral) {
    precondition(thresholds == other.thresholds, "ages merge only with equal thresholds")
    for i in timeWithin.indices { timeWithin[i] += other.timeWithin[i] }
    Self.add(other.steps, to: &steps)
    Self.add(other.partial, to: &partial)
    aged += other.aged
    never += other.never
  }

  /// Adds the arrays in a vectorised loop, since a timeline merges all shards once a minute. The
  /// sums do not overflow: 64 bits hold the microseconds of a million phones in 100 days.
  private static func add(_ terms: [Int64], to sums: inout [Int64]) {
    terms.withUnsafeBufferPointer { terms in
      sums.withUnsafeMutableBufferPointer { sums in
        for i in 0..<min(terms.count, sums.count) { sums[i] &+= terms[i] }
      }
    }
  }

  // MARK: Asking

  /// Returns the exact share of phone-time with an age ≤ a threshold; nil without phone-time.
  package func share(within threshold: SimDuration) -> Double? {
    let within = time(within: threshold)
    return aged + never > 0 ? Double(within) / Double(aged + never) : nil
  }

  /// Returns the phone-time in µs with an age ≤ `threshold`, which must be one of `thresholds`.
  package func time(within threshold: SimDuration) -> Int64 {
    guard let i = thresholds.firstIndex(of: threshold) else {
      preconditionFailure("\(threshold.seconds) s is not a registered threshold")
    }
    return timeWithin[i]
  }

  /// The share of phone-time without a fix at the server, 0 … 1; nil without phone-time.
  package var neverShare: Double? {
    aged + never > 0 ? Double(never) / Double(aged + never) : nil
  }

  /// Returns the quantile of the age in seconds; nil without phone-time or if it lies in `never`.
  package func quantile(_ q: Double) -> Double? {
    let total = aged + never
    guard total > 0 else { return nil }
    let wanted = q * Double(total)
    guard wanted <= Double(aged) else { return nil }
    var below = 0.0
    var whole: Int64 = 0
    for i in 0..<Self.buckets {
      whole += steps[i]
      let low = Self.lowerEdge(i)
      let width = Self.lowerEdge(i + 1) - low
      let time = Double(whole) * Double(width) + Double(partial[i])
      if time > 0, below + time >= wanted {
        let inside = max(0, (wanted - below) / time)
        return (Double(low) + inside * Double(width)) / 1e6
      }
      below += time
    }
    return Double(Self.highest) / 1e6
  }

  // MARK: Buckets

  static func index(of age: Int64) -> Int {
    let power = 63 - (UInt64(age) | 127).leadingZeroBitCount
    let shift = power - log2Sub
    return (shift << log2Sub) + Int(age >> Int64(shift))
  }

  static func lowerEdge(_ index: Int) -> Int64 {
    let shift = max(0, (index >> log2Sub) - 1)
    return Int64(index - (shift << log2Sub)) << Int64(shift)
  }
}

extension AgeIntegral {
  /// The serialized form. All times are in µs.
  package struct Sparse: Equatable, Sendable, Codable {
    package struct Bucket: Equatable, Sendable, Codable {
      package var index: Int
      package var step: Int64
      package var partial: Int64
    }
    package var thresholds: [Int64]
    package var timeWithin: [Int64]
    package var aged: Int64
    package var never: Int64
    package var buckets: [Bucket]
  }

  package var sparse: Sparse {
    var used: [Sparse.Bucket] = []
    for i in 0..<Self.buckets where steps[i] != 0 || partial[i] != 0 {
      used.append(Sparse.Bucket(index: i, step: steps[i], partial: partial[i]))
    }
    return Sparse(
      thresholds: thresholds.map(\.microseconds), timeWithin: timeWithin, aged: aged,
      never: never, buckets: used)
  }

  /// Writes this integral, or adds the integral of another process, whose thresholds must be equal.
  package mutating func pass(_ columns: inout PackedColumns) {
    for threshold in thresholds {
      guard columns.agree(threshold.microseconds) == threshold.microseconds else {
        return columns.refuse()
      }
    }
    columns.pass(&timeWithin)
    columns.pass(&aged)
    columns.pass(&never)
    columns.pass(&steps)
    columns.pass(&partial)
  }

  package init?(_ sparse: Sparse) {
    guard sparse.thresholds.count == sparse.timeWithin.count else { return nil }
    self.init(thresholds: sparse.thresholds.map { SimDuration.microseconds($0) })
    timeWithin = sparse.timeWithin
    aged = sparse.aged
    never = sparse.never
    for bucket in sparse.buckets {
      guard (0..<Self.buckets).contains(bucket.index) else { return nil }
      steps[bucket.index] = bucket.step
      partial[bucket.index] = bucket.partial
    }
  }
}

extension AgeIntegral: Codable {
  package init(from decoder: any Decoder) throws {
    guard let ages = AgeIntegral(try Sparse(from: decoder)) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "the buckets make no ages of ours"))
    }
    self = ages
  }

  package func encode(to encoder: any Encoder) throws { try sparse.encode(to: encoder) }
}
