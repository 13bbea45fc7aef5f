/// Describes the fixes that apps kept and that came from one source.
///
/// Only the simulation knows a fix's source; neither the app nor the server does (SL6).
package struct FixSourceFigures: Codable, Equatable, Sendable {
  /// Counts the kept fixes that came from the source.
  package var fixes = 0
  /// Is their share of all kept fixes, 0 ... 1.
  package var share = 0.0
  /// Is how far the median fix lay from where the phone was when its app got it, in metres.
  package var errorMedian: Double?
  /// Is the same of the 95th percentile.
  package var errorP95: Double?

  /// Makes the figures of no fixes.
  package init() {}
}

extension RunRecord {
  /// Returns the sources of kept fixes, most first; equal ones by name.
  package var rankedFixSources: [(name: String, figures: FixSourceFigures)] {
    (fixSources ?? [:]).filter { $0.value.fixes > 0 }
      .sorted { ($1.value.fixes, $0.key) < ($0.value.fixes, $1.key) }
      .map { (name: $0.key, figures: $0.value) }
  }
}
