internal import Foundation

/// Gives back the memory in which the kernel keeps what a store's file holds: batches are appended
/// and not read again while their collector runs, yet after a day of them the page cache is full of
/// nothing else, and a kernel that then looks for memory takes the processor from the collector.
///
/// Only pages that are on the disk leave; one that is needed after all is read again. Where phones
/// register, their rows are read in no order: nothing is given back for as long as they do.
struct ColdPages {
  /// Is how much is stored between two times, in bytes.
  static let intervalBytes = 32 << 20
  /// Is the share of records that are not batches from which on nothing is given back.
  private static let othersMax = 1.0 / 16

  /// Is SQLite's own descriptor: to close another of the same file would drop its locks. Nil where
  /// the system does not tell which it is.
  private let descriptor: Int32?
  private var bytes = 0
  private var records = 0
  private var batches = 0

  /// - Parameter path: of a file that this process has open.
  init(of path: String) { descriptor = Self.descriptor(of: path) }

  /// Counts a group that was committed; every so often gives back the pages of all.
  ///
  /// - Parameter batches: how many of its records are batches.
  mutating func committed(_ group: borrowing CommitGroup, batches: Int) {
    bytes += group.bytes.count
    records += group.records.count
    self.batches += batches
    guard bytes >= Self.intervalBytes else { return }
    if let descriptor, Double(records - self.batches) <= Self.othersMax * Double(records) {
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
    (bytes, records, self.batches) = (0, 0, 0)
  }

  private static func descriptor(of path: String) -> Int32? {
    var file = stat()
    guard stat(path, &file) == 0,
      let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    else { return nil }
    return open.compactMap { Int32($0) }.first { number in
      var other = stat()
      return fstat(number, &other) == 0 && other.st_ino == file.st_ino
        && other.st_dev == file.st_dev
    }
  }
}
