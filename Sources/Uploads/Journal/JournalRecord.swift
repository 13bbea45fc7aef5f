internal import SimulationCore
internal import Telemetry
internal import Wire

/// Identifies the run to which a journal belongs.
struct JournalHeader: Equatable, Sendable {
  static let version: UInt32 = 1

  var version = Self.version
  var scenarioHash: UInt64
  var seed: UInt64
  /// Is the key of the batches' hashes.
  var hashKey: UInt64
  var phones: UInt32
  /// Is the id by which the collector knows the run.
  var runID: String
}

/// Is one record of a fleet's journal.
///
/// On disk it is the length of the body (4 bytes), the CRC-32 of the body (4 bytes) and the body,
/// which is a kind and its fields; all numbers are big-endian. A record that a killed process left
/// half-written does not match its length or its CRC.
enum JournalRecord: Equatable, Sendable {
  /// Holds a batch as it is first submitted, before its message can reach a socket.
  struct Submission: Equatable, Sendable {
    var id: BatchID
    var fixCount: UInt16
    var hash: UInt64
    /// Is the instant of the upload's first attempt.
    var at: SimInstant
    /// Is the time of the batch's newest fix: fixes up to then need no second batch.
    var newest: FixTime
    var check: UInt32
    var message: [UInt8]
  }

  case header(JournalHeader)
  case submitted(Submission)
  case acknowledged(BatchID, duplicate: Bool)
  /// Says that the collector refused this batch twice and so will never take it.
  case refused(BatchID)
  /// Says that a later life of the fleet began, and how many batches it sent again.
  case resumed(at: SimInstant, resent: UInt32)

  static let prefixBytes = 8
  /// Bounds a body by the largest message and its fields; a longer length is damage.
  static let bodyBytesMax = 8 << 20

  func append(to buffer: inout ByteBuffer) {
    let start = buffer.count
    buffer.append(bigEndian: UInt64(0))
    appendBody(to: &buffer)
    let size = buffer.count - start - Self.prefixBytes
    let body = UnsafeRawBufferPointer(
      rebasing: buffer.readable[(start + Self.prefixBytes)...])
    let sum = Checksum.crc32(body)
    buffer.patch(bigEndian: UInt32(size), at: start)
    buffer.patch(bigEndian: sum, at: start + 4)
  }

  private func appendBody(to buffer: inout ByteBuffer) {
    switch self {
    case .header(let header):
      buffer.append(UInt8(1))
      buffer.append(bigEndian: header.version)
      buffer.append(bigEndian: header.scenarioHash)
      buffer.append(bigEndian: header.seed)
      buffer.append(bigEndian: header.hashKey)
      buffer.append(bigEndian: header.phones)
      buffer.append(Array(header.runID.utf8))
    case .submitted(let batch):
      buffer.append(UInt8(2))
      Self.append(batch.id, to: &buffer)
      buffer.append(bigEndian: batch.fixCount)
      buffer.append(bigEndian: batch.hash)
      buffer.append(bigEndian: batch.at.microseconds)
      buffer.append(bigEndian: batch.newest.centiseconds)
      buffer.append(bigEndian: batch.check)
      buffer.append(batch.message)
    case .acknowledged(let id, let duplicate):
      buffer.append(UInt8(3))
      Self.append(id, to: &buffer)
      buffer.append(UInt8(duplicate ? 1 : 0))
    case .refused(let id):
      buffer.append(UInt8(4))
      Self.append(id, to: &buffer)
    case .resumed(let at, let resent):
      buffer.append(UInt8(5))
      buffer.append(bigEndian: at.microseconds)
      buffer.append(bigEndian: resent)
    }
  }

  private static func append(_ id: BatchID, to buffer: inout ByteBuffer) {
    buffer.append(bigEndian: id.phone.rawValue)
    buffer.append(bigEndian: id.epoch)
    buffer.append(bigEndian: id.sequence)
  }

  // MARK: Reading

  /// - Parameter body: the body, after its CRC was checked. The result is nil where kind or length
  ///   is unknown, or a time is beyond reach.
  init?(_ body: UnsafeRawBufferPointer) {
    func id() -> BatchID {
      BatchID(
        phone: PhoneID(rawValue: body.loadBigEndian(UInt32.self, at: 1)),
        epoch: body.loadBigEndian(UInt32.self, at: 5),
        sequence: body.loadBigEndian(UInt32.self, at: 9))
    }
    guard let kind = body.first else { return nil }
    switch (kind, body.count) {
    case (1, 33...):
      self = .header(
        JournalHeader(
          version: body.loadBigEndian(UInt32.self, at: 1),
          scenarioHash: body.loadBigEndian(UInt64.self, at: 5),
          seed: body.loadBigEndian(UInt64.self, at: 13),
          hashKey: body.loadBigEndian(UInt64.self, at: 21),
          phones: body.loadBigEndian(UInt32.self, at: 29),
          runID: String(decoding: body[33...], as: UTF8.self)))
    case (2, 43...):
      let at = SimInstant(microseconds: body.loadBigEndian(Int64.self, at: 23))
      let newest = FixTime(centiseconds: body.loadBigEndian(Int64.self, at: 31))
      // Half of the numbers are left for the batches to come.
      guard at.isWithinReach, newest.isWithinReach, id().sequence <= Int32.max else { return nil }
      self = .submitted(
        Submission(
          id: id(), fixCount: body.loadBigEndian(UInt16.self, at: 13),
          hash: body.loadBigEndian(UInt64.self, at: 15), at: at, newest: newest,
          check: body.loadBigEndian(UInt32.self, at: 39), message: Array(body[43...])))
    case (3, 14): self = .acknowledged(id(), duplicate: body[13] != 0)
    case (4, 13): self = .refused(id())
    case (5, 13):
      let at = SimInstant(microseconds: body.loadBigEndian(Int64.self, at: 1))
      guard at.isWithinReach else { return nil }
      self = .resumed(
        at: at,
        resent: body.loadBigEndian(UInt32.self, at: 9))
    default: return nil  // A later version may write other kinds.
    }
  }
}
