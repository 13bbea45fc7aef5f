internal import ServerLogic
internal import Telemetry

/// A store of SQLite that is open, whoever has it.
protocol SQLiteSource: StoreSource {
  /// Lends the connection for as long as `body` runs.
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

  package func replay(
    phone: (PhoneSnapshot) -> Void, event: (StoredEvent) -> Void
  ) throws(StoreError) {
    try read { (database) throws(StoreError) in
      try database.phones(phone)
      try database.events(event)
    }
  }

  package func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun {
    try read { (database) throws(StoreError) in try database.carried(phone) }
  }

  package func checkStructure(atMost count: Int, _ fault: (String) -> Void) {
    do throws(StoreError) {
      try read { (database) throws(StoreError) in
        guard let rows = try? database.prepare("PRAGMA integrity_check(\(count))") else { return }
        while try rows.step() {
          let line = rows.text(0)
          if line != "ok" { fault(line) }
        }
      }
    } catch { fault(error.description) }
  }

  package func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    try read { (database) throws(StoreError) in
      let rows = try database.prepare(
        "SELECT \(Statement.batchColumns) FROM batches WHERE number >= ? ORDER BY number")
      rows.bind(1, number)
      while try rows.step() { body(rows.number, rows.batch, rows.payload) }
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
