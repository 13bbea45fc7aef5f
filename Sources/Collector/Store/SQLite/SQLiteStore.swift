internal import Synchronization

/// A store in a file of SQLite: what a collector on one machine commits to.
///
/// A commit has ended when `commit` returns. The file is behind a lock, since it is read on the
/// thread that opens it and written on the queue of its `BatchStore`.
final class SQLiteStore: SQLiteSource, CommitTarget {
  let name: String
  var isDurable: Bool { true }
  var groupsMax: Int { 1 }
  /// nil once closed.
  private let file: Mutex<StoreFile?>

  /// - Parameter pagesMax: of 4 KiB; nil: as far as the disk goes.
  init(path: String, pagesMax: Int? = nil) throws(StoreError) {
    let file = try StoreFile(path: path, pagesMax: pagesMax)
    name = path
    self.file = Mutex(file)
  }

  func commit(_ group: consuming CommitGroup, for store: BatchStore) {
    let error = commit(group)
    store.ended(group, error)
  }

  private func commit(_ group: borrowing CommitGroup) -> StoreError? {
    file.withLock { file in
      let isOpen = file != nil
      return isOpen ? file?.commit(group) ?? nil : closed
    }
  }

  private var closed: StoreError { .failed(path: name, reason: "it has been closed") }

  /// Folds its write-ahead log in.
  func close() { file.withLock { $0 = nil } }

  func read<Answer: Sendable>(
    _ body: (borrowing Database) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    // Runs within the lock, and cannot keep what cannot be copied.
    nonisolated(unsafe) let body = body
    return try file.withLock { (file) throws(StoreError) in
      switch file {
      case .some(let file): return try body(file.database)
      case nil: throw closed
      }
    }
  }
}
