internal import Core
internal import Foundation

/// Reports the share of the large file at `path` that has been read, 0 ... 1.
package typealias ReadProgress = @Sendable (_ path: String, _ share: Double) -> Void

enum RecordingFiles {
  static let filesMax = 10_000

  /// Returns an absolute path; `written` starts at its file's folder or the working directory.
  static func path(_ written: String, at origin: Origin) -> String {
    var path = written
    if case .file(let name, _, _) = origin, !path.hasPrefix("/"),
      let slash = name.lastIndex(of: "/")
    {
      path = name[...slash] + written
    }
    return path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  static func shown(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// Returns the files that match a path or a glob, sorted by name.
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

  /// Returns the journey of a file, or of each of its tracks.
  static func read(
    _ path: String, speed: Speed, splitsTracks: Bool = false, progress: ReadProgress? = nil
  ) throws(GPXError) -> [Recording] {
    let file = try refusing { () throws(InputFileError) in
      try InputFile(path, bytesMax: ByteSource.bytesMax, isRegular: true)
    }
    defer { progress?(path, 1) }
    let source = try ByteSource { (count) throws(GPXError) in
      let bytes = try refusing { () throws(InputFileError) in try file.next(count) }
      if file.size > 0 { progress?(path, min(1, Double(file.count) / Double(file.size))) }
      return bytes
    }
    var recordings: [Recording] = []
    let reader = GPXReader()
    let contents = try splitsTracks ? reader.readTracks(source) : [reader.read(source)]
    for content in contents {
      let name = content.track.map { "\(path), track \($0)" } ?? path
      recordings.append(try RecordingMaker.make(content, path: name, speed: speed))
    }
    let begins = recordings.map(\.begins).min()
    return recordings.map { recording in
      var recording = recording
      recording.begins = begins ?? recording.begins
      return recording
    }
  }

  private static func refusing<Value>(
    _ body: () throws(InputFileError) -> Value
  ) throws(GPXError) -> Value {
    do throws(InputFileError) { return try body() } catch { throw refusal(error) }
  }

  private static func refusal(_ error: InputFileError) -> GPXError {
    switch error {
    case .cannotOpen(let reason), .cannotRead(let reason): .unreadable(reason)
    case .notRegular: .unreadable("it is not a regular file; name a GPX file")
    case .tooLarge(let bytes?, let most):
      .tooLarge("has \(bytes) bytes; a recording has at most \(most)")
    case .tooLarge(nil, let most): .tooLarge("has more than \(most) bytes")
    case .notText(let why): .foreign(why)
    }
  }
}
