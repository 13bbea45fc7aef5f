package import Scenarios

/// What a calibration has to measure with: seeds, profiles and scenarios as files, recordings.
package struct CalibrationBench: Sendable {
  /// Two disjoint sets of seeds: what holds for one must hold for the other.
  package enum Seeds: String, CaseIterable, Sendable {
    case main, other

    /// The `n`th seed of the set.
    package func seed(_ n: Int) -> UInt64 {
      switch self {
      case .main: 1_000 + UInt64(n)
      case .other: 900_000 + UInt64(n)
      }
    }
  }

  /// Is the set from which every measurement takes its seeds.
  package let seeds: Seeds
  /// Loads the scenarios, policies and profiles that the claims are measured on.
  package let library: ScenarioLibrary
  /// The folder of recorded traces; nil: it is not there, and rows that need it are skipped.
  package let dataFolder: String?
  /// Counts the threads of a traced fleet's simulation.
  package let threads: Int

  /// Makes a bench from its parts; reads no file yet.
  package init(seeds: Seeds, library: ScenarioLibrary, dataFolder: String?, threads: Int) {
    self.seeds = seeds
    self.library = library
    self.dataFolder = dataFolder
    self.threads = threads
  }
}

/// Claims that one simulation, or one reading of the recordings, answers together.
package struct CalibrationGroup: Sendable {
  /// Is the group's name, as progress lines print it.
  package let name: String
  /// Ids of the rows it makes, so that `--rows` runs no more than it must.
  package let rows: [String]
  /// Measures the group's rows on a bench; throws where a scenario or a recording cannot be read.
  package let measure: @Sendable (CalibrationBench) throws -> [CalibrationRow]

  /// Makes a group from its name, the ids of its rows and the function that measures them.
  package init(
    _ name: String, rows: [String],
    measure: @escaping @Sendable (CalibrationBench) throws -> [CalibrationRow]
  ) {
    self.name = name
    self.rows = rows
    self.measure = measure
  }
}
