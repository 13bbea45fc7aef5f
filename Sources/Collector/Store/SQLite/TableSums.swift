/// Row counts and hash sums of the tables besides `batches`, to detect alterations. One changed bit
/// in a phone's row could make new batches look old.
struct TableSums: Equatable, Sendable {
  enum Table: String, CaseIterable {
    case meta, phones, occasions
  }

  struct Sum: Equatable, Sendable {
    var rows: Int64 = 0
    var hashes: UInt64 = 0

    mutating func add(_ hash: UInt64) { (rows, hashes) = (rows + 1, hashes &+ hash) }
    mutating func remove(_ hash: UInt64) { (rows, hashes) = (rows - 1, hashes &- hash) }
  }

  private var meta = Sum()
  private var phones = Sum()
  private var occasions = Sum()

  subscript(table: Table) -> Sum {
    get {
      switch table {
      case .meta: meta
      case .phones: phones
      case .occasions: occasions
      }
    }
    set {
      switch table {
      case .meta: meta = newValue
      case .phones: phones = newValue
      case .occasions: occasions = newValue
      }
    }
  }

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

  static func create(in database: borrowing Database) throws(StoreError) {
    guard try !isThere(in: database) else { return }
    try database.run(
      "CREATE TABLE sums(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, "
        + "hashes INTEGER NOT NULL) WITHOUT ROWID")
    let writer = try writer(in: database)
    let sums = try Self(of: database)
    for table in Table.allCases { try sums.write(table, with: writer) }
  }

  static func writer(in database: borrowing Database) throws(StoreError) -> Statement {
    try database.prepare("INSERT OR REPLACE INTO sums VALUES(?, ?, ?)")
  }

  func write(replacing before: Self, with writer: borrowing Statement) throws(StoreError) {
    for table in Table.allCases where self[table] != before[table] {
      try write(table, with: writer)
    }
  }

  private func write(_ table: Table, with writer: borrowing Statement) throws(StoreError) {
    writer.bind(1, table.rawValue)
    writer.bind(2, self[table].rows)
    writer.bind(3, Int64(bitPattern: self[table].hashes))
    try writer.run()
  }

  private static func isThere(in database: borrowing Database) throws(StoreError) -> Bool {
    try StoreSchema.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'sums'", in: database) == 1
  }

  /// Reads the stored sums; nil if the store has none.
  static func written(in database: borrowing Database) throws(StoreError) -> Self? {
    guard try isThere(in: database) else { return nil }
    var sums = Self()
    let rows = try database.prepare("SELECT name, rows, hashes FROM sums")
    while try rows.step() {
      guard let table = Table(rawValue: rows.text(0)) else { continue }
      sums[table] = Sum(rows: rows.integer(1), hashes: UInt64(bitPattern: rows.integer(2)))
    }
    return sums
  }

  static func differences(in database: borrowing Database) throws(StoreError) -> [String] {
    guard let written = try written(in: database) else { return [] }
    var differences: [String] = []
    for table in Table.allCases {
      let found = try sum(of: table, in: database)
      guard found != written[table] else { continue }
      let rows = written[table].rows
      differences.append(
        "table \(table.rawValue): \(rows) rows committed, "
          + (found.rows == rows ? "same count found, other contents" : "\(found.rows) found"))
    }
    return differences
  }
}
