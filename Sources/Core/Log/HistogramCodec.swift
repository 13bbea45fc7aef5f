internal import Foundation

package enum HistogramCodecError: Error, Equatable, Sendable, CustomStringConvertible {
  case notBase64
  case truncated
  case otherFormat(cookie: UInt32)
  /// Another program compressed the histogram; only Flotilla's own output is supported.
  case compressed
  case damaged
  case otherParameters(digits: Int, lowest: Int64, highest: Int64)

  package var description: String {
    switch self {
    case .notBase64: "the histogram is not base64."
    case .truncated: "the histogram ends too early."
    case .otherFormat(let cookie):
      "the histogram begins with 0x\(String(cookie, radix: 16)), which is not HdrHistogram V2."
    case .compressed:
      "the histogram was compressed by another program; give the original log of flotilla."
    case .damaged: "the histogram's bytes are damaged."
    case .otherParameters(let digits, let lowest, let highest):
      """
      the histogram has \(digits) digits from \(lowest) to \(highest); flotilla's have 3, from 1 \
      to \(Histogram.highest).
      """
    }
  }
}

/// HdrHistogram's V2 encoding, so that its tools read Flotilla's logs. All numbers are big-endian.
///
///     OFFSET SIZE  compressed form           OFFSET SIZE  inside the zlib stream
///          0    4  0x1c849314                     0    4  0x1c849313
///          4    4  length of the rest             4    4  length of the counts
///          8    n  zlib stream                    8    4  normalizing offset, 0
///                                                12    4  significant digits
///                                                16    8  lowest value
///                                                24    8  highest value
///                                                32    8  conversion ratio, 1.0
///                                                40    n  counts, ZigZag LEB128 of at most
///                                                         9 bytes; −k is a run of k zeros
///
/// The zlib stream holds stored blocks (RFC 1950, RFC 1951 section 3.2.4), which every reader
/// accepts. A histogram of one second takes a few hundred bytes.
package enum HistogramCodec {
  private static let payloadCookie: UInt32 = 0x1c84_9313
  private static let compressedCookie: UInt32 = 0x1c84_9314
  private static let digits = 3
  private static let lowest: Int64 = 1
  private static let ratio = 1.0

  // MARK: Writing

  /// Returns a histogram as text of a log line. Failed calls count at the shortest of their
  /// deadlines, so that every percentile below that deadline is right.
  package static func base64(_ histogram: Histogram) -> String {
    var counts = histogram.sparse.slots.map { (index: $0.index, count: $0.count) }
    if let deadline = histogram.sparse.censoredFrom {
      let index = Histogram.index(of: min(max(deadline, 0), Histogram.highest))
      counts.append((index, histogram.censored))
      counts.sort { $0.index < $1.index }
    }
    let payload = payload(counts)
    let stream = Zlib.stored(payload)
    var bytes: [UInt8] = []
    append(compressedCookie, to: &bytes)
    append(UInt32(stream.count), to: &bytes)
    return Data(bytes + stream).base64EncodedString()
  }

  /// - Parameter counts: Ascending by index; repeated indices are summed.
  private static func payload(_ counts: [(index: Int, count: Int)]) -> [UInt8] {
    var words: [UInt8] = []
    var next = 0
    var i = 0
    while i < counts.count {
      let index = counts[i].index
      var count = 0
      while i < counts.count, counts[i].index == index {
        count += counts[i].count
        i += 1
      }
      if index > next { appendZigZag(-Int64(index - next), to: &words) }
      appendZigZag(Int64(count), to: &words)
      next = index + 1
    }
    var bytes: [UInt8] = []
    append(payloadCookie, to: &bytes)
    append(UInt32(words.count), to: &bytes)
    append(UInt32(0), to: &bytes)
    append(UInt32(digits), to: &bytes)
    append(lowest, to: &bytes)
    append(Histogram.highest, to: &bytes)
    append(ratio.bitPattern, to: &bytes)
    return bytes + words
  }

  private static func append<Word: FixedWidthInteger>(_ word: Word, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.bigEndian) { bytes += $0 }
  }

  private static func appendZigZag(_ value: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
    for _ in 0..<8 {
      if rest < 0x80 {
        bytes.append(UInt8(rest))
        return
      }
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))  // The ninth byte carries eight bits.
  }

  // MARK: Reading

  /// Decodes a histogram from a log line. The line has only the slot of each value.
  /// - Throws: `HistogramCodecError` if the text is damaged or in another format.
  package static func histogram(
    base64 text: some StringProtocol
  ) throws(HistogramCodecError) -> Histogram {
    guard let data = Data(base64Encoded: String(text)) else { throw .notBase64 }
    var outer = Reader(bytes: [UInt8](data)[...])
    let cookie = UInt32(truncatingIfNeeded: try outer.integer(bytes: 4))
    guard cookie == compressedCookie else { throw .otherFormat(cookie: cookie) }
    let length = Int(try outer.integer(bytes: 4))
    guard outer.bytes.count >= length else { throw .truncated }
    var reader = Reader(bytes: try Zlib.contents(ofStored: outer.bytes.prefix(length))[...])
    let inner = UInt32(truncatingIfNeeded: try reader.integer(bytes: 4))
    guard inner == payloadCookie else { throw .otherFormat(cookie: inner) }
    let words = Int(try reader.integer(bytes: 4))
    _ = try reader.integer(bytes: 4)
    let digits = Int(try reader.integer(bytes: 4))
    let lowest = try reader.integer(bytes: 8)
    let highest = try reader.integer(bytes: 8)
    _ = try reader.integer(bytes: 8)
    guard digits == Self.digits, lowest == Self.lowest, highest == Histogram.highest else {
      throw .otherParameters(digits: digits, lowest: lowest, highest: highest)
    }
    guard reader.bytes.count == words else { throw .truncated }
    return try counts(&reader)
  }

  private static func counts(_ reader: inout Reader) throws(HistogramCodecError) -> Histogram {
    var slots: [Histogram.Sparse.Slot] = []
    var sum: Int64 = 0
    var index = 0
    while !reader.bytes.isEmpty {
      let word = try reader.zigZag()
      if word < 0 {
        guard word >= -Int64(Histogram.slots) else { throw .damaged }
        index += Int(-word)
      } else {
        guard index < Histogram.slots else { throw .damaged }
        if word > 0 {
          slots.append(.init(index: index, count: Int(word)))
          let (add, overflow) = word.multipliedReportingOverflow(
            by: Histogram.values(at: index).lowerBound)
          guard !overflow, sum <= .max - add else { throw .damaged }
          sum += add
        }
        index += 1
      }
    }
    let histogram = Histogram(
      Histogram.Sparse(
        slots: slots, sum: sum, min: slots.first.map { Histogram.values(at: $0.index).lowerBound },
        max: slots.last.map { Histogram.values(at: $0.index).upperBound }, saturated: 0,
        censored: 0, censoredFrom: nil))
    guard let histogram else { throw .damaged }
    return histogram
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func integer(bytes count: Int) throws(HistogramCodecError) -> Int64 {
      guard bytes.count >= count else { throw .truncated }
      let value = bytes.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      bytes.removeFirst(count)
      return Int64(bitPattern: value)
    }

    mutating func zigZag() throws(HistogramCodecError) -> Int64 {
      var value: UInt64 = 0
      for place in 0..<9 {
        guard let byte = bytes.popFirst() else { throw .truncated }
        if place == 8 {
          value |= UInt64(byte) << 56
        } else {
          value |= UInt64(byte & 0x7F) << UInt64(7 * place)
          if byte < 0x80 { break }
        }
      }
      return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
  }
}
