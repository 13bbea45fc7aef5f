internal import SimulationCore

/// A statistic of a sample, with its 95 % interval by resampling whole units: people, phones,
/// recordings. What belongs to one unit stays together.
package enum UnitBootstrap {
  /// - Parameters:
  ///   - statistic: nil where the sample does not support it.
  /// - Returns: nil where the whole sample does not support the statistic.
  package static func estimate<Unit>(
    _ units: [Unit], seed: UInt64, resamples: Int = 400, statistic: ([Unit]) -> Double?
  ) -> Ratio? {
    guard let value = statistic(units) else { return nil }
    guard units.count > 1 else { return Ratio(value: value, low: value, high: value) }
    var draw = Draw(seed: seed, phone: .max, .unitBootstrap)
    var values: [Double] = []
    var sample: [Unit] = []
    for _ in 0..<resamples {
      sample.removeAll(keepingCapacity: true)
      for _ in units.indices {
        sample.append(units[draw.unit(of: units.count)])
      }
      if let value = statistic(sample) { values.append(value) }
    }
    return Ratio(value, resampled: values)
  }
}
