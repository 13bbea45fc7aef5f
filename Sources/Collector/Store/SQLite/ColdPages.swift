internal import Foundation

/// Releases page-cache memory of a store's file, since reclaiming a full cache takes CPU from the
/// collector. Pauses while phones register, as registrations read phones' rows in random order.
struct ColdPages {
  /// The number of bytes stored between two releases.
  static let intervalBytes = 32 << 20
  /// The share of records other than batches above which nothing is released.
  private static let othersMax = 1.0 / 16

  /// The descriptor that SQLite uses, since closing another descriptor of the file would drop
  /// SQLite's locks; nil if unknown.
  private let descriptor: Int32?
  private var bytes = 0
  private var records = 0
  private var batches = 0

  /// - Parameter path: the path of a file that this process has open.
  init(of path: String) { descriptor = Self.descriptor(of: path) }

  /// - Parameter batches: the number of batches among the group's records.
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
