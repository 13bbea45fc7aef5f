internal import Foundation
internal import SimulationCore

/// Finds the files that a scenario names, and reads each within bounds.
enum RecordingFiles {
  /// A point takes 100 to 500 bytes; so the largest file that has not too many points fits.
  static let bytesMax = 512 << 20
  static let filesMax = 10_000

  /// The path of what was written: relative to the folder of the file it was written in, on the
  /// command line to the working directory.
  static func path(_ written: String, at origin: Origin) -> String {
    if written.hasPrefix("/") { return written }
    switch origin {
    case .file(let name, _, _), .whole(let name):
      guard let slash = name.lastIndex(of: "/") else { return written }
      return "\(name[..<slash])/\(written)"
    case .setting, .option: return written
    }
  }

  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  /// How a file is called in front of its author: short when it lies near the working directory.
  static func shown(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The files that a path or glob stands for, in the order of their names.
  static func files(_ pattern: String) throws(GPXError) -> [String] {
    if isFolder(pattern) { throw .unreadable("it is a folder; write \(pattern)/*.gpx") }
    guard pattern.contains(where: { "*?[".contains($0) }),
      !FileManager.default.fileExists(atPath: pattern)
    else { return [pattern] }
    var found = glob_t()
    defer { globfree(&found) }
    let status = glob(pattern, GLOB_NOSORT, nil, &found)
    guard status == 0 || status == GLOB_NOMATCH else {
      throw .unreadable("the folders cannot be searched")
    }
    var paths: [String] = []
    for i in 0..<Int(found.gl_pathc) {
      guard let path = found.gl_pathv?[i] else { continue }
      let text = String(cString: path)
      if !isFolder(text) { paths.append(text) }
    }
    guard !paths.isEmpty else { throw .unreadable("no file matches it") }
    guard paths.count <= filesMax else {
      throw .tooLarge("matches \(paths.count) files; at most \(filesMax) are replayed")
    }
    return paths.sorted()
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func read(_ path: String, speed: Speed) throws(GPXError) -> Recording {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(reason()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(reason()) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable("it is not a regular file; name a GPX file")
    }
    guard status.st_size <= bytesMax else {
      throw .tooLarge("has \(status.st_size) bytes; a recording has at most \(bytesMax)")
    }
    var total = 0
    let source = try ByteSource { (count) throws(GPXError) in
      let bytes = try chunk(descriptor, count)
      total += bytes.count
      guard total <= bytesMax else { throw .tooLarge("has more than \(bytesMax) bytes") }
      return bytes
    }
    return try RecordingMaker.make(GPXReader(source).read(), path: path, speed: speed)
  }

  private static func chunk(_ descriptor: Int32, _ count: Int) throws(GPXError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let got = bytes.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .unreadable(reason()) }
      bytes.removeLast(count - got)
      return bytes
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
