package import SimulationCore
package import Telemetry
internal import Wire

/// Why a fleet's journal cannot be used.
package enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  case otherRun(path: String, why: String)
  case damaged(path: String, why: String)
  case missing(path: String)
  case noFolder(path: String)
  case inUse(path: String)
  case cannotWrite(path: String, why: String)

  /// Names the journal, says what is wrong and what the user can do.
  package var description: String {
    switch self {
    case .otherRun(let path, let why):
      "\(path): is the journal of another run (\(why)). Name another --state folder."
    case .damaged(let path, let why):
      "\(path): is no intact journal (\(why)). Move it away, or name another --state folder."
    case .missing(let path):
      "\(path): there is no journal. Name the folder that 'load --state' was given."
    case .noFolder(let path): "\(path): is a file. Give --state a folder for the journal."
    case .inUse(let path):
      "\(path): another fleet writes this journal. Stop it, or name another --state folder."
    case .cannotWrite(let path, let why): "\(path): cannot be written (\(why))."
    }
  }
}

/// Holds what all lives of a fleet have submitted, and the result of each batch.
package struct JournalContent: Sendable {
  /// Is a batch that some life has submitted.
  package struct Batch: Sendable {
    /// Is what a batch came to.
    package enum Fate: Equatable, Sendable { case open, acknowledged, refused }
    var submission: JournalRecord.Submission
    /// Says what it came to.
    package var fate = Fate.open
  }

  let header: JournalHeader
  private(set) var batches: [BatchID: Batch] = [:]
  /// Counts the answers that said "duplicate".
  private(set) var duplicates = 0
  /// Counts the batches sent again by later lives.
  private(set) var resent = 0
  private(set) var lives = 1
  /// Is the last instant at which something was submitted; nil where nothing was.
  package private(set) var last: SimInstant?
  /// Holds the newest batch of each phone, by its `order`.
  package private(set) var highest: [PhoneID: UInt64] = [:]
  /// Holds the time of the newest fix of each phone that is in a batch.
  package private(set) var newest: [PhoneID: FixTime] = [:]
  /// Counts the bytes of whole records; anything after them was torn by the death of the writer.
  private(set) var wholeBytes = 0

  /// - Throws: an error when the header is not whole, or a record before the last is damaged.
  package init(_ bytes: UnsafeRawBufferPointer, path: String) throws(JournalError) {
    var reader = JournalReader(bytes: bytes, path: path)
    guard case .header(let header) = try reader.next() else {
      throw .damaged(path: path, why: "its header is not whole")
    }
    guard header.version == JournalHeader.version else {
      throw .otherRun(
        path: path, why: "format \(header.version) instead of \(JournalHeader.version)")
    }
    self.header = header
    while let record = try reader.next() { take(record) }
    wholeBytes = reader.offset
  }

  /// Lists the unanswered batches in the order of phones and sequence numbers.
  var open: [JournalRecord.Submission] {
    batches.values.filter { $0.fate == .open }.map(\.submission)
      .sorted { ($0.id.phone, $0.id.order) < ($1.id.phone, $1.id.order) }
  }

  func count(_ fate: Batch.Fate) -> Int {
    batches.values.reduce(0) { $0 + ($1.fate == fate ? 1 : 0) }
  }

  private mutating func take(_ record: JournalRecord) {
    switch record {
    case .header: break
    case .submitted(let batch):
      let phone = batch.id.phone
      batches[batch.id] = Batch(submission: batch)
      highest[phone] = max(highest[phone] ?? 0, batch.id.order)
      newest[phone] = max(newest[phone] ?? batch.newest, batch.newest)
      last = max(last ?? batch.at, batch.at)
    case .acknowledged(let id, let duplicate):
      batches[id]?.fate = .acknowledged
      if duplicate { duplicates += 1 }
    case .refused(let id):
      // An acknowledgement outweighs a refusal of the same batch.
      if batches[id]?.fate == .open { batches[id]?.fate = .refused }
    case .resumed(_, let count):
      lives += 1
      resent += Int(count)
    }
  }
}

/// Splits a journal into records.
private struct JournalReader {
  let bytes: UnsafeRawBufferPointer
  let path: String
  private(set) var offset = 0

  /// Returns the next record; nil at the end or at a torn tail.
  mutating func next() throws(JournalError) -> JournalRecord? {
    let left = bytes.count - offset
    guard left >= JournalRecord.prefixBytes else { return nil }
    let size = Int(bytes.loadBigEndian(UInt32.self, at: offset))
    let isLast = size >= left - JournalRecord.prefixBytes
    guard size <= JournalRecord.bodyBytesMax else {
      throw .damaged(path: path, why: "a record of \(size) bytes at byte \(offset)")
    }
    guard size <= left - JournalRecord.prefixBytes else { return nil }
    let first = offset + JournalRecord.prefixBytes
    let body = UnsafeRawBufferPointer(rebasing: bytes[first..<(first + size)])
    guard Checksum.crc32(body) == bytes.loadBigEndian(UInt32.self, at: offset + 4),
      let record = JournalRecord(body)
    else {
      if isLast { return nil }
      throw .damaged(path: path, why: "the record at byte \(offset) does not fit its check")
    }
    offset = first + size
    return record
  }
}
