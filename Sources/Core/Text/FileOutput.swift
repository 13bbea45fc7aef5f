internal import Foundation

/// Writes files that the user names. A regular file is replaced atomically; a device or FIFO is
/// written into. A symbolic link is followed. `-` and `/dev/stdout` are standard output.
package enum FileOutput {
  package enum Readers: Sendable {
    case all
    /// Only the owner may read the file, which contains a private key.
    case owner
  }

  package struct WriteError: Error, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    init(_ path: String, _ code: Int32) {
      self.path = path
      reason = String(cString: strerror(code))
    }

    package var description: String { "\(path): cannot be written (\(reason))" }
  }

  package static func write(
    _ text: String, to path: String, for readers: Readers = .all
  ) throws(WriteError) {
    try write(bytes: Array(text.utf8), to: path, for: readers)
  }

  package static func write(
    bytes: [UInt8], to path: String, for readers: Readers = .all
  ) throws(WriteError) {
    if let descriptor = descriptor(named: path) {
      return try write(bytes, to: descriptor, path)
    }
    let before = facts(path)
    guard isReplaced(path, before) else {
      let descriptor = try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode(readers, before))
      defer { close(descriptor) }
      return try write(bytes, to: descriptor, path)
    }
    let target = before == nil ? path : realPath(path) ?? path
    let new = "\(target).\(getpid()).new"
    guard let descriptor = try? open(new, O_WRONLY | O_CREAT | O_EXCL, mode: mode(readers, before))
    else {
      // In a folder that takes no new file, the existing file may still be writable.
      return try overwrite(bytes, path, readers, before)
    }
    do throws(WriteError) {
      defer { close(descriptor) }
      if let before {
        fchmod(descriptor, mode(readers, before))
        _ = fchown(descriptor, before.st_uid, before.st_gid)
      }
      try write(bytes, to: descriptor, path)
    } catch {
      unlink(new)
      throw error
    }
    guard rename(new, target) == 0 else {
      let code = errno
      unlink(new)
      throw WriteError(path, code)
    }
  }

  /// Checks early that a file can be written, without changing it.
  package static func check(_ path: String) throws(WriteError) {
    guard descriptor(named: path) == nil else { return }
    if let facts = facts(path) {
      if facts.st_mode & S_IFMT == S_IFDIR { throw WriteError(path, EISDIR) }
      guard access(path, W_OK) == 0 else { throw WriteError(path, errno) }
    } else {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard access(folder, W_OK) == 0 else { throw WriteError(path, errno) }
    }
  }

  /// Returns whether `write` makes or replaces a regular file, instead of writing into something.
  package static func isReplaced(_ path: String) -> Bool {
    descriptor(named: path) == nil && isReplaced(path, facts(path))
  }

  /// Opens a file to be written piece by piece; the caller closes it.
  package static func open(_ path: String) throws(WriteError) -> Int32 {
    guard let named = descriptor(named: path) else {
      return try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
    }
    let copy = dup(named)
    guard copy >= 0 else { throw WriteError(path, errno) }
    return copy
  }

  package static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, named path: String
  ) throws(WriteError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw WriteError(path, errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  /// Appends to a file, if it still exists; errors are ignored, such as a pipe without a reader.
  package static func append(_ text: String, to path: String) {
    let named = descriptor(named: path)
    let descriptor = named ?? Foundation.open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { if named == nil { close(descriptor) } }
    try? write(Array(text.utf8), to: descriptor, path)
  }

  // MARK: the ways to write

  /// Returns the open descriptor that a path names; nil for a file. Opening a descriptor's path
  /// again would write from the beginning.
  private static func descriptor(named path: String) -> Int32? {
    switch path {
    case "-", "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    case let path:
      let prefix = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
      return prefix.flatMap { Int32(path.dropFirst($0.count)) }
    }
  }

  /// Returns whether the path is a regular file, or names nothing.
  private static func isReplaced(_ path: String, _ facts: stat?) -> Bool {
    if let facts { return facts.st_mode & S_IFMT == S_IFREG }
    // A symbolic link without a target is kept, and its target is created.
    var link = stat()
    return lstat(path, &link) != 0
  }

  private static func overwrite(
    _ bytes: [UInt8], _ path: String, _ readers: Readers, _ before: stat?
  ) throws(WriteError) {
    let descriptor = try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode(readers, before))
    defer { close(descriptor) }
    if before != nil { fchmod(descriptor, mode(readers, before)) }
    try write(bytes, to: descriptor, path)
  }

  private static func facts(_ path: String) -> stat? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts : nil
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func mode(_ readers: Readers, _ before: stat?) -> mode_t {
    switch readers {
    case .owner: 0o600
    case .all: before.map { $0.st_mode & 0o777 } ?? 0o666
    }
  }

  private static func open(_ path: String, _ flags: Int32, mode: mode_t) throws(WriteError) -> Int32
  {
    let descriptor = Foundation.open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw WriteError(path, errno) }
    return descriptor
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ path: String
  ) throws(WriteError) {
    do {
      try bytes.withUnsafeBytes { try write($0, to: descriptor, named: path) }
    } catch let error as WriteError {
      throw error
    } catch {
      // This error cannot occur: only `WriteError` is thrown above.
      throw WriteError(path, EIO)
    }
  }
}
