internal import Core
internal import ServerLogic

/// Reads an open SQLite store, for a collector or an audit.
protocol SQLiteSource: StoreSource {
  func read<Answer: Sendable>(
    _ body: (borrowing Database) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer
}

extension SQLiteSource {
  package func totals() throws(StoreError) -> StoreTotals {
    try read { (database) throws(StoreError) in try database.totals() }
  }

  package func storedRun() throws(StoreError) -> StoredRun? {
    try read { (database) throws(StoreError) in try database.storedRun() }
  }

  /// Reads all phones, then batches and pushes in the order of arrival.
  @discardableResult
  package func replay(event: (StoredEvent) -> Void) throws(StoreError) -> StoreSums {
    try read { (database) throws(StoreError) in
      try database.phones { event(.phone($0)) }
      try database.events(event)
      return StoreSums(committed: try database.totals())
    }
  }

  package func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun {
    try read { (database) throws(StoreError) in try database.carried(phone) }
  }

  /// Reports up to `count` faults of SQLite's integrity check, and mismatches between all tables
  /// but `batches` and their sums. A check that cannot run is a fault.
  package func checkStructure(
    atMost count: Int, _ fault: (String) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try read { (database) throws(StoreError) in
        guard let rows = try? database.prepare("PRAGMA integrity_check(\(count))") else { return }
        while try rows.step() {
          let line = rows.text(0)
          if line != "ok" { fault(line) }
        }
        for difference in try TableSums.differences(in: database) { fault(difference) }
      }
    } catch {
      guard !error.isOfAccess else { throw error }
      fault(error.description)
    }
  }

  /// Reads all batches from a row number on. Others can use the store after each page.
  package func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    var next = number
    var goesOn = true
    while goesOn {
      let first = next
      try read { (database) throws(StoreError) in
        let rows = try database.prepare(
          """
          SELECT \(Statement.batchColumns) FROM batches WHERE number >= ? ORDER BY number
          LIMIT 2000
          """)
        rows.bind(1, first)
        while goesOn, try rows.step() {
          next = max(next, rows.number &+ 1)
          goesOn = body(rows.number, rows.batch, rows.payload)
        }
      }
      guard next > first else { return }
    }
  }

  package func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError) {
    try read { (database) throws(StoreError) in try database.sequences(body) }
  }

  package func holds(_ phone: PhoneID) throws(StoreError) -> Bool {
    try read { (database) throws(StoreError) in
      let row = try database.prepare("SELECT 1 FROM batches WHERE phone = ? LIMIT 1")
      row.bind(1, Int64(phone.rawValue))
      return try row.step()
    }
  }

  package func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    try read { (database) throws(StoreError) in
      switch order {
      case .arrival: try database.batchesByArrival(of: phone, body)
      case .phone: try database.batchesByPhone(of: phone, body)
      }
    }
  }
}
