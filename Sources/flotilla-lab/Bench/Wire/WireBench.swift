package import Core
internal import Uploads
package import Wire

/// The batch codec alone: the cost of encoding and decoding a batch, and its bytes per fix.
package struct WireBench: Benchmark {
  package let name = "wire"
  private let batches: WireBatches
  private let codec: BatchCodec
  private let source: String
  private let encoder: BatchEncoder
  private let decoder: BatchDecoder
  private var buffer = Bytes()

  private final class Bytes {
    var messages = ByteBuffer(capacity: 1 << 20)
    var frames = ByteBuffer(capacity: 1 << 20)
  }

  private static let passes = 4
  /// The first phone's number, which takes three bytes as a varint.
  private static let firstPhone: UInt32 = 20_000

  package init(_ batches: WireBatches, _ codec: BatchCodec, source: String = "generated") {
    self.batches = batches
    self.codec = codec
    self.source = source
    encoder = BatchEncoder(codec)
    decoder = BatchDecoder(dictionary: codec.dictionary)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("codec", .word(codec.words)), ("movement", .word(batches.kind.rawValue)),
      ("fixes", .count(batches.fixesPerBatch)), ("batches", .word(source)),
    ]
  }

  /// The bars, which apply only to batches of 20 fixes in the default codec.
  package var bars: [BenchBar] {
    guard codec == .shipped, batches.fixesPerBatch == BatchPool.fixesPerBatch else { return [] }
    let most =
      switch batches.kind {
      case .resting: 6.0
      case .walking: 7.0
      case .driving: 8.0
      case .dwelling: 3.0
      }
    return [
      BenchBar("bytesPerFix", .atMost(most)), BenchBar("encodeNanoseconds", .atMost(5_000)),
      BenchBar("decodeNanoseconds", .atMost(3_000)),
    ]
  }

  /// Returns nanoseconds per batch, and bytes per fix with and without frames.
  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    var (encoded, decoded): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.passes {
      encoded.append(encode(clock))
      decoded.append(decode(clock))
    }
    return [
      ("encodeNanoseconds", encoded), ("decodeNanoseconds", decoded),
      ("bytesPerFix", [Double(framedBytes()) / Double(batches.fixes.count)]),
      ("payloadBytesPerFix", [payloadBytesPerFix]),
    ]
  }

  private func encode(_ clock: () -> WallInstant) -> Double {
    buffer.messages.removeAll()
    let began = clock()
    forEachBatch { id, fixes in
      do throws(WireError) {
        try encoder.encode(id, fixes, into: &buffer.messages)
      } catch {
        preconditionFailure("cannot encode a batch of the benchmark: \(error)")
      }
    }
    return Double((clock() - began).microseconds) * 1_000 / Double(batches.count)
  }

  private func decode(_ clock: () -> WallInstant) -> Double {
    let messages = messages()
    var fixes = 0
    let began = clock()
    for message in messages {
      do throws(WireError) {
        fixes += try decoder.fixes(of: decoder.envelope(message)).count
      } catch {
        preconditionFailure("cannot decode a batch of the benchmark: \(error)")
      }
    }
    let took = clock() - began
    precondition(fixes == batches.fixes.count, "fixes were lost")
    return Double(took.microseconds) * 1_000 / Double(batches.count)
  }

  private func messages() -> [UnsafeRawBufferPointer] {
    let bytes = buffer.messages.readable
    var lengths: [Int] = []
    var single = ByteBuffer(capacity: 4_096)
    forEachBatch { id, fixes in
      single.removeAll()
      try? encoder.encode(id, fixes, into: &single)
      lengths.append(single.count)
    }
    var start = 0
    return lengths.map { length in
      defer { start += length }
      return UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
    }
  }

  /// Returns the bytes with frames, one per call, as on a connection with earlier calls.
  private func framedBytes() -> Int {
    buffer.frames.removeAll()
    for (number, message) in messages().enumerated() {
      FrameEncoder.message(
        stream: UInt32(number + 2), message, endOfStream: true, repeatsHeaders: true,
        into: &buffer.frames)
    }
    return buffer.frames.count
  }

  private var payloadBytesPerFix: Double {
    var bytes = 0
    for message in messages() {
      bytes += (try? decoder.envelope(message).payload.count) ?? 0
    }
    return Double(bytes) / Double(batches.fixes.count)
  }

  private func forEachBatch(_ body: (BatchID, UnsafeBufferPointer<Fix>) -> Void) {
    batches.fixes.withUnsafeBufferPointer { fixes in
      for number in 0..<batches.count {
        let first = number * batches.fixesPerBatch
        body(
          BatchID(
            phone: PhoneID(rawValue: Self.firstPhone + UInt32(number)), epoch: 1, sequence: 200),
          UnsafeBufferPointer(rebasing: fixes[first..<first + batches.fixesPerBatch]))
      }
    }
  }
}

extension BatchCodec {
  fileprivate var words: String {
    switch self {
    case .packed: "packed"
    case .columns(level: 0, _, _): "columns"
    case .columns(let level, let literals, nil):
      "columns+zstd\(level)\(literals ? "-literals" : "")"
    case .columns(let level, _, .some): "columns+zstd\(level)-dictionary"
    case .rows(.none): "rows"
    case .rows(.gzip): "rows+gzip"
    case .rows(.zstd): "rows+zstd"
    }
  }
}
