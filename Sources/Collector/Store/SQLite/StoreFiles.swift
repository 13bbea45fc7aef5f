internal import Foundation

package struct StoreFiles: Equatable, Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// The write-ahead log, which exists while a connection is open and after a crash.
  package var log: String { path + "-wal" }

  /// The log's index, which exists with the log unless one process has locked the store.
  private var index: String { path + "-shm" }

  /// The paths of store, log and index, whether the files exist or not.
  package var all: [String] { [path, log, index] }

  var canBeWritten: Bool {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return access(path, W_OK) == 0 && access(folder, W_OK) == 0
  }

  var isLocked: Bool {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    // SQLite's locks are at offset 1 GiB (https://www.sqlite.org/fileformat2.html).
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (1 << 30, 512)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Removes the files that exist. No process may have the store open.
  package func remove() {
    for file in all { try? FileManager.default.removeItem(atPath: file) }
  }
}
