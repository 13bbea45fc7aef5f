internal import Figures
package import Foundation

/// Keeps fleets as they stood after their warm starts, in a folder of files, so that the next run
/// of the same fleet need not live those hours again.
///
/// The folder is bounded: what was used least recently goes first. Several processes may use it at
/// once, since a file gets its name when all of it is on the disk, and what a process has open
/// stays readable when another removes it.
package struct WarmStartCache: Sendable {
  /// Is the bound of the folder unless another is set: 4 GiB, about ten fleets of a million phones.
  package static let standardLimit = 4 << 30
  /// Is the shortest warm start, in wall seconds, that is kept unless another is set: to live it
  /// again takes as long as to read it.
  package static let standardWorth = 0.5

  /// Is the folder; it is made when the first file is written.
  package var folder: URL
  /// Bounds the length of all files together, in bytes.
  package var limit: Int
  /// Is the shortest warm start that is kept, in wall seconds.
  package var worth: Double
  /// Identifies the build of the program; empty: nothing is kept.
  package var program: String
  /// Reads the calendar's clock, in seconds since 1970, for the ages of files.
  package var now: @Sendable () -> Double

  /// Makes the cache of a folder, without touching the disk.
  package init(
    folder: URL, program: String, limit: Int = standardLimit, worth: Double = standardWorth,
    now: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.folder = folder
    self.program = program
    self.limit = limit
    self.worth = worth
  }

  /// Returns the file of a key, whether it is there or not.
  func path(_ key: LifeKey) -> String { folder.appendingPathComponent(key.fileName).path }

  /// Opens the file of a key; nil where there is none.
  ///
  /// - Throws: an error for a file that is there and must not be believed; it is removed.
  func open(_ key: LifeKey) throws(LifeFileError) -> LifeReader? {
    let path = path(key)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do throws(LifeFileError) {
      let reader = try LifeReader(path)
      guard reader.head.key == key else { throw .foreign("it was kept for another") }
      // The newest use is what the folder's order goes by.
      utimensat(AT_FDCWD, path, nil, 0)
      return reader
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Removes a file whose pieces turned out to be damaged.
  func discard(_ key: LifeKey) { unlink(path(key)) }

  /// Makes the folder where there is none.
  func makeFolder() throws(LifeFileError) {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unwritable(FileErrorText.reason(error))
    }
  }

  /// Begins the file of a key.
  func begin(_ key: LifeKey) throws(LifeFileError) -> LifeWriter {
    try makeFolder()
    return try LifeWriter(path(key), LifeHead(key: key))
  }

  // MARK: The bound

  /// Removes what was used least recently until the rest is within the limit, but never the file
  /// that has just been written; and what processes left that were killed while they wrote.
  func trim(keeping name: String) {
    let manager = FileManager.default
    var files: [(name: String, used: Date, length: Int)] = []
    for file in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
      let path = folder.appendingPathComponent(file).path
      if file.hasPrefix(LifeWriter.temporaryPrefix) {
        LifeWriter.removeAbandoned(path)
        continue
      }
      guard file.hasSuffix(LifeKey.suffix) || file.hasSuffix(KeptForecast.suffix),
        let facts = try? manager.attributesOfItem(atPath: path),
        let used = facts[.modificationDate] as? Date, let length = facts[.size] as? Int
      else { continue }
      files.append((file, used, length))
    }
    var total = files.reduce(0) { $0 + $1.length }
    files.sort { ($0.used, $0.name) < ($1.used, $1.name) }
    for file in files where total > limit && file.name != name {
      unlink(folder.appendingPathComponent(file.name).path)
      total -= file.length
    }
  }
}
