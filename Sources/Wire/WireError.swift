/// Why bytes from a peer, or values to be sent to a peer, were refused.
package enum WireError: Error, Equatable, Sendable {
  case badPreface
  /// An HTTP/2 or gRPC violation, as named by nghttp2.
  case brokenHTTP2(reason: String)
  case frameTooLarge(bytes: Int, limit: Int)
  case unknownFrameType(UInt8)
  case malformedFrame(FrameType, reason: String)
  /// A message has a compression flag that the receiver does not take.
  case compressedMessage(flag: UInt8)
  case messageTooLarge(bytes: Int, limit: Int)
  case damagedMessage
  /// protobuf-c cannot parse the message, or the arena is too small for it.
  case malformedMessage(String)
  case unknownEncoding(Int)
  case unknownWord(field: String, String, known: [String])
  case tooManyFixes(count: Int, limit: Int)
  case emptyBatch
  case payloadTooLarge(bytes: Int, limit: Int)
  /// A zstd frame needs a larger window than any payload within the limits.
  case windowTooLarge(bytes: Int, limit: Int)
  case sizeMismatch(declared: Int, actual: Int)
  case columnLength(column: String, entries: Int, expected: Int)
  case valueOutOfRange(column: String, value: Int64)
  case outOfBounds(field: String, String, String)
  case rowValue(field: String, value: Double)
  case packedEnds(column: String)
  /// A packed payload continues after its last column.
  case packedExcess(bits: Int)
  case compressionFailed(reason: String)
  /// A zstd frame names an unknown dictionary; `known` is 0 if the decoder has none.
  case unknownDictionary(id: UInt32, known: UInt32)
  case decompressionFailed(reason: String)
}

extension WireError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badPreface:
      "the peer does not speak this protocol: its first eight bytes are not 'FLOTLA/1'"
    case .brokenHTTP2(let reason): "the peer breaks HTTP/2: \(reason)"
    case .frameTooLarge(let bytes, let limit):
      "a frame of \(bytes) bytes is longer than the limit of \(limit); split it into DATA frames"
    case .unknownFrameType(let type): "a frame has the unknown type \(type)"
    case .malformedFrame(let type, let reason): "a \(type) frame is malformed: \(reason)"
    case .compressedMessage(let flag):
      "a message has the compression flag \(flag); send 0 and compress the payload instead"
    case .messageTooLarge(let bytes, let limit):
      "a message of \(bytes) bytes is longer than the limit of \(limit)"
    case .damagedMessage:
      "the upload was corrupted in transit: its checksum does not match; send it again"
    case .malformedMessage(let name): "the bytes are not a \(name)"
    case .unknownEncoding(let number):
      "the payload encoding \(number) is unknown; use 0 (identity), 1 (zstd), 2 (packed), "
        + "3 (rows), 4 (rows in gzip) or 5 (rows in zstd)"
    case .unknownWord(let field, let word, let known):
      "\(field) is '\(word)'; "
        + known.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        + " or '\(known.last ?? "")'"
    case .tooManyFixes(let count, let limit):
      "a batch of \(count) fixes is longer than the limit of \(limit); split it"
    case .emptyBatch: "a batch holds no fix"
    case .payloadTooLarge(let bytes, let limit):
      "a payload of \(bytes) bytes, uncompressed, is longer than the limit of \(limit)"
    case .windowTooLarge(let bytes, let limit):
      "a zstd frame needs a window of \(bytes) bytes, the limit is \(limit)"
    case .sizeMismatch(let declared, let actual):
      "the envelope declares \(declared) bytes, the payload has \(actual)"
    case .columnLength(let column, let entries, let expected):
      "column '\(column)' has \(entries) entries, the envelope declares \(expected) fixes"
    case .valueOutOfRange(let column, let value):
      "column '\(column)' holds \(value), which does not fit its type"
    case .outOfBounds(let field, let value, let bounds): "\(field) is \(value); \(bounds)"
    case .rowValue(let field, let value):
      "a row's '\(field)' is \(value), which is out of range"
    case .packedEnds(let column): "the packed payload ends within its column '\(column)'"
    case .packedExcess(let bits):
      "the packed payload has \(bits) bits after its last column that are not padding"
    case .unknownDictionary(let id, let known):
      "the payload needs the dictionary \(id); "
        + (known == 0
          ? "none is loaded, give it with --dictionary" : "\(known) is loaded")
    case .compressionFailed(let reason): "zstd could not compress: \(reason)"
    case .decompressionFailed(let reason): "zstd could not decompress: \(reason)"
    }
  }

  /// The status of a call that failed because of this error (PROTOCOL.md, section 6).
  package var status: StatusCode {
    switch self {
    case .badPreface, .brokenHTTP2, .unknownFrameType, .malformedFrame: .internal
    case .frameTooLarge, .messageTooLarge, .payloadTooLarge, .tooManyFixes, .windowTooLarge:
      .resourceExhausted
    case .compressedMessage, .unknownEncoding: .unimplemented
    case .damagedMessage: .dataLoss
    case .malformedMessage, .decompressionFailed, .compressionFailed, .unknownDictionary,
      .packedEnds, .packedExcess:
      .internal
    case .unknownWord, .emptyBatch, .sizeMismatch, .columnLength, .valueOutOfRange, .outOfBounds,
      .rowValue:
      .invalidArgument
    }
  }
}
