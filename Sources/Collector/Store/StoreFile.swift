package import ServerLogic
internal import SimulationCore
internal import Telemetry

/// The file of a store with its prepared statements: read at start, then given to a `BatchStore`.
///
/// Owned by one, used by one thread at a time.
package struct StoreFile: ~Copyable {
  package let path: String
  /// What all committed batches come to.
  package private(set) var totals: StoreTotals
  /// Set for good once a page turned out to be damaged: a later commit that touches other pages
  /// would succeed, and be acknowledged, in a file of which part is lost.
  private var damage: StoreError?
  private let schema: StoreSchema
  let database: Database

  /// - Parameter pagesMax: of 4 KiB; a full store behaves as a full disk. nil: as far as the disk
  ///   goes.
  package init(path: String, pagesMax: Int? = nil) throws(StoreError) {
    let database = try Database(path: path)
    let schema = try StoreSchema(database)
    if let pagesMax { try database.run("PRAGMA max_page_count=\(pagesMax)") }
    let totals = try database.totals()
    self.totals = totals
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
  mutating func commit(_ group: borrowing CommitGroup) -> StoreError? {
    if let damage { return damage }
    var sum = totals
    do throws(StoreError) {
      try schema.begin.run()
      for record in group.records {
        if case .batch(let batch, _) = record { sum.add(batch) }
      }
      try group.bytes.span.bytes.withUnsafeBytes { bytes throws(StoreError) in
        for record in group.records { try schema.write(record, bytes: bytes) }
      }
      if sum != totals { try schema.write(sum) }
      try schema.commit.run()
      totals = sum
      return nil
    } catch {
      // Fails when SQLite has already rolled back by itself, which is as good.
      do throws(StoreError) { try schema.rollback.run() } catch {}
      if case .corrupt = error { damage = error }
      return error
    }
  }

  package func storedRun() throws(StoreError) -> StoredRun? { try database.storedRun() }

  /// The batches of one phone that another server took before, as its row says.
  func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun {
    let row = try database.prepare("SELECT epoch, low, high FROM phones WHERE phone = ?")
    row.bind(1, Int64(phone.rawValue))
    return try row.step() ? row.sequenceRun(0) : SequenceRun()
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
          sequences: rows.sequenceRun(8),
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
      "SELECT \(Statement.batchColumns) FROM batches ORDER BY number")
    let occasions = try database.prepare(
      "SELECT push, scenario_us, withheld FROM occasions ORDER BY push")
    var hasBatch = try batches.step()
    var hasOccasion = try occasions.step()
    while hasBatch || hasOccasion {
      if hasOccasion, !hasBatch || occasions.integer(1) <= batches.receivedAt {
        body(.occasion(Self.occasion(occasions)))
        hasOccasion = try occasions.step()
      } else {
        body(.batch(batches.batch, payload: batches.payload))
        hasBatch = try batches.step()
      }
    }
  }

  private static func occasion(_ row: borrowing Statement) -> WakeOccasion {
    WakeOccasion(
      pushID: UInt64(bitPattern: row.integer(0)),
      at: SimInstant(microseconds: row.integer(1)), isWithheld: row.integer(2) != 0)
  }
}

/// One line of a store's two logs.
package enum StoredEvent {
  case batch(StoredBatch, payload: UnsafeRawBufferPointer)
  case occasion(WakeOccasion)
}
