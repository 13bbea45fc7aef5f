internal import Foundation

/// A scenario or policy file as text, read within bounds.
struct SourceFile {
  /// A scenario is written by hand; the shipped ones have 3 kB. What is larger is another file.
  static let bytesMax = 1 << 20

  let name: String
  let text: String

  /// Reads a regular file of at most `bytesMax` bytes of UTF-8. The kind and the size are asked
  /// for before the first byte is read, so that neither a pipe nor a huge file holds it up.
  static func read(_ path: String) throws(ScenarioError) -> SourceFile {
    func refuse(_ why: String) -> ScenarioError { fault(path, why) }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw refuse("cannot be opened: \(reason()).") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw refuse("cannot be read: \(reason()).") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw refuse("is not a regular file; name a YAML file.")
    }
    guard status.st_size <= bytesMax else {
      throw refuse("has \(status.st_size) bytes; a scenario has at most \(bytesMax).")
    }
    // One byte more than allowed: files of /proc say that they are empty.
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      if got == 0 { break }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw refuse("cannot be read: \(reason()).") }
      count += got
    }
    guard count <= bytesMax else { throw refuse("has more than \(bytesMax) bytes.") }
    guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw refuse("is not UTF-8 text.")
    }
    return SourceFile(name: path, text: text)
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func fault(_ path: String, _ why: String) -> ScenarioError {
    ScenarioError([Diagnostic(origin: .whole(path), text: why)])
  }
}
