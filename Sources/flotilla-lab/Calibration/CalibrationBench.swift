package import Scenarios

/// The inputs of a calibration: seeds, profiles, scenarios and recordings.
package struct CalibrationBench: Sendable {
  /// Two disjoint sets of seeds, for both of which results must hold.
  package enum Seeds: String, CaseIterable, Sendable {
    case main, other

    package func seed(_ n: Int) -> UInt64 {
      switch self {
      case .main: 1_000 + UInt64(n)
      case .other: 900_000 + UInt64(n)
      }
    }
  }

  package let seeds: Seeds
  package let library: ScenarioLibrary
  /// The folder of recorded traces; nil to skip rows that need recordings.
  package let dataFolder: String?
  package let threads: Int
}

/// Claims that share one simulation or one reading of the recordings.
package struct CalibrationGroup: Sendable {
  package let name: String
  /// The ids of the group's rows, so that `--rows` runs only the necessary groups.
  package let rows: [String]
  package let measure: @Sendable (CalibrationBench) throws -> [CalibrationRow]

  package init(
    _ name: String, rows: [String],
    measure: @escaping @Sendable (CalibrationBench) throws -> [CalibrationRow]
  ) {
    self.name = name
    self.rows = rows
    self.measure = measure
  }
}
