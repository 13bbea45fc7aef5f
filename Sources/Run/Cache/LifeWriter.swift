internal import Core
internal import Foundation
internal import Synchronization
internal import Wire

/// Writes a file of a fleet's state under a temporary name and renames it once it is durable. Any
/// thread may add pieces.
final class LifeWriter: Sendable {
  private struct State {
    var length = 0
    var pieces: UInt32 = 0
    var problem: String?
  }

  static let temporaryPrefix = "unfinished-"

  private let descriptor: Int32
  private let temporary: String
  private let path: String
  private let state: Mutex<State>

  init(_ path: String, _ head: LifeHead) throws(LifeFileError) {
    self.path = path
    let folder = (path as NSString).deletingLastPathComponent
    (descriptor, temporary) = try Self.begin(in: folder)
    state = Mutex(State())
    guard let text = try? JSONEncoder().encode(head) else {
      preconditionFailure("a header has only numbers and strings, which JSON can encode")
    }
    var writer = RecordWriter(.life)
    writer.record(LifePart.head.rawValue) { $0.append(Array(text)) }
    _ = write(writer)
  }

  /// Creates and locks a new file. The kernel releases the lock when the process ends. File systems
  /// without locks are supported.
  private static func begin(
    in folder: String
  ) throws(LifeFileError) -> (descriptor: Int32, path: String) {
    while true {
      let path = "\(folder)/\(temporaryPrefix)\(UUID().uuidString)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .unwritable(String(cString: strerror(errno))) }
      while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
      // Another process may have removed the file as abandoned before it was locked.
      if access(path, F_OK) == 0 { return (descriptor, path) }
      close(descriptor)
    }
  }

  static func removeAbandoned(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    close(descriptor)
  }

  deinit {
    close(descriptor)
    // A file that was not finished still has its temporary name.
    unlink(temporary)
  }

  /// Adds a piece. Returns false if a write has failed, after which `finish` throws.
  func add(_ phones: Range<Int>, _ content: [UInt8]) -> Bool {
    add(.phones, first: phones.lowerBound, count: phones.count, content)
  }

  func add(_ part: LifePart, first: Int, count: Int, _ content: [UInt8]) -> Bool {
    var packed = ByteBuffer(capacity: 0)
    let compressor = MessageCompressor()
    content.withUnsafeBytes { content in
      // Incompressible content is stored as it is, so the stored length equals the original length.
      if !compressor.compress(content, .zstd, into: &packed) { packed.append(content) }
    }
    var writer = RecordWriter()
    writer.record(part.rawValue) {
      for number in [first, count, content.count] { $0.append(UInt32(number)) }
      $0.append(packed.readable)
    }
    return write(writer, pieces: 1)
  }

  private func write(_ writer: consuming RecordWriter, pieces: UInt32 = 0) -> Bool {
    state.withLock { state in
      guard state.problem == nil else { return false }
      state.length += writer.bytes.count
      state.pieces += pieces
      state.problem = writer.flush(to: descriptor)
      return state.problem == nil
    }
  }

  /// Ends the file, renames it, and returns its length in bytes.
  func finish(events: Int) throws(LifeFileError) -> Int {
    var writer = RecordWriter()
    writer.record(LifePart.end.rawValue) {
      $0.append(state.withLock { $0.pieces })
      $0.append(Int64(events))
    }
    _ = write(writer)
    let (length, problem) = state.withLock { ($0.length, $0.problem) }
    if let problem { throw .unwritable(problem) }
    // The content must be on disk before the final name is.
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
      throw .unwritable(String(cString: strerror(errno)))
    }
    return length
  }
}
