/// Where a group of records becomes durable: a file, a database on another machine, or nowhere.
///
/// A new kind of store is one class that is this and a `StoreSource`, and a line in
/// `StoreAddress`.
package protocol CommitTarget: AnyObject, Sendable {
  /// What messages and logs call it: the path of its file.
  var name: String { get }
  /// False: it keeps nothing, so that no answer waits for it and any run may follow another.
  var isDurable: Bool { get }
  /// The files that it grows in, where it does so on this machine.
  var files: StoreFiles? { get }
  /// How many groups may be under way at once. 1: each waits for the end of the one before.
  var groupsMax: Int { get }

  /// Begins to make all of `group` durable, or nothing of it.
  ///
  /// Called on the queue of `BatchStore`, one call at a time, and never with more than `groupsMax`
  /// groups under way. It may do its work before it returns, or elsewhere afterwards.
  ///
  /// - Parameter ended: to be called once, from any thread, with the group, whose buffers are used
  ///   again, and with why nothing of it is durable; nil: all of it is.
  func commit(
    _ group: consuming CommitGroup,
    _ ended: @escaping @Sendable (consuming CommitGroup, StoreError?) -> Void)

  /// Gives the store back. Called once, when no group is under way and none will come.
  func close()
}
