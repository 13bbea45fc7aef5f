extension Dictionary where Key: Comparable, Value: Comparable & Numeric {
  /// The nonzero entries, largest first. Entries of equal value are sorted by key, so that equal
  /// records give equal pages.
  package var ranked: [(key: Key, value: Value)] {
    filter { $0.value != 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
