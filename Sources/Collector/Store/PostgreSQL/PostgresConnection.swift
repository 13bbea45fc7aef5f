internal import CPostgreSQL

/// Owns one libpq connection. `@unchecked Sendable`, since libpq ties a connection to no thread,
/// and the connection's owner ensures exclusive use.
final class PostgresConnection: @unchecked Sendable {
  let handle: OpaquePointer
  let name: String

  init(_ address: PostgresAddress, waitSeconds: Int = 10) throws(StoreError) {
    name = address.name
    if let problem = flotilla_pg_load() {
      throw .unreachable(store: name, detail: String(cString: problem))
    }
    // Settings in the address come last and override these. A server that disappears is noticed
    // within ten seconds.
    let options = [
      ("connect_timeout", "\(waitSeconds)"), ("application_name", "flotilla"),
      ("keepalives_idle", "3"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "10000"), ("client_encoding", "UTF8"), ("dbname", address.url),
    ]
    guard let handle = Self.connect(options) else {
      throw .unreachable(store: name, detail: "out of memory")
    }
    self.handle = handle
    flotilla_pg_silence(handle)
    guard Int(flotilla_pg_status(handle)) == FLOTILLA_PG_CONNECTION_OK else {
      throw .ofConnecting(store: name, detail: Self.line(flotilla_pg_error(handle)))
    }
    try run("SET client_min_messages = warning; SET jit = off")
    guard !address.choosesDurability else { return }
    // A role or a database may turn synchronous commits off, so that a crash loses acked batches.
    if try query("SHOW synchronous_commit").text(0, 0) == "off" {
      try run("SET synchronous_commit = on")
    }
  }

  deinit { flotilla_pg_finish(handle) }

  private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
    CStrings(options.map(\.0)).withPointers { keywords in
      CStrings(options.map(\.1)).withPointers { values in flotilla_pg_connect(keywords, values) }
    }
  }

  static func line(_ text: UnsafePointer<CChar>?) -> String {
    let words = text.map { String(cString: $0) } ?? ""
    return words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  var problem: StoreError {
    let detail = Self.line(flotilla_pg_error(handle))
    return .unreachable(store: name, detail: detail.isEmpty ? "the connection was lost" : detail)
  }

  // MARK: Synchronous statements

  func run(_ sql: String) throws(StoreError) {
    _ = try PostgresResult(flotilla_pg_run(handle, sql), of: self)
  }

  func prepare(_ name: String, _ sql: String) throws(StoreError) {
    _ = try PostgresResult(flotilla_pg_prepare(handle, name, sql), of: self)
  }

  func query(_ sql: String) throws(StoreError) -> PostgresResult {
    try PostgresResult(flotilla_pg_query(handle, sql, 0, nil, nil, nil), of: self)
  }

  /// Reads rows in portions. The connection must be in a transaction and otherwise unused.
  func read(
    _ sql: String, _ body: (borrowing PostgresResult, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try run("DECLARE flotilla NO SCROLL CURSOR FOR \(sql)")
    var goesOn = true
    while goesOn {
      let rows = try query("FETCH 4000 FROM flotilla")
      if rows.count == 0 { break }
      for row in 0..<rows.count where goesOn { goesOn = try body(rows, row) }
    }
    try run("CLOSE flotilla")
  }

  // MARK: The pipeline

  /// Sends a prepared statement; returns false if the connection is broken.
  ///
  /// - Parameter ends: where each parameter ends in `bytes`.
  func send(
    _ statement: PostgresSchema.Statement, _ bytes: [UInt8], _ ends: [(end: Int, isBinary: Bool)]
  ) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var (values, lengths, formats): ([UnsafePointer<CChar>?], [Int32], [Int32]) = ([], [], [])
      var start = 0
      for (end, isBinary) in ends {
        values.append(bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(end - start))
        formats.append(isBinary ? 1 : 0)
        start = end
      }
      return flotilla_pg_send_prepared(
        handle, statement.rawValue, Int32(ends.count), values, lengths, formats) == 1
    }
  }
}

/// A statement's result, with binary rows. Owns one libpq result.
struct PostgresResult: ~Copyable {
  let handle: OpaquePointer?

  init(_ handle: OpaquePointer?, of connection: PostgresConnection) throws(StoreError) {
    if let error = StoreError.of(handle, connection) {
      flotilla_pg_clear(handle)
      throw error
    }
    self.handle = handle
  }

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flotilla_pg_clear(handle) }

  var status: Int { Int(flotilla_pg_result_status(handle)) }
  var count: Int { Int(flotilla_pg_rows(handle)) }
  var columns: Int { Int(flotilla_pg_columns(handle)) }

  /// Returns a value's bytes, which are valid as long as the result; empty if null.
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: flotilla_pg_value(handle, Int32(row), Int32(column)),
      count: Int(flotilla_pg_length(handle, Int32(row), Int32(column))))
  }

  func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// Reads an integer of any width; 0 if null.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    guard let first = bytes.first else { return 0 }
    var value: Int64 = first >= 0x80 ? -1 : 0
    for byte in bytes { value = value << 8 | Int64(byte) }
    return value
  }

  func word(_ row: Int, _ column: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: integer(row, column))
  }

  /// Reads an array of 32-bit numbers; empty if null.
  func words(_ row: Int, _ column: Int) -> [UInt32] {
    let bytes = bytes(row, column)
    // The array has a header of five numbers, then each element with its length before it.
    return stride(from: 24, to: bytes.count, by: 8).map { place in
      bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}

private struct CStrings {
  private let texts: [ContiguousArray<CChar>]

  init(_ texts: [String]) { self.texts = texts.map(\.utf8CString) }

  /// Calls `body` with a null-terminated array of C strings, which is valid during the call.
  func withPointers<Answer>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Answer
  ) -> Answer {
    let starts = texts.map { text in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
      text.withUnsafeBufferPointer { source in
        for place in source.indices { copy[place] = source[place] }
      }
      return copy
    }
    defer { for start in starts { start.deallocate() } }
    let pointers = starts.map { UnsafePointer<CChar>?($0) } + [nil]
    return pointers.withUnsafeBufferPointer { pointers in
      guard let start = pointers.baseAddress else { fatalError("an array of one or more is empty") }
      return body(start)
    }
  }
}

extension StoreError {
  static func of(_ result: OpaquePointer?, _ connection: PostgresConnection) -> StoreError? {
    guard let result else { return connection.problem }
    let status = flotilla_pg_result_status(result)
    let fine = [
      FLOTILLA_PG_COMMAND_OK, FLOTILLA_PG_TUPLES_OK, FLOTILLA_PG_PIPELINE_SYNC,
    ].contains { $0 == Int(status) }
    if fine { return nil }
    let field = flotilla_pg_result_field(result, Int32(FLOTILLA_PG_SQLSTATE))
    let state = field.map { String(cString: $0) } ?? ""
    let message =
      flotilla_pg_result_field(result, Int32(FLOTILLA_PG_MESSAGE))
      ?? flotilla_pg_result_message(result)
    return of(
      state: state, store: connection.name, detail: PostgresConnection.line(message))
  }

  /// Classifies a connect failure, for which libpq has no SQLSTATE.
  static func ofConnecting(store: String, detail: String) -> StoreError {
    let isFull = [
      "too many clients", "too many connections", "connection slots", "no more connections allowed",
      "max_client_conn", "53300",
    ].contains { detail.contains($0) }
    return isFull
      ? .noConnection(store: store, detail: detail) : .unreachable(store: store, detail: detail)
  }

  /// Classifies an error by its SQLSTATE (appendix A of PostgreSQL's manual). libpq reports an
  /// empty SQLSTATE for a broken connection.
  static func of(state: String, store: String, detail: String) -> StoreError {
    switch state {
    case "", "57P01", "57P02", "57P03",
      _ where state.hasPrefix("08"):
      .unreachable(
        store: store, detail: detail.isEmpty ? "the connection was lost" : detail)
    case "53100": .diskFull(path: store)
    case "42501": .noRight(store: store, detail: detail)
    case "53300": .noConnection(store: store, detail: detail)
    // The prepared statement was made in another session if it exists twice or not at all.
    case "42P05", "26000": .pooled(store: store, detail: detail)
    case "55P03": .busy(store: store)
    case "25006": .readOnly(path: store)
    case "XX001", "XX002": .corrupt(path: store, detail: detail)
    default: .failed(path: store, reason: "PostgreSQL error \(state): \(detail)")
    }
  }
}
