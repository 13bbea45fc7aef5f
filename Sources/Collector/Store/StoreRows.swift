internal import ServerLogic
internal import SimulationCore
internal import Telemetry

/// How rows are read, by who goes on with a store and by who only looks at it.
extension Database {
  func totals() throws(StoreError) -> StoreTotals {
    let row = try prepare("SELECT batches, fixes, hash_sum, chain FROM totals")
    guard try row.step() else { throw .corrupt(path: path, detail: "its totals are missing") }
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
}

extension Statement {
  /// What `batch`, `payload` and `number` read.
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

  /// Of the first three columns.
  var id: BatchID {
    BatchID(phone: PhoneID(rawValue: word(0)), epoch: word(1), sequence: word(2))
  }

  /// Microseconds.
  var receivedAt: Int64 { integer(3) }
  /// Valid until the next `step` or `reset`.
  var payload: UnsafeRawBufferPointer { blob(9) }
  var number: Int64 { integer(10) }

  /// Epoch, low and high from `column` on.
  func sequenceRun(_ column: Int32) -> SequenceRun {
    SequenceRun(epoch: word(column), low: word(column + 1), high: word(column + 2))
  }

  private func word(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: integer(column)) }
}
