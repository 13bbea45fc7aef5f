internal import Core
internal import Figures

/// The predictions confirmed, of those registered before any run, by area of the model: from
/// `flotilla-lab calibrate --record`.
package struct PredictionEvidence: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = PredictionEvidence.schemaVersion
  package var areas: [String: Count]

  package struct Count: Equatable, Sendable, Codable {
    /// Predictions confirmed at the last measurement.
    package var held: Int
    package var made: Int

    package init(held: Int, made: Int) {
      self.held = held
      self.made = made
    }
  }

  package init(areas: [String: Count]) { self.areas = areas }
}
