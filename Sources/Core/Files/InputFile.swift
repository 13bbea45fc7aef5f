internal import Foundation

package enum InputFileError: Error, Equatable, Sendable {
  case cannotOpen(String)
  case cannotRead(String)
  /// The path names a folder, device or pipe instead of a regular file.
  case notRegular
  /// The file is larger than allowed; `bytes` is nil if the size is unknown.
  case tooLarge(bytes: Int?, most: Int)
  /// The file is not text. The value completes a sentence that begins with the file's name.
  case notText(String)

  /// The end of a sentence that begins with the file's name.
  package var text: String {
    switch self {
    case .cannotOpen(let reason): "cannot be opened: \(reason)."
    case .cannotRead(let reason): "cannot be read: \(reason)."
    case .notRegular: "is not a regular file."
    case .tooLarge(let bytes?, let most): "has \(bytes) bytes; at most \(most) are read."
    case .tooLarge(nil, let most): "has more than \(most) bytes; at most \(most) are read."
    case .notText(let why): why
    }
  }
}

/// A user's file, read once within bounds, and closed with the last reference to this object.
package final class InputFile {
  /// The size of the file when opened; 0 if unknown, as for pipes.
  package let size: Int
  package private(set) var count = 0
  private let descriptor: Int32
  private let bytesMax: Int

  /// Checks kind and size first, so that neither a pipe nor a huge file blocks the reader.
  package init(_ path: String, bytesMax: Int, isRegular: Bool) throws(InputFileError) {
    let flags = isRegular ? O_NONBLOCK : 0
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
    guard descriptor >= 0 else { throw .cannotOpen(Self.reason) }
    self.descriptor = descriptor
    self.bytesMax = bytesMax
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    size = isKnown && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    guard isKnown else { throw .cannotRead(Self.reason) }
    guard !isRegular || status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard size <= bytesMax else { throw .tooLarge(bytes: size, most: bytesMax) }
  }

  deinit { close(descriptor) }

  /// Returns at most `most` further bytes; none at the end.
  package func next(_ most: Int) throws(InputFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    while true {
      let got = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .cannotRead(Self.reason) }
      count += got
      // Files of /proc report a size of 0, and a file may grow.
      guard count <= bytesMax else { throw .tooLarge(bytes: nil, most: bytesMax) }
      bytes.removeLast(most - got)
      return bytes
    }
  }

  package func text() throws(InputFileError) -> String {
    var bytes: [UInt8] = []
    while true {
      let more = try next(1 << 16)
      if more.isEmpty { break }
      bytes += more
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw .notText("is UTF-16 text; save it as UTF-8.")
    }
    guard let text = PlainText.decoded(bytes) else { throw .notText("is not UTF-8 text.") }
    return text
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
