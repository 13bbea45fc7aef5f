/// Where a group of records becomes durable: a file, a database on another machine, or nowhere.
///
/// A new kind of store is one class that is this and a `StoreSource`, and a line in
/// `StoreAddress`.
package protocol CommitTarget: AnyObject, Sendable {
  /// False: it keeps nothing, so that no answer waits for it and any run may follow another.
  var isDurable: Bool { get }
  /// How many groups may be under way at once. 1: each waits for the end of the one before.
  var groupsMax: Int { get }

  /// Begins to make all of `group` durable, or nothing of it. It may do so before it returns, or
  /// elsewhere afterwards.
  ///
  /// Called on the queue of `store`, one call at a time, and never with more than `groupsMax`
  /// groups under way. Each group ends with one `store.ended`, from any thread.
  func commit(_ group: consuming CommitGroup, for store: BatchStore)

  /// Gives the store back. Called once, when no group is under way and none will come.
  func close()
}
