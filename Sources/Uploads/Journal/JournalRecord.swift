internal import Core

struct JournalHeader: Equatable, Sendable {
  var scenarioHash: UInt64
  var seed: UInt64
  var hashKey: UInt64
  var phones: UInt32
  var runID: String
}

enum JournalRecord: Equatable, Sendable {
  struct Submission: Equatable, Sendable {
    var id: BatchID
    var fixCount: UInt16
    var hash: UInt64
    /// The scenario time of the upload's first attempt.
    var at: SimInstant
    /// The time of the newest fix; a restored outbox omits fixes up to this time.
    var newest: FixTime
    var check: UInt32
    var message: [UInt8]
  }

  case header(JournalHeader)
  case submitted(Submission)
  case acknowledged(BatchID, duplicate: Bool)
  case refused(BatchID)
  /// A restart of the fleet, with the number of batches it resent.
  case resumed(at: SimInstant, resent: UInt32)

  /// The maximum length of a record in bytes, from the largest message. A longer record is damaged.
  static let contentMax = 8 << 20

  private var kind: UInt8 {
    switch self {
    case .header: 1
    case .submitted: 2
    case .acknowledged: 3
    case .refused: 4
    case .resumed: 5
    }
  }

  func append(to out: inout RecordWriter) { out.record(kind) { write(to: &$0) } }

  private func write(to out: inout RecordWriter) {
    switch self {
    case .header(let header):
      out.append(header.scenarioHash)
      out.append(header.seed)
      out.append(header.hashKey)
      out.append(header.phones)
      out.append(Array(header.runID.utf8))
    case .submitted(let batch):
      Self.append(batch.id, to: &out)
      out.append(batch.fixCount)
      out.append(batch.hash)
      out.append(batch.at.microseconds)
      out.append(batch.newest.centiseconds)
      out.append(batch.check)
      out.append(batch.message)
    case .acknowledged(let id, let duplicate):
      Self.append(id, to: &out)
      out.append(UInt8(duplicate ? 1 : 0))
    case .refused(let id): Self.append(id, to: &out)
    case .resumed(let at, let resent):
      out.append(at.microseconds)
      out.append(resent)
    }
  }

  private static func append(_ id: BatchID, to out: inout RecordWriter) {
    out.append(id.phone.rawValue)
    out.append(id.epoch)
    out.append(id.sequence)
  }

  // MARK: Reading

  /// Reads a record; nil if its kind or length is invalid, or a time is out of range.
  init?(_ record: Record) {
    var record = record
    func id() -> BatchID {
      BatchID(
        phone: PhoneID(rawValue: record.next()), epoch: record.next(), sequence: record.next())
    }
    switch record.kind {
    case 1:
      var header = JournalHeader(
        scenarioHash: record.next(), seed: record.next(), hashKey: record.next(),
        phones: record.next(), runID: "")
      header.runID = String(decoding: record.rest(), as: UTF8.self)
      self = .header(header)
    case 2:
      let batch = Submission(
        id: id(), fixCount: record.next(), hash: record.next(),
        at: SimInstant(microseconds: record.next()), newest: FixTime(centiseconds: record.next()),
        check: record.next(), message: record.rest())
      // Half of the sequence numbers are reserved for later batches.
      guard batch.at.isWithinReach, batch.newest.isWithinReach, batch.id.sequence <= Int32.max
      else { return nil }
      self = .submitted(batch)
    case 3: self = .acknowledged(id(), duplicate: record.next(UInt8.self) != 0)
    case 4: self = .refused(id())
    case 5:
      let at = SimInstant(microseconds: record.next())
      guard at.isWithinReach else { return nil }
      self = .resumed(at: at, resent: record.next())
    default: return nil  // A later version may write other kinds.
    }
    guard record.isRead else { return nil }
  }
}
