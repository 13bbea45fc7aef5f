internal import Foundation
internal import ServerLogic

/// The server's row for each phone at the start of a run, kept on disk. The rows of a million
/// phones are 56 MB, which a run reads once or twice.
///
/// The file has no name and disappears with its owner. Without disk space, rows stay in memory.
/// Used by one thread at a time.
final class SnapshotSpill {
  /// The number of rows that are read from disk, or sent to a collector, at a time.
  static let page = 10_000

  private var descriptor: Int32
  private var kept: [PhoneSnapshot] = []
  private var written = 0

  init(in folder: URL = FileManager.default.temporaryDirectory) {
    var path = Array(folder.appendingPathComponent("flotilla-XXXXXX").path.utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return }
    unlink(path)
    // A collector started later must not inherit the file.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var count: Int { written + kept.count }

  func append(_ snapshot: PhoneSnapshot) {
    kept.append(snapshot)
    guard descriptor >= 0, kept.count == Self.page else { return }
    let rows = kept
    let (done, bytes) = rows.withUnsafeBytes { bytes in
      (pwrite(descriptor, bytes.baseAddress!, bytes.count, offset(written)), bytes.count)
    }
    if done == bytes {
      written += rows.count
      kept.removeAll(keepingCapacity: true)
    } else {
      takeBack()
    }
  }

  /// Moves all rows back to memory when the disk is full.
  private func takeBack() {
    var all: [PhoneSnapshot] = []
    forEachPage { all += $0 }
    kept = all
    written = 0
    close(descriptor)
    descriptor = -1
  }

  /// Calls `body` with pages of rows, in the order in which the rows were added.
  func forEachPage<Failure: Error>(
    _ body: (ArraySlice<PhoneSnapshot>) throws(Failure) -> Void
  ) throws(Failure) {
    for first in stride(from: 0, to: written, by: Self.page) {
      try body(read(first)[...])
    }
    for first in stride(from: 0, to: kept.count, by: Self.page) {
      try body(kept[first..<min(first + Self.page, kept.count)])
    }
  }

  private func read(_ first: Int) -> [PhoneSnapshot] {
    [PhoneSnapshot](unsafeUninitializedCapacity: Self.page) { rows, count in
      let place = UnsafeMutableRawBufferPointer(rows)
      let done = pread(descriptor, place.baseAddress!, place.count, offset(first))
      precondition(done == place.count, "a spilled page of phone states cannot be read back")
      count = Self.page
    }
  }

  private func offset(_ row: Int) -> Int { row * MemoryLayout<PhoneSnapshot>.stride }
}
