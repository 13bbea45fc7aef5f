internal import Core
internal import Foundation

/// Reads a SQLite store for audit or export, unchanged. No collector can open the store meanwhile.
final class SQLiteReader: SQLiteSource {
  let name: String
  private let database: Database
  private let copy: URL?

  /// - Parameter mayWrite: whether SQLite can write next to the file, as reading a log requires;
  ///   nil to check.
  init(path: String, mayWrite: Bool? = nil) throws(StoreError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    guard let size else { throw .noStore(path: path, detail: "no such file") }
    guard size > 0 || FileManager.default.fileExists(atPath: StoreFiles(path).log) else {
      throw .noStore(path: path, detail: "it is empty")
    }
    try Self.lookAtHead(path)
    var (place, purpose, copy) = (path, Database.Purpose.reading, URL?.none)
    if !(mayWrite ?? StoreFiles(path).canBeWritten) {
      guard !StoreFiles(path).isLocked else { throw .inUse(path: path) }
      // SQLite can read a log only where it can write the log's index.
      copy = try Self.copy(path)
      if let copy { place = copy.appending(path: "store").path } else { purpose = .fixed }
    }
    do throws(StoreError) {
      let database = try Database(path: place, for: purpose)
      if !database.isReadOnly { try database.run("PRAGMA locking_mode=EXCLUSIVE") }
      try StoreSchema.checkVersion(of: database)
      (name, self.copy) = (path, copy)
      self.database = database
    } catch {
      if let copy { try? FileManager.default.removeItem(at: copy) }
      throw error
    }
  }

  deinit {
    if let copy { try? FileManager.default.removeItem(at: copy) }
  }

  /// Copies a store that has a write-ahead log; returns nil if the store has none.
  private static func copy(_ path: String) throws(StoreError) -> URL? {
    let log = StoreFiles(path).log
    let size = (try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? Int
    guard let size, size > 0 else { return nil }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "flotilla-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (file, name) in [(path, "store"), (log, "store-wal")] {
        let place = folder.appending(path: name).path
        try FileManager.default.copyItem(atPath: file, toPath: place)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place)
      }
      return folder
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw .cannotOpen(
        path: path,
        detail: "it has a write-ahead log in a read-only folder and cannot be copied "
          + "to \(folder.path): \(FileErrorText.reason(error))")
    }
  }

  func read<Answer: Sendable>(
    _ body: (borrowing Database) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer { try body(database) }

  /// Throws if the file is not an SQLite file, to tell a foreign file from a damaged store.
  private static func lookAtHead(_ path: String) throws(StoreError) {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw .cannotOpen(path: path, detail: "it cannot be read")
    }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: magic.count)) ?? Data()
    guard head.isEmpty || Array(head) == magic else {
      throw .noStore(path: path, detail: "it is not an SQLite file")
    }
  }

  private static let magic = Array("SQLite format 3\0".utf8)
}
