/// Sums the tables beside `batches`, which has sums of its own: how many rows each has, and the sum
/// of their hashes. They are written in the transaction that changes the rows, so that a row that
/// was altered otherwise is detected: one bit of a phone's row can make a collector take new
/// batches for old ones.
///
/// A store of an earlier program has no such sums until a collector opens it.
struct TableSums: Equatable, Sendable {
  /// Is a table that is summed.
  enum Table: String, CaseIterable {
    case meta, phones, occasions
  }

  struct Sum: Equatable, Sendable {
    var rows: Int64 = 0
    var hashes: UInt64 = 0

    mutating func add(_ hash: UInt64) { (rows, hashes) = (rows + 1, hashes &+ hash) }
    mutating func remove(_ hash: UInt64) { (rows, hashes) = (rows - 1, hashes &- hash) }
  }

  private var sums: [Table: Sum] = [:]

  subscript(table: Table) -> Sum {
    get { sums[table] ?? Sum() }
    set { sums[table] = newValue }
  }

  /// Sums what the tables hold.
  init(of database: borrowing Database) throws(StoreError) {
    for table in Table.allCases { self[table] = try Self.sum(of: table, in: database) }
  }

  private init() {}

  static func sum(
    of table: Table, in database: borrowing Database
  ) throws(StoreError) -> Sum {
    var sum = Sum()
    let rows = try database.prepare("SELECT * FROM \(table.rawValue)")
    while try rows.step() { sum.add(rows.rowHash) }
    return sum
  }

  /// Writes the sums, as part of the transaction that changes the rows.
  func write(to database: borrowing Database) throws(StoreError) {
    try database.run(
      "CREATE TABLE IF NOT EXISTS sums(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, "
        + "hashes INTEGER NOT NULL) WITHOUT ROWID")
    let rows = Table.allCases.map { table in
      "('\(table.rawValue)', \(self[table].rows), \(Int64(bitPattern: self[table].hashes)))"
    }
    try database.run("INSERT OR REPLACE INTO sums VALUES \(rows.joined(separator: ", "))")
  }

  /// Reads what was written; nil where the store has no sums.
  static func written(in database: borrowing Database) throws(StoreError) -> Self? {
    let isThere = try StoreSchema.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'sums'", in: database)
    guard isThere == 1 else { return nil }
    var sums = Self()
    let rows = try database.prepare("SELECT name, rows, hashes FROM sums")
    while try rows.step() {
      guard let table = Table(rawValue: rows.text(0)) else { continue }
      sums[table] = Sum(rows: rows.integer(1), hashes: UInt64(bitPattern: rows.integer(2)))
    }
    return sums
  }

  /// Says which tables do not hold what was committed; empty where all do.
  static func differences(in database: borrowing Database) throws(StoreError) -> [String] {
    guard let written = try written(in: database) else { return [] }
    var differences: [String] = []
    for table in Table.allCases {
      let found = try sum(of: table, in: database)
      guard found != written[table] else { continue }
      let rows = written[table].rows
      differences.append(
        "table \(table.rawValue): \(rows) rows committed, "
          + (found.rows == rows ? "as many found, but not the same" : "\(found.rows) found"))
    }
    return differences
  }
}
