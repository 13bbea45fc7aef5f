internal import Core
internal import ServerLogic

/// Creates the tables, and prepares the statements that write them.
///
/// - `meta`: the run id, the schema version, and the request that opened the run.
/// - `totals`: one row with `StoreTotals`, replaced in each transaction that adds batches.
/// - `batches`: one row per distinct batch, in order of arrival. There is no index, since dedupe is
///   in memory, so that an append touches one page.
/// - `phones`: one row per phone, with its registration and, after a warm start, its state.
/// - `occasions`: one row per push requested or withheld, so that spacing survives a restart.
/// - `sums`: one row of `TableSums` for each of `meta`, `phones` and `occasions`.
struct StoreSchema: ~Copyable {
  static let version = 3
  /// The page size of new files. A batch of 500 fixes takes 1.4 KB, which wastes a quarter of 4 KiB
  /// pages. In an overload, a batch cost 31 to 37 µs of CPU with 16 or 32 KiB, 49 µs with 4 KiB.
  static let pageBytes: Int64 = 16_384
  /// The checkpoint size of the write-ahead log in bytes. A checkpoint delays a commit and its
  /// uploads. With SQLite's default of 4 MB, the p99 at half load was about 40 ms.
  static let logBytes: Int64 = 2 << 20

  private static let tables = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE batches(
      number INTEGER PRIMARY KEY, phone INTEGER NOT NULL, epoch INTEGER NOT NULL,
      sequence INTEGER NOT NULL, scenario_us INTEGER NOT NULL, wall_us INTEGER NOT NULL,
      fix_count INTEGER NOT NULL, hash INTEGER NOT NULL, encoding INTEGER NOT NULL,
      uncompressed_size INTEGER NOT NULL, payload BLOB NOT NULL);
    CREATE TABLE phones(
      phone INTEGER PRIMARY KEY, authorization INTEGER NOT NULL, token_valid INTEGER NOT NULL,
      reported_us INTEGER NOT NULL, chosen_us INTEGER NOT NULL, newest_fix_cs INTEGER NOT NULL,
      latitude_e6 INTEGER NOT NULL, longitude_e6 INTEGER NOT NULL, epoch INTEGER NOT NULL,
      low INTEGER NOT NULL, high INTEGER NOT NULL, answer_share INTEGER NOT NULL,
      unanswered INTEGER NOT NULL);
    CREATE TABLE occasions(
      number INTEGER PRIMARY KEY, push INTEGER NOT NULL, scenario_us INTEGER NOT NULL,
      withheld INTEGER NOT NULL);
    CREATE TABLE totals(
      only INTEGER PRIMARY KEY CHECK(only = 1), batches INTEGER NOT NULL, fixes INTEGER NOT NULL,
      hash_sum INTEGER NOT NULL, chain INTEGER NOT NULL);
    INSERT INTO totals VALUES(1, 0, 0, 0, 0);
    """

  let begin: Statement
  let commit: Statement
  let rollback: Statement
  private let insertBatch: Statement
  private let upsertRegistration: Statement
  private let upsertPhone: Statement
  private let insertOccasion: Statement
  private let phone: Statement
  private let lastOccasion: Statement
  private let setMeta: Statement
  private let setTotals: Statement
  private let setSum: Statement

  /// Locks the file for this process, creates or checks its tables and prepares the writers. The
  /// lock excludes other collectors and keeps the write-ahead index in this process's memory.
  init(_ database: borrowing Database) throws(StoreError) {
    // SQLite would open a read-only file, and report the problem only later and less clearly.
    guard !database.isReadOnly else { throw .readOnly(path: database.path) }
    try database.run("PRAGMA locking_mode=EXCLUSIVE")
    // The file is checked before anything is written, so that a foreign file stays unchanged.
    let isNew = try Self.integer("SELECT count(*) FROM sqlite_schema", in: database) == 0
    if !isNew { try Self.checkVersion(of: database) }
    // The page size must be set before the log is created; an existing file keeps its size.
    if isNew { try database.run("PRAGMA page_size=\(Self.pageBytes)") }
    try database.run("PRAGMA journal_mode=WAL")
    let pages = try Self.logBytes / Self.integer("PRAGMA page_size", in: database)
    try database.run("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=\(pages)")
    try database.run("BEGIN EXCLUSIVE")
    if isNew {
      try database.run(Self.tables)
      try database.run("INSERT INTO meta VALUES('schema', \(Self.version))")
    }
    try TableSums.create(in: database)
    try database.run("COMMIT")
    let begin = try database.prepare("BEGIN IMMEDIATE")
    let commit = try database.prepare("COMMIT")
    let rollback = try database.prepare("ROLLBACK")
    let insertBatch = try database.prepare(
      "INSERT INTO batches VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let upsertRegistration = try database.prepare(
      """
      INSERT INTO phones VALUES(?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0, 1, 0, -1, 0)
      ON CONFLICT(phone) DO UPDATE SET authorization = ?2, token_valid = ?3
      """)
    let upsertPhone = try database.prepare(
      "INSERT OR REPLACE INTO phones VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let insertOccasion = try database.prepare("INSERT INTO occasions VALUES(NULL, ?, ?, ?)")
    let phone = try database.prepare("SELECT * FROM phones WHERE phone = ?")
    let lastOccasion = try database.prepare(
      "SELECT * FROM occasions WHERE number = last_insert_rowid()")
    let setMeta = try database.prepare("INSERT OR REPLACE INTO meta VALUES(?, ?)")
    let setTotals = try database.prepare(
      "UPDATE totals SET batches = ?, fixes = ?, hash_sum = ?, chain = ?")
    let setSum = try TableSums.writer(in: database)
    // The members are set last, as a noncopyable struct must be complete before anything may throw.
    self.begin = begin
    self.commit = commit
    self.rollback = rollback
    self.insertBatch = insertBatch
    self.upsertRegistration = upsertRegistration
    self.upsertPhone = upsertPhone
    self.insertOccasion = insertOccasion
    self.phone = phone
    self.lastOccasion = lastOccasion
    self.setMeta = setMeta
    self.setTotals = setTotals
    self.setSum = setSum
  }

  static func checkVersion(of database: borrowing Database) throws(StoreError) {
    guard try integer("SELECT count(*) FROM sqlite_schema WHERE name='meta'", in: database) == 1
    else { throw .noStore(path: database.path, detail: "it has no store tables") }
    let found = Int(try integer("SELECT value FROM meta WHERE key='schema'", in: database))
    guard found == version else {
      throw .otherSchema(path: database.path, found: found, wanted: version)
    }
  }

  func write(_ totals: StoreTotals) throws(StoreError) {
    setTotals.bind(1, Int64(bitPattern: totals.batches))
    setTotals.bind(2, Int64(bitPattern: totals.fixes))
    setTotals.bind(3, Int64(bitPattern: totals.hashSum))
    setTotals.bind(4, Int64(bitPattern: totals.chain ?? 0))
    try setTotals.run()
  }

  func write(_ sums: TableSums, replacing before: TableSums) throws(StoreError) {
    try sums.write(replacing: before, with: setSum)
  }

  func write(
    _ record: StoreRecord, bytes: UnsafeRawBufferPointer, _ sums: inout TableSums
  ) throws(StoreError) {
    switch record {
    case .run(let id, let request, let openedAtWall):
      setMeta.bind(1, "run_id")
      setMeta.bind(2, String(decoding: bytes[id], as: UTF8.self))
      try setMeta.run()
      setMeta.bind(1, "run_request")
      setMeta.bind(2, staying: UnsafeRawBufferPointer(rebasing: bytes[request]))
      try setMeta.run()
      setMeta.bind(1, "run_wall_us")
      setMeta.bind(2, openedAtWall.microseconds)
      try setMeta.run()
    case .batch(let batch, _, let payload):
      try write(batch, payload: UnsafeRawBufferPointer(rebasing: bytes[payload]))
    case .registration(let phone, let authorization, let tokenValid, let at):
      try removePhone(phone, &sums)
      upsertRegistration.bind(1, Int64(phone.rawValue))
      upsertRegistration.bind(2, Int64(authorization.rawValue))
      upsertRegistration.bind(3, tokenValid ? 1 : 0)
      upsertRegistration.bind(4, at.microseconds)
      upsertRegistration.bind(5, SimInstant.distantPast.microseconds)
      upsertRegistration.bind(6, LastSeen.neverSeen.centiseconds)
      try upsertRegistration.run()
      try addPhone(phone, &sums)
    case .snapshot(let snapshot):
      try removePhone(snapshot.phone, &sums)
      try write(snapshot)
      try addPhone(snapshot.phone, &sums)
    case .occasion(let occasion):
      insertOccasion.bind(1, Int64(bitPattern: occasion.pushID))
      insertOccasion.bind(2, occasion.at.microseconds)
      insertOccasion.bind(3, occasion.isWithheld ? 1 : 0)
      try insertOccasion.run()
      if let hash = try hash(lastOccasion) { sums[.occasions].add(hash) }
    }
  }

  private func removePhone(_ id: PhoneID, _ sums: inout TableSums) throws(StoreError) {
    phone.bind(1, Int64(id.rawValue))
    if let hash = try hash(phone) { sums[.phones].remove(hash) }
  }

  private func addPhone(_ id: PhoneID, _ sums: inout TableSums) throws(StoreError) {
    phone.bind(1, Int64(id.rawValue))
    if let hash = try hash(phone) { sums[.phones].add(hash) }
  }

  private func hash(_ statement: borrowing Statement) throws(StoreError) -> UInt64? {
    defer { statement.reset() }
    return try statement.step() ? statement.rowHash : nil
  }

  private func write(
    _ batch: StoredBatch, payload: UnsafeRawBufferPointer
  ) throws(StoreError) {
    insertBatch.bind(1, Int64(batch.id.phone.rawValue))
    insertBatch.bind(2, Int64(batch.id.epoch))
    insertBatch.bind(3, Int64(batch.id.sequence))
    insertBatch.bind(4, batch.receivedAt.microseconds)
    insertBatch.bind(5, batch.receivedAtWall.microseconds)
    insertBatch.bind(6, Int64(batch.fixCount))
    insertBatch.bind(7, Int64(bitPattern: batch.hash))
    insertBatch.bind(8, Int64(batch.encoding))
    insertBatch.bind(9, Int64(batch.uncompressedSize))
    insertBatch.bind(10, staying: payload)
    try insertBatch.run()
  }

  private func write(_ snapshot: PhoneSnapshot) throws(StoreError) {
    upsertPhone.bind(1, Int64(snapshot.phone.rawValue))
    upsertPhone.bind(2, Int64(snapshot.authorization.rawValue))
    upsertPhone.bind(3, snapshot.tokenValid ? 1 : 0)
    upsertPhone.bind(4, snapshot.reportedAt.microseconds)
    upsertPhone.bind(5, snapshot.chosenAt.microseconds)
    upsertPhone.bind(6, snapshot.newestFix.centiseconds)
    upsertPhone.bind(7, Int64(snapshot.coordinate.latitudeE6))
    upsertPhone.bind(8, Int64(snapshot.coordinate.longitudeE6))
    upsertPhone.bind(9, Int64(snapshot.sequences.epoch))
    upsertPhone.bind(10, Int64(snapshot.sequences.low))
    upsertPhone.bind(11, Int64(snapshot.sequences.high))
    upsertPhone.bind(12, snapshot.answers.map { Int64($0.share) } ?? -1)
    upsertPhone.bind(13, Int64(snapshot.answers?.unanswered ?? 0))
    try upsertPhone.run()
  }

  static func integer(
    _ sql: String, in database: borrowing Database
  ) throws(StoreError) -> Int64 {
    let statement = try database.prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }
}
