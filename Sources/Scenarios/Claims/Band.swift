/// A range with inclusive ends; an open end is nil.
package struct Band: Equatable, Sendable {
  package var low: Double?
  package var high: Double?

  package init(_ low: Double?, _ high: Double?) {
    self.low = low
    self.high = high
  }

  package func contains(_ value: Double) -> Bool {
    (low.map { value >= $0 } ?? true) && (high.map { value <= $0 } ?? true)
  }
}
