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

  /// Whether the file can be written, and others be made beside it.
  var canBeWritten: Bool {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return access(path, W_OK) == 0 && access(folder, W_OK) == 0
  }

  /// Whether another process has the file locked, as a collector has.
  var isLocked: Bool {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    // SQLite's locks stand at the first gigabyte (https://www.sqlite.org/fileformat2.html).
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (1 << 30, 512)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Removes those of the files that exist. No process may have the store open.
  package func remove() {
    for file in all { try? FileManager.default.removeItem(atPath: file) }
  }
}
