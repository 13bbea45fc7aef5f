internal import Foundation

/// Names the files of a SQLite store.
package struct StoreFiles: Equatable, Sendable {
  /// Is the path of the file that a user names.
  package let path: String

  /// Makes the names of a store's files from the one that a user gives.
  package init(_ path: String) { self.path = path }

  /// Is the path of the write-ahead log, which exists while a connection is open and after a sudden
  /// death.
  package var log: String { path + "-wal" }

  /// Is the path of the log's index, which exists as long as the log, unless one process alone has
  /// the store.
  private var index: String { path + "-shm" }

  /// Lists the paths of all three files, whether or not they exist.
  package var all: [String] { [path, log, index] }

  /// Removes those of the files that exist. No process may have the store open.
  package func remove() {
    for file in all { try? FileManager.default.removeItem(atPath: file) }
  }
}
