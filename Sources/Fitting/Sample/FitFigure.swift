/// A figure that is estimated from a log and compared with its simulation.
package enum FitFigure: String, CaseIterable, Codable, Sendable, CodingKeyRepresentable {
  case intervals, accuracy, delays, silences, hours, batches

  /// What it is called, how its distance is measured, the fewest values that say something of it,
  /// and the column that it needs beside the time.
  private var row: (name: String, measure: DistanceMeasure, valuesMin: Int, column: LogColumn?) {
    switch self {
    case .intervals: ("interval between fixes", .kolmogorovSmirnov, 50, nil)
    case .accuracy: ("accuracy", .kolmogorovSmirnov, 50, .accuracy)
    case .delays: ("delay from fix to receipt", .kolmogorovSmirnov, 50, .received)
    case .silences: ("silent spell", .wasserstein, 10, nil)
    case .hours: ("time of day", .wasserstein, 200, nil)
    case .batches: ("fixes of a batch", .kolmogorovSmirnov, 50, .received)
    }
  }

  /// What it is called.
  package var name: String { row.name }

  /// The measure of distance: shares are compared where the values span orders of magnitude, and
  /// hours where hours are what matters.
  package var measure: DistanceMeasure { row.measure }

  /// The fewest values in a half of the log with which something is said of it.
  package var valuesMin: Int { row.valuesMin }

  /// The column that it needs beside the time.
  package var column: LogColumn? { row.column }
}

/// A measure of the distance between two samples.
package enum DistanceMeasure: String, Codable, Sendable {
  /// The greatest difference of shares, 0 ... 1.
  case kolmogorovSmirnov = "kolmogorov-smirnov"
  /// Hours by which values have to be moved on average.
  case wasserstein = "wasserstein-hours"

  /// The distance that counts as 1 when figures are weighed against each other.
  var whole: Double {
    switch self {
    case .kolmogorovSmirnov: 1
    // Half the way round a day's circle; as much longer or shorter a silence.
    case .wasserstein: 12
    }
  }
}
