internal import Core
internal import ServerLogic
internal import Transport

/// Reads a PostgreSQL store, for a collector or an audit.
protocol PostgresSource: StoreSource {
  /// Lends the connection during `body`, in a transaction on one snapshot.
  func read<Answer: Sendable>(
    _ body: (PostgresConnection) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer

  func hasRead(_ group: Int64)
}

extension PostgresSource {
  package func totals() throws(StoreError) -> StoreTotals {
    try read { (connection) throws(StoreError) in try connection.committed() }
  }

  package func dropped() throws(StoreError) -> StoreTotals {
    try read { (connection) throws(StoreError) in try connection.dropped() }
  }

  package func storedRun() throws(StoreError) -> StoredRun? {
    try read { (connection) throws(StoreError) in try connection.storedRun() }
  }

  /// Reads the logs of all groups, ordered by the instant of each group's first record.
  @discardableResult
  package func replay(event: (StoredEvent) -> Void) throws(StoreError) -> StoreSums {
    try read { (connection) throws(StoreError) in
      try connection.read("SELECT grp, log FROM flotilla.groups ORDER BY first_us, grp") {
        (rows, row) throws(StoreError) in
        guard GroupLog.read(rows.bytes(row, 1), event) else {
          throw .damaged(
            path: name, detail: "the log of group \(rows.integer(row, 0)) does not decode")
        }
        hasRead(rows.integer(row, 0))
        return true
      }
      return StoreSums(committed: try connection.committed(), dropped: try connection.dropped())
    }
  }

  package func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun {
    try carried()[phone] ?? SequenceRun()
  }

  private func carried() throws(StoreError) -> [PhoneID: SequenceRun] {
    var carried: [PhoneID: SequenceRun] = [:]
    try replay { event in
      if case .phone(let snapshot) = event, carried[snapshot.phone] == nil {
        carried[snapshot.phone] = snapshot.sequences
      }
    }
    return carried
  }

  /// Compares each group's sums with its rows, including rows that retention dropped.
  package func checkStructure(
    atMost count: Int, _ fault: (String) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try read { (connection) throws(StoreError) in
        let rows = try connection.query(
          """
          SELECT g.grp, g.batches, coalesce(b.batches, 0)::int8
          FROM flotilla.groups g FULL JOIN (
            SELECT grp, sum(batches) AS batches, sum(fixes) AS fixes, sum(hash_sum) AS hashes,
              sum(received_sum) AS received
            FROM ((\(PostgresRetention.sums(of: "batches")))
              UNION ALL \(PostgresRetention.gone(connection))) AS parts GROUP BY grp) b USING (grp)
          WHERE (g.batches, g.fixes, g.hash_sum, g.received_sum) IS DISTINCT FROM
            (coalesce(b.batches, 0), coalesce(b.fixes, 0), coalesce(b.hashes, 0),
            coalesce(b.received, 0))
          ORDER BY grp LIMIT \(count)
          """)
        for row in 0..<rows.count {
          fault(
            "group \(rows.integer(row, 0)): \(rows.integer(row, 1)) batches committed, "
              + "\(rows.integer(row, 2)) found; counts or contents differ")
        }
      }
    } catch {
      guard !error.isOfAccess else { throw error }
      fault(error.description)
    }
  }

  /// Reads all batches by group; a batch's number is its position in this order.
  package func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    var next = number
    try read(
      """
      SELECT \(Self.columns) FROM flotilla.batches ORDER BY grp, phone, epoch, sequence
      OFFSET \(number - 1)
      """
    ) { batch, payload in
      defer { next += 1 }
      return body(next, batch, payload)
    }
  }

  package func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError) {
    let carried = try carried()
    try read { (connection) throws(StoreError) in
      try connection.read(
        "SELECT phone, epoch, sequence FROM flotilla.batches ORDER BY phone, epoch, sequence"
      ) { rows, row in
        let id = rows.id(row, 0)
        body(id, carried[id.phone])
        return true
      }
    }
  }

  package func holds(_ phone: PhoneID) throws(StoreError) -> Bool {
    try read { (connection) throws(StoreError) in
      let number = Int32(bitPattern: phone.rawValue)
      return try connection.query(
        "SELECT EXISTS (SELECT FROM flotilla.batches WHERE phone = \(number))"
      ).integer(0, 0) != 0
    }
  }

  package func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    let filter = phone.map { "WHERE phone = \(Int32(bitPattern: $0.rawValue))" } ?? ""
    let order =
      switch order {
      case .arrival: "received_us, phone, epoch, sequence"
      case .phone: "phone, epoch, sequence"
      }
    try read(
      "SELECT \(Self.columns) FROM flotilla.batches \(filter) ORDER BY \(order)", body)
  }

  // MARK: Rows

  private static var columns: String {
    """
    phone, epoch, sequence, received_us, wall_us, fix_count, hash, encoding, uncompressed_size,
    payload
    """
  }

  private func read(
    _ sql: String, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    try read { (connection) throws(StoreError) in
      try connection.read(sql) { rows, row in body(rows.batch(row), rows.bytes(row, 9)) }
    }
  }
}

extension PostgresConnection {
  fileprivate func committed() throws(StoreError) -> StoreTotals {
    try totals("SELECT batches, fixes, hash_sum FROM flotilla.groups")
  }

  fileprivate func dropped() throws(StoreError) -> StoreTotals {
    try totals("SELECT batches, fixes, hash_sum FROM (\(PostgresRetention.gone(self))) AS gone")
  }

  fileprivate func totals(_ sql: String) throws(StoreError) -> StoreTotals {
    let row = try query(
      """
      SELECT coalesce(sum(batches), 0)::int8, coalesce(sum(fixes), 0)::int8,
        mod(coalesce(sum(hash_sum), 0), 18446744073709551616)::text FROM (\(sql)) AS rows
      """)
    var totals = StoreTotals()
    totals.batches = UInt64(clamping: row.integer(0, 0))
    totals.fixes = UInt64(clamping: row.integer(0, 1))
    // SQL's remainder may be negative, since it has the sign of the dividend.
    let sum = Int128(row.text(0, 2)) ?? 0
    totals.hashSum = UInt64(truncatingIfNeeded: sum)
    totals.chain = nil
    return totals
  }

  /// Reads the run, whose instant is translated from the server's clock to this machine's.
  func storedRun() throws(StoreError) -> StoredRun? {
    let rows = try query(
      """
      SELECT key, value, (extract(epoch FROM clock_timestamp()) * 1000000)::int8
      FROM flotilla.meta WHERE key LIKE 'run_%'
      """)
    let now = MonotonicClock.now
    func value(_ key: String) -> [UInt8]? {
      (0..<rows.count).first { rows.text($0, 0) == key }.map { Array(rows.bytes($0, 1)) }
    }
    guard let id = value("run_id") else { return nil }
    let text = String(decoding: value("run_opened_us") ?? [], as: UTF8.self)
    // A value out of range counts as 0, since no collector wrote it and its run is over.
    let opened = Int64(text).flatMap { WallInstant(microseconds: $0).isWithinReach ? $0 : nil } ?? 0
    return StoredRun(
      id: String(decoding: id, as: UTF8.self), openRequest: value("run_request") ?? [],
      openedAtWall: now - .microseconds(rows.integer(0, 2) - opened))
  }
}

extension PostgresResult {
  /// Reads phone, epoch and sequence from three columns, beginning with `column`.
  fileprivate func id(_ row: Int, _ column: Int) -> BatchID {
    BatchID(
      phone: PhoneID(rawValue: word(row, column)), epoch: word(row, column + 1),
      sequence: word(row, column + 2))
  }

  fileprivate func batch(_ row: Int) -> StoredBatch {
    StoredBatch(
      id: id(row, 0), receivedAt: SimInstant(microseconds: integer(row, 3)),
      receivedAtWall: WallInstant(microseconds: integer(row, 4)), fixCount: word(row, 5),
      hash: UInt64(bitPattern: integer(row, 6)),
      encoding: UInt8(truncatingIfNeeded: integer(row, 7)), uncompressedSize: word(row, 8))
  }
}
