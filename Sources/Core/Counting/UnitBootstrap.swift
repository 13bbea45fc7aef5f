/// Estimates a statistic with a 95 % interval by resampling units: people, phones, recordings.
package enum UnitBootstrap {
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

extension UnitBootstrap {
  /// Estimates a statistic of several runs with a 95 % interval by a two-stage bootstrap: seeds are
  /// drawn with replacement, then units within each.
  /// - Parameter runs: units by seed and part of the experiment. Consecutive parts of equal size
  ///   have the same units, which are drawn together.
  /// - Parameter statistic: returns nil if the units are too few for it.
  package static func estimate<Unit>(
    runs: [[[Unit]]], seed: UInt64, resamples: Int = 200, statistic: ([[Unit]]) -> Double?
  ) -> Ratio? {
    let parts = runs.first?.count ?? 0
    func pooled(_ chosen: [[[Unit]]]) -> Double? {
      statistic((0..<parts).map { part in chosen.flatMap { $0[part] } })
    }
    guard parts > 0, let value = pooled(runs) else { return nil }
    // This phone number differs from that of the other `estimate`, to make the draws independent.
    var draw = Draw(seed: seed, phone: .max - 1, .unitBootstrap)
    var values: [Double] = []
    for _ in 0..<resamples {
      let chosen = runs.indices.map { _ in
        resample(runs[draw.unit(of: runs.count)], &draw)
      }
      if let value = pooled(chosen) { values.append(value) }
    }
    return Ratio(value, resampled: values)
  }

  private static func resample<Unit>(_ parts: [[Unit]], _ draw: inout Draw) -> [[Unit]] {
    var places: [Int] = []
    return parts.map { units in
      if places.count != units.count { places = units.map { _ in draw.unit(of: units.count) } }
      return places.map { units[$0] }
    }
  }
}
