package import Core
package import Figures

package struct LiveInterval: Sendable {
  /// The interval's rates and percentiles, as in `timeline.csv`.
  package var row: TimelineRow
  package var share: Double
  package var snapshot: Snapshot
  /// The counts so far, and the times of this interval.
  package var counts = Sheet()
  package var latency = LatencyHistograms()
  package var phones: PhoneAnswer?
}
