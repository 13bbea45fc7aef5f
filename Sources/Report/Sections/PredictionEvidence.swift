internal import Figures

/// How many predictions held of those that were made before any was run, by the part of the model
/// that they are about: what `flotilla-lab calibrate --record` has kept.
package struct PredictionEvidence: Equatable, Sendable, StoredRecord {
  /// Is the version of the format.
  package static let schemaVersion = 1

  /// Is the version in which the counts were made.
  package var schema = PredictionEvidence.schemaVersion
  /// Holds the counts by the name of the area, such as `energy`.
  package var areas: [String: Count]

  /// Counts the predictions of one area.
  package struct Count: Equatable, Sendable, Codable {
    /// Counts those that held when they were last measured.
    package var held: Int
    /// Counts all of them, measured or not.
    package var made: Int

    /// Makes a count.
    package init(held: Int, made: Int) {
      self.held = held
      self.made = made
    }
  }

  /// Makes evidence from its counts.
  package init(areas: [String: Count]) { self.areas = areas }
}
