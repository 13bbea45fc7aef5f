internal import Core
internal import Figures

/// The published figures in the model's 90 % intervals, of those registered as predictions, in all
/// and by area of the model: from `flotilla-lab calibrate --ranges --record`.
package struct PredictionEvidence: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 2

  package var schema = PredictionEvidence.schemaVersion
  package var all: Count
  package var coverage: Double
  package var areas: [String: Count]
  /// The median ratio of an interval's ends.
  package var width: Double

  package struct Count: Equatable, Sendable, Codable {
    package var contained: Int
    package var made: Int

    package init(contained: Int, made: Int) {
      self.contained = contained
      self.made = made
    }
  }

  package init(all: Count, areas: [String: Count], width: Double) {
    self.all = all
    coverage = Double(all.contained) / Double(max(1, all.made))
    self.areas = areas
    self.width = width
  }
}
