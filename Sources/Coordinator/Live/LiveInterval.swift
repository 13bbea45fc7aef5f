package import Measure

/// What happened in the last interval of a live run, for a line on the terminal.
package struct LiveInterval: Sendable {
  package var row: TimelineRow
  package var phones: Int
  /// Of the live part, 0 … 1.
  package var share: Double
  package var scenarioTime: String
  /// The same and more, for whoever looks at the whole.
  package var snapshot: Snapshot
}
