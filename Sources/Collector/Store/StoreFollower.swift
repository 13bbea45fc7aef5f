/// Reports other collectors' commits to a shared store, and which collector requests pushes.
package protocol StoreFollower: AnyObject, Sendable {
  /// Reads what is new in the store; `done` is called once, on any thread.
  /// - Parameter reads: whether to read others' commits, which the sweeper gets in any case.
  func look(reads: Bool, maySweep: Bool, _ done: @escaping @Sendable (StoreUpdate) -> Void)
}

package struct StoreUpdate: Sendable {
  /// The store's run; nil if there is no run or reading failed.
  package var run: StoredRun?
  package var logs: [[UInt8]] = []
  /// Whether this collector, and no other, must request pushes.
  package var isSweeper = false
  package var problem: StoreError?
}
