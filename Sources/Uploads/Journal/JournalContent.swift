package import Core

package enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  case otherRun(path: String, why: String)
  case damaged(path: String, why: String)
  case missing(path: String)
  case noFolder(path: String)
  case inUse(path: String)
  case cannotWrite(path: String, why: String)

  package var description: String {
    switch self {
    case .otherRun(let path, let why):
      "\(path): is the journal of another run (\(why)). Choose another run.state."
    case .damaged(let path, let why):
      "\(path): is not a valid journal (\(why)). Move it away, or choose another run.state."
    case .missing(let path):
      "\(path): there is no journal. Give the folder of the load's run.state."
    case .noFolder(let path): "\(path): is a file. Set run.state to a folder for the journal."
    case .inUse(let path):
      "\(path): another fleet is using this journal. Stop it, or choose another run.state."
    case .cannotWrite(let path, let why): "\(path): cannot be written (\(why))."
    }
  }
}

package struct JournalContent: Sendable {
  package struct Batch: Sendable {
    package enum Fate: Equatable, Sendable { case open, acknowledged, refused }
    var submission: JournalRecord.Submission
    package var fate = Fate.open
  }

  let header: JournalHeader
  private(set) var batches: [BatchID: Batch] = [:]
  private(set) var duplicates = 0
  private(set) var resent = 0
  private(set) var lives = 1
  package private(set) var last: SimInstant?
  /// The `order` of each phone's newest batch.
  package private(set) var highest: [PhoneID: UInt64] = [:]
  package private(set) var newest: [PhoneID: FixTime] = [:]
  /// The number of bytes in complete records; a killed writer may leave an incomplete rest.
  private(set) var wholeBytes = 0

  /// Reads a journal; nil if the file has no complete header.
  /// - Throws: an error if the header or a record before the last is damaged.
  package init?(_ bytes: [UInt8], path: String) throws(JournalError) {
    guard bytes.count >= RecordFile.headBytes else { return nil }
    do throws(RecordError) {
      var reader = try RecordReader(bytes, .journal)
      guard let first = try reader.next(most: Self.headerMax) else { return nil }
      guard case .header(let header)? = JournalRecord(first) else {
        throw RecordError.damaged(offset: RecordFile.headBytes)
      }
      self.header = header
      wholeBytes = reader.offset
      while let next = try reader.next(most: JournalRecord.contentMax) {
        guard let record = JournalRecord(next) else {
          throw RecordError.damaged(offset: wholeBytes)
        }
        take(record)
        wholeBytes = reader.offset
      }
    } catch {
      throw .damaged(path: path, why: error.description)
    }
  }

  private static let headerMax = 1 << 10

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
      // An acknowledgement overrides a refusal of the same batch.
      if batches[id]?.fate == .open { batches[id]?.fate = .refused }
    case .resumed(_, let count):
      lives += 1
      resent += Int(count)
    }
  }
}
