extension Dictionary where Key == String, Value: Comparable & Numeric {
  /// The nonzero entries, largest first. Entries of equal value are sorted by name, so that equal
  /// records give equal pages.
  package var ranked: [(key: String, value: Value)] {
    filter { $0.value != 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
