/// Intervals for several treatments of the same units, from the same draws, so that common effects
/// cancel out of differences. A unit is one phone or a block of phones. With a thousand units, the
/// width of an interval is known within 3 %.
package struct PairedBootstrap {
  /// The maximum number of blocks; in fleets up to this size each phone is a block.
  package static let blocksMax = 1_000

  private let columns: Int
  private let units: Int
  /// For each treatment, the rows of all units in one array.
  private let tables: [[Double]]
  private let wholes: [[Double]]
  /// For each resample and treatment, the column sums over the drawn units.
  private let draws: [[[Double]]]

  /// - Parameter tables: For each treatment, `columns` numbers per unit; all are equally long.
  package init(tables: [[Double]], columns: Int, seed: UInt64, resamples: Int = 1_000) {
    precondition(columns > 0 && Set(tables.map(\.count)).count <= 1, "one table, one shape")
    let units = (tables.first?.count ?? 0) / columns
    self.columns = columns
    self.units = units
    self.tables = tables
    let ones = [Double](repeating: 1, count: units)
    wholes = tables.map { Self.sums($0, columns, weights: ones) }
    draws =
      units < 2
      ? []
      : (0..<resamples).map { number in
        let weights = Self.weights(units, seed: seed, number)
        return tables.map { Self.sums($0, columns, weights: weights) }
      }
  }

  private static func weights(_ units: Int, seed: UInt64, _ number: Int) -> [Double] {
    var draw = Draw(seed: seed, phone: .max, .pairedBootstrap, Int64(number))
    var weights = [Double](repeating: 0, count: units)
    for _ in 0..<units { weights[draw.unit(of: units)] += 1 }
    return weights
  }

  private static func sums(_ table: [Double], _ columns: Int, weights: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: columns)
    // Buffers are fast, and this loop runs resamples × units × columns times.
    table.withUnsafeBufferPointer { table in
      sums.withUnsafeMutableBufferPointer { sums in
        for (unit, weight) in weights.enumerated() where weight > 0 {
          let row = unit * columns
          for column in 0..<columns { sums[column] += weight * table[row + column] }
        }
      }
    }
    return sums
  }

  package func ratio(_ treatment: Int, _ statistic: ([Double]) -> Double?) -> Ratio? {
    guard let value = statistic(wholes[treatment]) else { return nil }
    return Ratio(value, resampled: draws.compactMap { statistic($0[treatment]) })
  }

  /// Returns the statistic of one treatment minus that of another, on the same draws.
  package func difference(
    _ treatment: Int, from reference: Int, _ statistic: ([Double]) -> Double?
  ) -> Ratio? {
    func difference(_ sums: [[Double]]) -> Double? {
      guard let a = statistic(sums[treatment]), let b = statistic(sums[reference]) else {
        return nil
      }
      return a - b
    }
    guard let value = difference(wholes) else { return nil }
    return Ratio(value, resampled: draws.compactMap(difference))
  }

  /// Returns the block of a phone, assigned at random so that no block is one cohort.
  package static func block(of phone: UInt32, phones: Int) -> Int {
    if phones <= blocksMax { return Int(phone) }
    return Int(Draw.mix(UInt64(phone) ^ 0x9E37) % UInt64(blocksMax))
  }
}

extension Ratio {
  package var mayBeZero: Bool { low <= 0 && high >= 0 }
}
