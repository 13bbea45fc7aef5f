internal import Core
package import Figures

package struct LiveInterval: Sendable {
  /// The interval's rates and percentiles, as in `timeline.csv`.
  package var row: TimelineRow
  package var share: Double
  package var snapshot: Snapshot
  package var phones: PhoneAnswer?
}
