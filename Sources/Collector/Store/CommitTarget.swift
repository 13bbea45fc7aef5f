/// Makes groups of records durable: in a file, in a database on another machine, or not at all.
///
/// A new kind of store needs one class that conforms to this and to `StoreSource`, and a line in
/// `StoreAddress`.
package protocol CommitTarget: AnyObject, Sendable {
  /// Is false for a target that keeps nothing, so that no answer waits for it and any run may
  /// follow another.
  var isDurable: Bool { get }
  /// Is the greatest number of groups under way at once. With 1 each waits for the end of the one
  /// before.
  var groupsMax: Int { get }

  /// Is the greatest number of records in a group.
  var recordsMax: Int { get }

  /// Tells what others commit to the same store; nil where there are no others.
  var follower: (any StoreFollower)? { get }

  /// Begins to make all of `group` durable, or nothing of it. It may do so before it returns, or
  /// elsewhere afterwards.
  ///
  /// Called on the queue of `store`, one call at a time, and never with more than `groupsMax`
  /// groups under way. Each group ends with one `store.ended`, from any thread.
  func commit(_ group: consuming CommitGroup, for store: BatchStore)

  /// Closes the target. Called once, when no group is under way and none will come.
  func close()
}

extension CommitTarget {
  /// Is `CommitGroup.recordsMax`, unless a target has a reason for another.
  package var recordsMax: Int { CommitGroup.recordsMax }
  /// Is nil for a store that one collector has for itself.
  package var follower: (any StoreFollower)? { nil }
}
