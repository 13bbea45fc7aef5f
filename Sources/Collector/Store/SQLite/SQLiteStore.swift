internal import Synchronization

/// A store in a SQLite file, for one collector. `commit` is synchronous. A lock guards the file,
/// which the opening thread reads and the `BatchStore`'s queue writes.
final class SQLiteStore: SQLiteSource, CommitTarget {
  let name: String
  var isDurable: Bool { true }
  var groupsMax: Int { 1 }
  /// The store's file; nil once the store is closed.
  private let file: Mutex<StoreFile?>

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

  private var closed: StoreError { .failed(path: name, reason: "it is closed") }

  /// Checkpoints the write-ahead log and closes the file.
  func close() { file.withLock { $0 = nil } }

  /// Checkpoints the write-ahead log and drops cached pages, so that reads come from the file.
  func onDisk() throws(StoreError) -> any StoreSource {
    try read { (database) throws(StoreError) in
      guard !database.hasMoved else { throw .moved(path: name) }
      // On a full disk the data stays in the log, from which it is then read.
      do throws(StoreError) { try database.run("PRAGMA wal_checkpoint(TRUNCATE)") } catch {}
      try database.run("PRAGMA shrink_memory")
    }
    return self
  }

  func read<Answer: Sendable>(
    _ body: (borrowing Database) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    // `body` runs within the lock, which cannot return a noncopyable value.
    nonisolated(unsafe) let body = body
    return try file.withLock { (file) throws(StoreError) in
      switch file {
      case .some(let file): return try body(file.database)
      case nil: throw closed
      }
    }
  }
}
