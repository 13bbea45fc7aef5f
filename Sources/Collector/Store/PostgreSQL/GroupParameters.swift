internal import Core
internal import ServerLogic

/// Encodes a group for `PostgresSchema.Statement.group`, with one array per column in PostgreSQL's
/// binary form. Rows are sorted by key, so that collectors with the same batches cannot deadlock.
struct GroupParameters {
  private var rows: [Row] = []
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [(end: Int, isBinary: Bool)] = []
  private var log = GroupLog()
  private var firstAt: SimInstant?

  private struct Row: Comparable {
    var batch: StoredBatch
    var day: Int32
    var payload: Range<Int>

    private var key: (UInt32, UInt32, UInt32) {
      (batch.id.phone.rawValue, batch.id.epoch, batch.id.sequence)
    }
    static func < (a: Row, b: Row) -> Bool { a.key < b.key }
    static func == (a: Row, b: Row) -> Bool { a.key == b.key }
  }

  // MARK: Group properties

  mutating func take(_ group: borrowing CommitGroup) {
    rows.removeAll(keepingCapacity: true)
    log.removeAll()
    firstAt = nil
    for record in group.records {
      switch record {
      case .run: break
      case .batch(let batch, let update, let payload):
        noteFirst(batch.receivedAt)
        rows.append(Row(batch: batch, day: Self.day(of: update.newest), payload: payload))
        log.add(batch, update)
      case .registration(let phone, let authorization, let tokenValid, let at):
        noteFirst(at)
        log.add(phone, authorization, tokenValid: tokenValid, at: at)
      case .snapshot(let snapshot): log.add(snapshot)
      case .occasion(let occasion):
        noteFirst(occasion.at)
        log.add(occasion)
      }
    }
    rows.sort()
    log.seal()
  }

  private mutating func noteFirst(_ at: SimInstant) { firstAt = firstAt ?? at }

  /// Returns days not in `known`, each with a day on which one of its batches arrived.
  func days(notIn known: Set<Int32>) -> [(day: Int32, received: Int32)] {
    var days: [Int32: Int32] = [:]
    for row in rows where !known.contains(row.day) {
      days[row.day] = Self.day(of: FixTime(row.batch.receivedAt))
    }
    return days.map { (day: $0.key, received: $0.value) }.sorted { $0.day < $1.day }
  }

  /// Returns the day of a time, counted from 1970 in UTC.
  static func day(of time: FixTime) -> Int32 {
    let perDay: Int64 = 8_640_000
    return Int32(clamping: (time.centiseconds - (time.centiseconds < 0 ? perDay - 1 : 0)) / perDay)
  }

  // MARK: Encoding

  mutating func encode(_ group: borrowing CommitGroup, number: Int64) {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    put(number)
    end()
    column(.int8) { $0.put($1.receivedAt.microseconds) }
    column(.int8) { $0.put($1.receivedAtWall.microseconds) }
    column(.int8) { $0.put($1.hash) }
    column(.int4) { $0.put($1.id.phone.rawValue) }
    column(.int4) { $0.put($1.id.epoch) }
    column(.int4) { $0.put($1.id.sequence) }
    head(.int4)
    for row in rows {
      put(UInt32(4))
      put(row.day)
    }
    end()
    column(.int4) { $0.put($1.fixCount) }
    column(.int4) { $0.put($1.uncompressedSize) }
    column(.int2) { $0.put(Int16($1.encoding)) }
    head(.bytea)
    for row in rows {
      put(UInt32(row.payload.count))
      bytes.append(contentsOf: group.bytes[row.payload])
    }
    end()
    encodeSums()
    bytes.append(contentsOf: log.bytes)
    end()
    // A group that only restores phones precedes everything that these phones sent.
    put((firstAt ?? .distantPast).microseconds)
    end()
  }

  private mutating func encodeSums() {
    var (fixes, hashes, received): (Int64, Int128, Int128) = (0, 0, 0)
    for row in rows {
      fixes += Int64(row.batch.fixCount)
      hashes += Int128(Int64(bitPattern: row.batch.hash))
      received += Int128(row.batch.receivedAt.microseconds)
    }
    put(Int64(rows.count))
    end()
    put(fixes)
    end()
    for sum in [hashes, received] {
      bytes.append(contentsOf: "\(sum)\0".utf8)
      end(isBinary: false)
    }
  }

  private enum Element {
    case int2, int4, int8, bytea
    /// The number of the type in `pg_type`, which never changes.
    var oid: UInt32 {
      switch self {
      case .int2: 21
      case .int4: 23
      case .int8: 20
      case .bytea: 17
      }
    }
    var size: UInt32 {
      switch self {
      case .int2: 2
      case .int4: 4
      case .int8: 8
      case .bytea: 0
      }
    }
  }

  private mutating func column(_ element: Element, _ write: (inout Self, StoredBatch) -> Void) {
    head(element)
    for index in rows.indices {
      put(element.size)
      write(&self, rows[index].batch)
    }
    end()
  }

  /// Appends an array's header: one dimension, no nulls, the type, the count, and 1 as first index.
  private mutating func head(_ element: Element) {
    for word in [rows.isEmpty ? 0 : 1, 0, element.oid] { put(word) }
    guard !rows.isEmpty else { return }
    put(UInt32(rows.count))
    put(UInt32(1))
  }

  private mutating func put(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func end(isBinary: Bool = true) { ends.append((bytes.count, isBinary)) }

  // MARK: The answer

  static func heldBefore(
    _ group: borrowing CommitGroup, added: Set<BatchID>
  ) -> Set<UInt64> {
    var held: Set<UInt64> = []
    for (record, token) in zip(group.records, group.tokens) {
      if case .batch(let batch, _, _) = record, !added.contains(batch.id) { held.insert(token) }
    }
    return held
  }
}
