/// Names a figure that is estimated from a log and compared with its simulation.
package enum FitFigure: String, CaseIterable, Codable, Sendable, CodingKeyRepresentable {
  case intervals, accuracy, delays, silences, hours, batches

  /// Is what it is called.
  package var name: String {
    switch self {
    case .intervals: "interval between fixes"
    case .accuracy: "accuracy"
    case .delays: "delay from fix to receipt"
    case .silences: "silent spell"
    case .hours: "time of day"
    case .batches: "fixes of a batch"
    }
  }

  /// Is the unit of its values; a time of day has no values, but hours.
  package var unit: String {
    switch self {
    case .intervals, .delays, .silences: "s"
    case .accuracy: "m"
    case .hours: "h"
    case .batches: ""
    }
  }

  /// Is the measure of distance: shares are compared where the values span orders of magnitude,
  /// and hours where hours are what matters.
  package var measure: DistanceMeasure {
    switch self {
    case .intervals, .accuracy, .delays, .batches: .kolmogorovSmirnov
    case .silences, .hours: .wasserstein
    }
  }

  /// With fewer values in a half of the log nothing is said of it.
  package var valuesMin: Int {
    switch self {
    case .intervals, .accuracy, .delays, .batches: 50
    case .silences: 10
    case .hours: 200
    }
  }

  /// The column that it needs beside the time.
  package var column: LogColumn? {
    switch self {
    case .intervals, .silences, .hours: nil
    case .accuracy: .accuracy
    case .delays, .batches: .received
    }
  }
}

/// Names a measure of the distance between two samples.
package enum DistanceMeasure: String, Codable, Sendable {
  /// The greatest difference of shares, 0 ... 1.
  case kolmogorovSmirnov = "kolmogorov-smirnov"
  /// Hours by which values have to be moved on average.
  case wasserstein = "wasserstein-hours"

  /// Is the distance that counts as 1 when figures are weighed against each other.
  var whole: Double {
    switch self {
    case .kolmogorovSmirnov: 1
    // Half the way round a day's circle; as much longer or shorter a silence.
    case .wasserstein: 12
    }
  }
}
