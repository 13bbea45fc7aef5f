package enum FitFigure: String, CaseIterable, Codable, Sendable, CodingKeyRepresentable {
  case intervals, accuracy, delays, silences, hours, batches

  private var row: (name: String, measure: DistanceMeasure, valuesMin: Int, column: LogColumn?) {
    switch self {
    case .intervals: ("interval between fixes", .kolmogorovSmirnov, 50, nil)
    case .accuracy: ("accuracy", .kolmogorovSmirnov, 50, .accuracy)
    case .delays: ("delay from fix to receipt", .kolmogorovSmirnov, 50, .received)
    case .silences: ("silent spell", .wasserstein, 10, nil)
    case .hours: ("time of day", .wasserstein, 200, nil)
    case .batches: ("fixes per batch", .kolmogorovSmirnov, 50, .received)
    }
  }

  package var name: String { row.name }

  /// The kind of distance: of shares for values that span orders of magnitude, else in hours.
  package var measure: DistanceMeasure { row.measure }

  /// The fewest values with which a sample supports the figure.
  package var valuesMin: Int { row.valuesMin }

  package var column: LogColumn? { row.column }
}

package enum DistanceMeasure: String, Codable, Sendable {
  /// The greatest difference of two cumulative shares, 0 ... 1.
  case kolmogorovSmirnov = "kolmogorov-smirnov"
  /// The mean shift from one sample's values to the other's, in hours.
  case wasserstein = "wasserstein-hours"

  var whole: Double {
    switch self {
    case .kolmogorovSmirnov: 1
    // The worst distance: half of a day's circle, or for silences a difference of 12 h.
    case .wasserstein: 12
    }
  }
}
