/// Tells a collector what others commit to the same store, and which of them asks for pushes.
package protocol StoreFollower: AnyObject, Sendable {
  /// Looks at the store.
  ///
  /// - Parameters:
  ///   - reads: whether what others committed since the last reading is wanted; the collector that
  ///     sweeps is told in any case.
  ///   - maySweep: whether this collector could deliver pushes; one that cannot leaves them to
  ///     others.
  ///   - done: called once, on any thread.
  func look(reads: Bool, maySweep: Bool, _ done: @escaping @Sendable (StoreUpdate) -> Void)
}

/// Is what a look at a shared store has found.
package struct StoreUpdate: Sendable {
  /// Is the run that the store belongs to; nil where none was opened, or the look failed.
  package var run: StoredRun?
  /// Holds the logs of others' groups, in the order of their first records.
  package var logs: [[UInt8]] = []
  /// Is true where this collector, and no other, has to ask for pushes.
  package var isSweeper = false
  /// Says why nothing could be found out; nil where it could.
  package var problem: StoreError?
}
