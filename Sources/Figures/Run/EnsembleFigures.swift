package import Core

/// The figures of runs at sets of the model's parameters, each with an interval over the sets.
package struct EnsembleFigures: Equatable, Sendable, Codable {
  /// Values by key.
  package typealias Values = [String: Double]

  package var sets: Int
  /// The sets whose runs are done: fewer than `sets` if the runs were stopped.
  package var done: Int
  /// The phones of each run.
  package var phones: Int
  /// The probability that another set's value lies in an interval: 90 %, or less for fewer than 19
  /// sets, whose interval spans all values.
  package var coverage: Double
  /// The median and the interval over the sets, by key.
  package var figures: [String: Ratio]
  /// The median and interval of the difference from the reference; null without a reference.
  @Nullable package var differences: [String: Ratio]?

  /// The keys of figures that only a demand or a plan has, in batches a second of all phones: the
  /// rate in the busiest hour, and the rate to sustain at the peak.
  package static let (busiestHour, peak) = ("busiest-hour", "peak")
  /// The key of the instances to buy.
  package static let instances = "instances"

  package static let setsMin = 4
  /// The least number of sets that supports an interval of 90 %.
  private static let setsOfNinety = 19

  /// Returns nil for fewer than `setsMin` sets.
  /// - Parameters:
  ///   - values: The values of each set's run, by set.
  ///   - reference: The reference's values at the same sets.
  package init?(
    sets: Int, phones: Int, _ values: [Int: Values], from reference: [Int: Values]? = nil
  ) {
    guard values.count >= Self.setsMin else { return nil }
    (self.sets, done, self.phones) = (sets, values.count, phones)
    coverage = done < Self.setsOfNinety ? Double(done - 1) / Double(done + 1) : 0.9
    let rows = values.sorted { $0.key < $1.key }.map(\.value)
    figures = Self.intervals(rows)
    guard let reference else { return }
    differences = Self.intervals(
      values.sorted { $0.key < $1.key }.compactMap { set, mine in
        reference[set].map { other in
          mine.reduce(into: Values()) { all, one in
            if let theirs = other[one.key] { all[one.key] = one.value - theirs }
          }
        }
      })
  }

  private static func intervals(_ rows: [Values]) -> [String: Ratio] {
    let keys = rows.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
    return keys.reduce(into: [:]) { all, key in
      let values = rows.compactMap { $0[key] }
      // A figure that lacks values in over 10 % of the sets has no sound interval.
      guard values.count >= setsMin, values.count * 10 >= rows.count * 9 else { return }
      all[key] = interval(values)
    }
  }

  /// Returns the median and the 90 % interval, by quantiles of Hyndman and Fan's type 6: another
  /// value lies below quantile q with probability q. No quantile is beyond the values themselves.
  private static func interval(_ values: [Double]) -> Ratio {
    let sorted = values.sorted()
    func quantile(_ q: Double) -> Double {
      let last = sorted.count - 1
      let place = min(max(q * Double(sorted.count + 1) - 1, 0), Double(last))
      let (low, high) = (sorted[Int(place)], sorted[min(Int(place) + 1, last)])
      return low + (place - place.rounded(.down)) * (high - low)
    }
    return Ratio(value: quantile(0.5), low: quantile(0.05), high: quantile(0.95))
  }

  /// Words such as "90 % intervals over the model’s parameters: 32 sets of 300 phones"
  package var sentence: String {
    let count = done < sets ? "\(done) of \(sets) sets" : "\(sets) sets"
    return """
      \(Figure.plain((coverage * 100).rounded())) % intervals over the model’s parameters: \
      \(count) of \(Figure.grouped(phones)) phones
      """
  }
}
