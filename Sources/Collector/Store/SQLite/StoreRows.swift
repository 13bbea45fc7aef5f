internal import Core
internal import ServerLogic

extension Database {
  func totals() throws(StoreError) -> StoreTotals {
    let row = try prepare("SELECT batches, fixes, hash_sum, chain FROM totals")
    guard try row.step() else { throw .corrupt(path: path, detail: "its totals are missing") }
    guard row.integer(0) >= 0, row.integer(1) >= 0 else {
      throw .corrupt(path: path, detail: "its totals are negative")
    }
    var totals = StoreTotals()
    totals.batches = UInt64(bitPattern: row.integer(0))
    totals.fixes = UInt64(bitPattern: row.integer(1))
    totals.hashSum = UInt64(bitPattern: row.integer(2))
    totals.chain = UInt64(bitPattern: row.integer(3))
    return totals
  }

  func storedRun() throws(StoreError) -> StoredRun? {
    let statement = try prepare("SELECT value FROM meta WHERE key = ?")
    func find(_ key: String) throws(StoreError) -> Bool {
      statement.reset()
      statement.bind(1, key)
      return try statement.step()
    }
    guard try find("run_id") else { return nil }
    let id = statement.text(0)
    let request = try find("run_request") ? Array(statement.blob(0)) : []
    let wall = try find("run_wall_us") ? statement.integer(0) : 0
    return StoredRun(
      id: id, openRequest: request, openedAtWall: WallInstant(microseconds: wall))
  }

  func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun {
    let row = try prepare("SELECT epoch, low, high FROM phones WHERE phone = ?")
    row.bind(1, Int64(phone.rawValue))
    return try row.step() ? row.sequenceRun(0) : SequenceRun()
  }

  func phones(_ body: (PhoneSnapshot) -> Void) throws(StoreError) {
    let rows = try prepare("SELECT * FROM phones ORDER BY phone")
    while try rows.step() { body(rows.snapshot) }
  }

  /// Passes batches and occasions by scenario instant; of equal instants, occasions come first.
  func events(_ body: (StoredEvent) -> Void) throws(StoreError) {
    let batches = try prepare("SELECT \(Statement.batchColumns) FROM batches ORDER BY number")
    let occasions = try prepare("SELECT push, scenario_us, withheld FROM occasions ORDER BY push")
    var hasBatch = try batches.step()
    var hasOccasion = try occasions.step()
    while hasBatch || hasOccasion {
      if hasOccasion, !hasBatch || occasions.integer(1) <= batches.receivedAt {
        body(.occasion(occasions.occasion))
        hasOccasion = try occasions.step()
      } else {
        body(.batch(batches.batch, payload: batches.payload))
        hasBatch = try batches.step()
      }
    }
  }
}

extension Database {
  /// Passes the batch IDs in order, which SQLite sorts within bounded memory.
  func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError) {
    let rows = try prepare(
      "SELECT phone, epoch, sequence FROM batches ORDER BY phone, epoch, sequence")
    let carried = try prepare(
      "SELECT phone, epoch, low, high FROM phones WHERE high > 0 ORDER BY phone")
    var hasCarried = try carried.step()
    while try rows.step() {
      let id = rows.id
      while hasCarried, carried.integer(0) < Int64(id.phone.rawValue) {
        hasCarried = try carried.step()
      }
      let isOfPhone = hasCarried && carried.integer(0) == Int64(id.phone.rawValue)
      body(id, isOfPhone ? carried.sequenceRun(1) : nil)
    }
  }

  func batchesByArrival(
    of phone: PhoneID?, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    let filter = phone == nil ? "" : "WHERE phone = ?"
    let rows = try prepare(
      "SELECT \(Statement.batchColumns) FROM batches \(filter) ORDER BY number")
    if let phone { rows.bind(1, Int64(phone.rawValue)) }
    while try rows.step(), body(rows.batch, rows.payload) {}
  }

  /// Passes batches by phone. Uses two statements, so that SQLite sorts keys without payloads.
  func batchesByPhone(
    of phone: PhoneID?, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) {
    let filter = phone == nil ? "" : "WHERE phone = ?"
    let order = try prepare(
      "SELECT number FROM batches \(filter) ORDER BY phone, epoch, sequence")
    if let phone { order.bind(1, Int64(phone.rawValue)) }
    let row = try prepare("SELECT \(Statement.batchColumns) FROM batches WHERE number = ?")
    while try order.step() {
      row.bind(1, order.integer(0))
      if try row.step(), !body(row.batch, row.payload) { return }
      row.reset()
    }
  }
}

extension Statement {
  /// The columns that `batch`, `payload` and `number` read.
  static let batchColumns = """
    phone, epoch, sequence, scenario_us, wall_us, fix_count, hash, encoding, uncompressed_size,
    payload, number
    """

  var batch: StoredBatch {
    StoredBatch(
      id: id, receivedAt: SimInstant(microseconds: receivedAt),
      receivedAtWall: WallInstant(microseconds: integer(4)), fixCount: word(5),
      hash: UInt64(bitPattern: integer(6)), encoding: UInt8(truncatingIfNeeded: integer(7)),
      uncompressedSize: word(8))
  }

  var snapshot: PhoneSnapshot {
    PhoneSnapshot(
      phone: PhoneID(rawValue: word(0)),
      authorization: Authorization(rawValue: UInt8(truncatingIfNeeded: integer(1)))
        ?? .notDetermined,
      tokenValid: integer(2) != 0, reportedAt: SimInstant(microseconds: integer(3)),
      chosenAt: SimInstant(microseconds: integer(4)),
      newestFix: FixTime(centiseconds: integer(5)),
      coordinate: Coordinate(
        latitudeE6: Int32(truncatingIfNeeded: integer(6)),
        longitudeE6: Int32(truncatingIfNeeded: integer(7))),
      sequences: sequenceRun(8),
      answers: integer(11) < 0
        ? nil
        : AnswerHistory(
          share: UInt8(clamping: integer(11)), unanswered: UInt8(clamping: integer(12))))
  }

  var occasion: WakeOccasion {
    WakeOccasion(
      pushID: UInt64(bitPattern: integer(0)), at: SimInstant(microseconds: integer(1)),
      isWithheld: integer(2) != 0)
  }

  var id: BatchID {
    BatchID(phone: PhoneID(rawValue: word(0)), epoch: word(1), sequence: word(2))
  }

  /// The scenario instant of receipt, in microseconds.
  var receivedAt: Int64 { integer(3) }
  /// The payload, which is valid until the next `step` or `reset`.
  var payload: UnsafeRawBufferPointer { blob(9) }
  var number: Int64 { integer(10) }

  func sequenceRun(_ column: Int32) -> SequenceRun {
    SequenceRun(epoch: word(column), low: word(column + 1), high: word(column + 2))
  }

  private func word(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: integer(column)) }
}
