internal import CSQLite
internal import Core
internal import Foundation

/// Owns one `sqlite3` connection without SQLite's mutex, for which the owner must have a lock.
struct Database: ~Copyable {
  let handle: OpaquePointer
  let path: String

  enum Purpose {
    /// The file is written, and created if missing.
    case writing
    /// The file is read, and its write-ahead log stays unchanged.
    case reading
    /// The file is read in a read-only folder, in which no other process writes.
    case fixed
  }

  init(path: String, for purpose: Purpose = .writing) throws(StoreError) {
    var opened: OpaquePointer?
    let mode =
      switch purpose {
      case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      // Reading takes a writer's lock too, to keep collectors from writing meanwhile.
      case .reading: SQLITE_OPEN_READWRITE
      case .fixed: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let flags = mode | SQLITE_OPEN_NOMUTEX
    let hasLog = FileManager.default.fileExists(atPath: StoreFiles(path).log)
    // Without a log or a folder for the log's index, SQLite reads only files marked immutable.
    let place =
      purpose == .fixed
      ? "file:"
        + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
        + "?immutable=1"
      : path
    let code = sqlite3_open_v2(place, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let detail = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw StoreError.of(code, path: path, detail: detail)
    }
    // If there is no log, SQLite creates an empty log and must be able to remove it again.
    if purpose == .reading, hasLog { _ = flotilla_sqlite_keep_log(opened) }
    handle = opened
    self.path = path
  }

  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether the file was deleted, moved or replaced since it was opened.
  var hasMoved: Bool { flotilla_sqlite_has_moved(handle) != 0 }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return Statement(handle: statement, path: path)
  }

  func error(_ code: Int32) -> StoreError {
    .of(
      code, path: path, detail: String(cString: sqlite3_errmsg(handle)),
      systemError: sqlite3_system_errno(handle))
  }
}

/// Owns one `sqlite3_stmt`, which must not outlive its `Database`.
struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let path: String

  fileprivate init(handle: OpaquePointer, path: String) {
    self.handle = handle
    self.path = path
  }

  deinit { sqlite3_finalize(handle) }

  /// An `index` counts from 1, and a column from 0, as in SQLite.
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: String) {
    // -1 is SQLITE_TRANSIENT, with which SQLite makes its own copy.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(handle, index, value, -1, copies)
  }

  /// Binds bytes, which must stay in memory until the next `bind` or `reset`.
  func bind(_ index: Int32, staying bytes: UnsafeRawBufferPointer) {
    if let base = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
    } else {
      sqlite3_bind_zeroblob(handle, index, 0)
    }
  }

  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let database = sqlite3_db_handle(handle)
      throw StoreError.of(
        code, path: path, detail: String(cString: sqlite3_errmsg(database)),
        systemError: sqlite3_system_errno(database))
    }
  }

  /// Runs a statement without rows, and resets it.
  func run() throws(StoreError) {
    defer { reset() }
    _ = try step()
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// A hash of the row, made from the kind and the content of each column.
  var rowHash: UInt64 {
    var hash: UInt64 = 0
    for column in 0..<sqlite3_column_count(handle) {
      let kind = sqlite3_column_type(handle, column)
      hash = Draw.mix(hash ^ UInt64(bitPattern: Int64(kind)))
      guard kind != SQLITE_INTEGER else {
        hash = Draw.mix(hash ^ UInt64(bitPattern: integer(column)))
        continue
      }
      for byte in blob(column) { hash = Draw.mix(hash ^ UInt64(byte)) }
    }
    return hash
  }

  /// Returns bytes that are valid until the next `step` or `reset`.
  func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, column), count: count)
  }
}
