internal import Foundation

/// Opens a store in a SQLite file to audit or export it. Nothing in it changes, and no collector
/// can open it meanwhile.
final class SQLiteReader: SQLiteSource {
  let name: String
  private let database: Database

  init(path: String) throws(StoreError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    guard let size else { throw .noStore(path: path, detail: "no such file") }
    guard size > 0 || FileManager.default.fileExists(atPath: StoreFiles(path).log) else {
      throw .noStore(path: path, detail: "it is empty")
    }
    try Self.lookAtHead(path)
    let database = try Database(path: path, for: .reading)
    if !database.isReadOnly { try database.run("PRAGMA locking_mode=EXCLUSIVE") }
    try StoreSchema.checkVersion(of: database)
    name = path
    self.database = database
  }

  func read<Answer: Sendable>(
    _ body: (borrowing Database) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer { try body(database) }

  /// A file that does not begin as SQLite's files do was never a store; one that does, and cannot
  /// be read, is a damaged store.
  private static func lookAtHead(_ path: String) throws(StoreError) {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw .cannotOpen(path: path, detail: "it cannot be read")
    }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: magic.count)) ?? Data()
    guard head.isEmpty || Array(head) == magic else {
      throw .noStore(path: path, detail: "it does not begin as an SQLite file does")
    }
  }

  private static let magic = Array("SQLite format 3\0".utf8)
}
