/// The kept fixes of one source, which only the simulation knows (SL6).
package struct FixSourceFigures: Codable, Equatable, Sendable {
  package var fixes = 0
  package var share = 0.0
  /// The distance from the phone's true position when its app got the fix, in metres.
  package var errorMedian: Double?
  package var errorP95: Double?

  package init() {}
}

extension RunRecord {
  package var rankedFixSources: [(name: String, figures: FixSourceFigures)] {
    (fixSources ?? [:]).filter { $0.value.fixes > 0 }
      .sorted { ($1.value.fixes, $0.key) < ($0.value.fixes, $1.key) }
      .map { (name: $0.key, figures: $0.value) }
  }
}
