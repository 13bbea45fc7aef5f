package import Figures

/// What happened in the last interval of a live run, for a line on the terminal.
package struct LiveInterval: Sendable {
  /// Holds the interval's rates and percentiles, as `timeline.csv` has them.
  package var row: TimelineRow
  /// Is the share of the live part that is over, 0 … 1.
  package var share: Double
  /// Holds the whole picture of the run, for a dashboard.
  package var snapshot: Snapshot
}
