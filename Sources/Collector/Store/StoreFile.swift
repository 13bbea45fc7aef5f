package import ServerLogic
internal import SimulationCore
internal import Telemetry

/// The file of a store with its prepared statements: read at start, then given to a `BatchStore`.
///
/// Owned by one, used by one thread at a time.
package struct StoreFile: ~Copyable {
  package let path: String
  private let schema: StoreSchema
  private let database: Database

  /// - Parameter pagesMax: of 4 KiB; a full store behaves as a full disk. nil: as far as the disk
  ///   goes.
  package init(path: String, pagesMax: Int? = nil) throws(StoreError) {
    let database = try Database(path: path)
    let schema = try StoreSchema(database)
    if let pagesMax { try database.run("PRAGMA max_page_count=\(pagesMax)") }
    self.path = path
    self.schema = schema
    self.database = database
  }

  /// Everything stored: phones first, then batches and occasions in the order in which they came.
  ///
  /// Payload bytes are valid during the call they are given to.
  package func replay(
    phone: (PhoneStanding) -> Void,
    event: (StoredEvent) -> Void
  ) throws(StoreError) {
    try replayPhones(phone)
    try replayEvents(event)
  }

  /// All of the group or nothing of it.
  func commit(_ group: Group) -> StoreError? {
    do throws(StoreError) {
      try schema.begin.run()
      try group.bytes.span.bytes.withUnsafeBytes { bytes throws(StoreError) in
        for record in group.records { try schema.write(record, bytes: bytes) }
      }
      try schema.commit.run()
      return nil
    } catch {
      // Fails when SQLite has already rolled back by itself, which is as good.
      do throws(StoreError) { try schema.rollback.run() } catch {}
      return error
    }
  }

  package func storedRun() throws(StoreError) -> StoredRun? {
    let statement = try database.prepare("SELECT value FROM meta WHERE key = ?")
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

  private func replayPhones(_ body: (PhoneStanding) -> Void) throws(StoreError) {
    let rows = try database.prepare("SELECT * FROM phones ORDER BY phone")
    while try rows.step() {
      body(
        PhoneStanding(
          phone: PhoneID(rawValue: UInt32(truncatingIfNeeded: rows.integer(0))),
          authorization: Authorization(rawValue: UInt8(truncatingIfNeeded: rows.integer(1)))
            ?? .notDetermined,
          tokenValid: rows.integer(2) != 0,
          reportedAt: SimInstant(microseconds: rows.integer(3)),
          chosenAt: SimInstant(microseconds: rows.integer(4)),
          newestFix: FixTime(centiseconds: rows.integer(5)),
          coordinate: Coordinate(
            latitudeE6: Int32(truncatingIfNeeded: rows.integer(6)),
            longitudeE6: Int32(truncatingIfNeeded: rows.integer(7))),
          sequences: SequenceRun(
            epoch: UInt32(truncatingIfNeeded: rows.integer(8)),
            low: UInt32(truncatingIfNeeded: rows.integer(9)),
            high: UInt32(truncatingIfNeeded: rows.integer(10))),
          answers: rows.integer(11) < 0
            ? nil
            : AnswerHistory(
              share: UInt8(clamping: rows.integer(11)),
              unanswered: UInt8(clamping: rows.integer(12)))))
    }
  }

  /// Merges the two logs by scenario instant; an occasion comes before a batch of its instant.
  private func replayEvents(_ body: (StoredEvent) -> Void) throws(StoreError) {
    let batches = try database.prepare(
      """
      SELECT phone, epoch, sequence, scenario_us, wall_us, fix_count, hash, encoding,
        uncompressed_size, payload FROM batches ORDER BY number
      """)
    let occasions = try database.prepare(
      "SELECT push, scenario_us, withheld FROM occasions ORDER BY push")
    var hasBatch = try batches.step()
    var hasOccasion = try occasions.step()
    while hasBatch || hasOccasion {
      if hasOccasion, !hasBatch || occasions.integer(1) <= batches.integer(3) {
        body(.occasion(Self.occasion(occasions)))
        hasOccasion = try occasions.step()
      } else {
        body(.batch(Self.batch(batches), payload: batches.blob(9)))
        hasBatch = try batches.step()
      }
    }
  }

  private static func occasion(_ row: borrowing Statement) -> StoredOccasion {
    StoredOccasion(
      pushID: UInt64(bitPattern: row.integer(0)),
      at: SimInstant(microseconds: row.integer(1)), isWithheld: row.integer(2) != 0)
  }

  private static func batch(_ row: borrowing Statement) -> StoredBatch {
    StoredBatch(
      id: BatchID(
        phone: PhoneID(rawValue: UInt32(truncatingIfNeeded: row.integer(0))),
        epoch: UInt32(truncatingIfNeeded: row.integer(1)),
        sequence: UInt32(truncatingIfNeeded: row.integer(2))),
      receivedAt: SimInstant(microseconds: row.integer(3)),
      receivedAtWall: WallInstant(microseconds: row.integer(4)),
      fixCount: UInt32(truncatingIfNeeded: row.integer(5)),
      hash: UInt64(bitPattern: row.integer(6)),
      encoding: UInt8(truncatingIfNeeded: row.integer(7)),
      uncompressedSize: UInt32(truncatingIfNeeded: row.integer(8)))
  }
}

/// One line of a store's two logs.
package enum StoredEvent {
  case batch(StoredBatch, payload: UnsafeRawBufferPointer)
  case occasion(StoredOccasion)
}
