internal import Core
package import Foundation

/// Caches fleets after their warm starts in a folder of limited size. Several processes can share
/// the folder: a file gets its name when it is complete, and an open file stays readable.
package struct WarmStartCache: Sendable {
  /// The default limit of the folder: 4 GiB, about ten fleets of a million phones.
  package static let standardLimit = 4 << 30
  /// The minimum duration of a warm start that is cached by default, in wall-clock seconds.
  package static let standardWorth = 0.5

  package var folder: URL
  /// The maximum length of all files together, in bytes.
  package var limit: Int
  package var worth: Double
  /// The build of the program; if empty, nothing is cached.
  package var program: String
  /// Reads the calendar clock, in seconds since 1970, for the ages of files.
  package var now: @Sendable () -> Double

  /// Creates the cache of a folder, without touching the disk.
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

  func path(_ key: LifeKey) -> String { folder.appendingPathComponent(key.fileName).path }

  /// Opens the file of a key; nil if there is no file. Removes an invalid file and throws.
  func open(_ key: LifeKey) throws(LifeFileError) -> LifeReader? {
    let path = path(key)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do throws(LifeFileError) {
      let reader = try LifeReader(path)
      guard reader.head.key == key else { throw .foreign("it was written for another run") }
      // Eviction is by last use, so opening a file updates its time.
      utimensat(AT_FDCWD, path, nil, 0)
      return reader
    } catch {
      unlink(path)
      throw error
    }
  }

  func discard(_ key: LifeKey) { unlink(path(key)) }

  func makeFolder() throws(LifeFileError) {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unwritable(FileErrorText.reason(error))
    }
  }

  func begin(_ key: LifeKey) throws(LifeFileError) -> LifeWriter {
    try makeFolder()
    return try LifeWriter(path(key), LifeHead(key: key))
  }

  // MARK: Eviction

  private static let suffixes = [LifeKey.suffix] + KeptFile.Kind.allCases.map(\.suffix)

  /// Removes the least recently used files, but never `name`, until the rest is within the limit.
  /// Also removes the unfinished files of killed processes.
  func trim(keeping name: String) {
    let manager = FileManager.default
    var files: [(name: String, used: Date, length: Int)] = []
    for file in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
      let path = folder.appendingPathComponent(file).path
      if file.hasPrefix(LifeWriter.temporaryPrefix) {
        LifeWriter.removeAbandoned(path)
        continue
      }
      guard Self.suffixes.contains(where: file.hasSuffix),
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
