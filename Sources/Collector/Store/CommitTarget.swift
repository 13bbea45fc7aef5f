/// Makes groups of records durable. A new kind of store needs a class that conforms to
/// `CommitTarget` and `StoreSource`, and a line in `StoreAddress`.
package protocol CommitTarget: AnyObject, Sendable {
  /// Whether records are stored. Without storage, no answer waits, and any run may follow another.
  var isDurable: Bool { get }
  /// The maximum number of groups in flight; with 1, a group waits for the previous group.
  var groupsMax: Int { get }

  var recordsMax: Int { get }

  /// The source of other collectors' commits to this store; nil if the store cannot be shared.
  var follower: (any StoreFollower)? { get }

  /// Makes all or nothing of `group` durable, asynchronously. Called on the queue of `store`, with
  /// at most `groupsMax` groups in flight. Each group ends with one `store.ended`, from any thread.
  func commit(_ group: consuming CommitGroup, for store: BatchStore)

  /// Called once, after all groups have ended.
  func close()
}

extension CommitTarget {
  package var recordsMax: Int { CommitGroup.recordsMax }
  package var follower: (any StoreFollower)? { nil }
}
