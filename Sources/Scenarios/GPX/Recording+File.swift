package import Core

extension Recording {
  /// Reads a file's journey as a scenario does; `speed` applies to files without times.
  package static func read(
    _ path: String, speed: Speed = Speed(metersPerSecond: 5)
  ) throws(GPXError) -> Recording {
    try RecordingFiles.read(path, speed: speed)[0]
  }
}
