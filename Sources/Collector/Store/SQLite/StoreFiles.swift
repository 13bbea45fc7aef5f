internal import Foundation

/// The files that a store of SQLite consists of.
package struct StoreFiles: Equatable, Sendable {
  /// The file that a user names.
  package let path: String

  /// Makes the names of a store's files from the one that a user gives.
  package init(_ path: String) { self.path = path }

  /// The write-ahead log: there while a connection is open, and after a sudden death.
  package var log: String { path + "-wal" }

  /// The log's index; there as long as the log, unless one process alone has the store.
  private var index: String { path + "-shm" }

  /// Lists the paths of all three files, whether or not they exist.
  package var all: [String] { [path, log, index] }

  /// Takes away what is there of them. Nobody may have the store open.
  package func remove() {
    for file in all { try? FileManager.default.removeItem(atPath: file) }
  }
}
