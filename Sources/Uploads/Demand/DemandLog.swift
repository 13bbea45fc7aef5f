internal import Foundation

/// A batch as it reaches a server. Times are in µs of scenario time since `measure` began.
struct MeteredBatch: Equatable, Sendable {
  /// The time of arrival, never negative.
  var at: Int64
  var phone: UInt32
  /// The index of the phone's policy and system in the recorder.
  var policy: Int
  package var fixes: Int
  var bytes: Int
  var opens: Int64
  var closes: Int64
}

/// The batches of one part of a fleet, in the order of arrival. All parts are merged before use,
/// because sizes are estimated from earlier batches and intervals span batches of several phones.
package struct DemandLog: Equatable, Sendable {
  /// Seven varints per batch: groups of seven bits, lowest first, with the highest bit set in all
  /// but the last group. Times are differences from the previous batch. Numbers that may be
  /// negative have the sign in the lowest bit.
  private var bytes = Data()
  private var last: Int64 = 0

  mutating func append(_ batch: MeteredBatch) {
    precondition(batch.at >= last, "batches come in their order (\(batch.at) after \(last))")
    append(UInt64(batch.at - last))
    append(UInt64(batch.phone))
    append(UInt64(batch.policy))
    append(UInt64(batch.fixes))
    append(UInt64(batch.bytes))
    append(Self.folded(batch.opens - batch.at))
    append(Self.folded(batch.closes - batch.at))
    last = batch.at
  }

  private mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func folded(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: number << 1 ^ number >> 63)
  }

  private static func unfolded(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  // MARK: Reading

  /// Calls `body` with the batches of all parts, ordered by time and then by phone. Throws for an
  /// invalid log.
  static func forEach(
    in logs: [DemandLog], _ body: (MeteredBatch) -> Void
  ) throws(DemandLogError) {
    var readers: [Reader] = []
    for log in logs {
      var reader = Reader(log.bytes)
      try reader.advance()
      if reader.next != nil { readers.append(reader) }
    }
    while let (place, batch) = earliest(readers) {
      body(batch)
      try readers[place].advance()
      if readers[place].next == nil { readers.remove(at: place) }
    }
  }

  private static func earliest(_ readers: [Reader]) -> (Int, MeteredBatch)? {
    var best: (Int, MeteredBatch)?
    for (place, reader) in readers.enumerated() {
      guard let batch = reader.next else { continue }
      if let found = best?.1, (found.at, found.phone) <= (batch.at, batch.phone) { continue }
      best = (place, batch)
    }
    return best
  }

  private struct Reader {
    /// The next batch; nil at the end.
    private(set) var next: MeteredBatch?
    private let bytes: Data
    private var place: Int
    private var at: Int64 = 0

    init(_ bytes: Data) {
      self.bytes = bytes
      place = bytes.startIndex
    }

    mutating func advance() throws(DemandLogError) {
      guard place < bytes.endIndex else {
        next = nil
        return
      }
      at = try sum(at, Int64(clamping: number()))
      let phone = try number()
      let (policy, fixes, size) = (try number(), try number(), try number())
      let opens = try sum(at, DemandLog.unfolded(number()))
      let closes = try sum(at, DemandLog.unfolded(number()))
      guard let phone = UInt32(exactly: phone), max(policy, fixes, size) <= Self.countMax else {
        throw DemandLogError()
      }
      next = MeteredBatch(
        at: at, phone: phone, policy: Int(policy), fixes: Int(fixes), bytes: Int(size),
        opens: opens, closes: closes)
    }

    private func sum(_ a: Int64, _ b: Int64) throws(DemandLogError) -> Int64 {
      let (sum, isTooMuch) = a.addingReportingOverflow(b)
      guard !isTooMuch, abs(sum) <= Self.instantMax else { throw DemandLogError() }
      return sum
    }

    private mutating func number() throws(DemandLogError) -> UInt64 {
      var number: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 7) {
        guard place < bytes.endIndex else { throw DemandLogError() }
        let byte = bytes[place]
        place += 1
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
      }
      throw DemandLogError()
    }

    /// Limits above the fixes or bytes of any batch, and above any scenario's time (100 years).
    private static let countMax: UInt64 = 1 << 31
    private static let instantMax: Int64 = 100 * 366 * 86_400 * 1_000_000
  }
}

extension DemandLog: Codable {
  package init(from decoder: any Decoder) throws {
    bytes = try decoder.singleValueContainer().decode(Data.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }
}

package struct DemandLogError: Error, Equatable, Sendable {}
