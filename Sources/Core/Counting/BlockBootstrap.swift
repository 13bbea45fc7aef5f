internal import Foundation

/// Intervals for ratios between two runs, from resampled blocks of consecutive rows (moving blocks,
/// Künsch 1989). Paired runs use the same blocks, so that effects common to both cancel.
package struct BlockBootstrap: Sendable {
  package struct Table: Equatable, Sendable {
    package let columns: Int
    package private(set) var rows = 0
    /// The prefix sums of the rows, beginning with a row of zeros.
    fileprivate private(set) var sums: [Double]

    package init(columns: Int) {
      precondition(columns > 0, "a row has columns")
      self.columns = columns
      sums = [Double](repeating: 0, count: columns)
    }

    /// Appends a row, which must have `columns` numbers.
    package mutating func append(_ row: [Double]) {
      precondition(row.count == columns, "a row of \(row.count) columns in a table of \(columns)")
      let last = sums.count - columns
      for column in 0..<columns { sums.append(sums[last + column] + row[column]) }
      rows += 1
    }

    package var whole: [Double] { Array(sums.suffix(columns)) }

    package func prefix(_ count: Int) -> Table {
      var part = self
      part.rows = min(rows, count)
      part.sums = Array(sums.prefix((part.rows + 1) * columns))
      return part
    }

    fileprivate func add(_ block: Range<Int>, to drawn: inout [Double]) {
      let (low, high) = (block.lowerBound * columns, block.upperBound * columns)
      // Buffers are fast, and this loop runs resamples × blocks × columns times.
      sums.withUnsafeBufferPointer { sums in
        drawn.withUnsafeMutableBufferPointer { drawn in
          for column in 0..<columns { drawn[column] += sums[high + column] - sums[low + column] }
        }
      }
    }
  }

  private let draws: [(base: [Double], other: [Double])]

  /// The least number of blocks. With fewer, resamples are too alike and intervals too narrow.
  package static let blocksMin = 6

  /// Returns nil for too few rows. If `isPaired`, the n-th rows of both tables belong together.
  package init?(
    base: Table, other: Table, block: Int, isPaired: Bool, seed: UInt64, resamples: Int = 1_000
  ) {
    precondition(block > 0 && base.columns == other.columns, "one shape for both tables")
    let common = min(base.rows, other.rows)
    guard common >= block * Self.blocksMin else { return nil }
    let (base, other) = isPaired ? (base.prefix(common), other.prefix(common)) : (base, other)
    draws = (0..<resamples).map { number in
      var draw = Draw(seed: seed, phone: .max, .blockBootstrap, Int64(number))
      var (a, b) = (
        [Double](repeating: 0, count: base.columns), [Double](repeating: 0, count: base.columns)
      )
      func place(_ rows: Int) -> Range<Int> {
        let first = draw.unit(of: rows - block + 1)
        return first..<(first + block)
      }
      for _ in 0..<((base.rows + block - 1) / block) {
        let drawn = place(base.rows)
        base.add(drawn, to: &a)
        if isPaired { other.add(drawn, to: &b) }
      }
      if !isPaired {
        for _ in 0..<((other.rows + block - 1) / block) { other.add(place(other.rows), to: &b) }
      }
      return (a, b)
    }
  }

  /// Returns `value` (other ÷ base) with its 95 % interval; nil if too few draws give a ratio.
  package func quotient(_ value: Double, _ statistic: ([Double]) -> Double?) -> Ratio? {
    var ratios: [Double] = []
    for draw in draws {
      guard let a = statistic(draw.base), let b = statistic(draw.other), a > 0 else { continue }
      ratios.append(b / a)
    }
    // A 95 % interval needs at least 95 % of the draws.
    guard ratios.count * 20 >= draws.count * 19 else { return nil }
    return Ratio(value, resampled: ratios)
  }

  /// Returns the block length: `wanted`, longer for many rows, and shorter for few.
  package static func block(rows: Int, wanted: Int) -> Int {
    // A length of n^(1/3) balances bias and variance of the interval (Bühlmann).
    let balanced = Int(cbrt(Double(rows)).rounded(.up))
    return max(1, min(max(balanced, wanted), rows / blocksMin))
  }
}

extension Ratio {
  /// Returns other ÷ base of two independent values, with an interval by Donner and Zou's MOVER on
  /// logarithms. Returns nil if a value or an upper bound is not above zero.
  package static func quotient(_ other: Ratio, by base: Ratio) -> Ratio? {
    guard base.value > 0, other.value > 0, base.high > 0, other.high > 0 else { return nil }
    func spread(_ a: Double, _ b: Double) -> Double {
      // On a logarithmic scale, zero is infinitely far away; 20 stands for infinity.
      guard a > 0, b > 0 else { return 20 }
      return min(20, abs(log(a / b)))
    }
    let value = other.value / base.value
    let down = hypot(spread(other.value, other.low), spread(base.high, base.value))
    let up = hypot(spread(other.high, other.value), spread(base.value, base.low))
    return Ratio(value: value, low: value * exp(-down), high: value * exp(up))
  }

  package var mayBeOne: Bool { low <= 1 && high >= 1 }
}
