internal import Wire

/// Counts the uploads that met a limit of the decoder (`BatchLimits`), by the limit's name.
struct BatchLimitHits {
  private(set) var fixesMax: UInt64 = 0
  private(set) var uncompressedBytesMax: UInt64 = 0
  private(set) var windowLogMax: UInt64 = 0
  private(set) var encodings: UInt64 = 0
  private(set) var uploadBytesMax: UInt64 = 0

  mutating func count(_ error: WireError) {
    switch error {
    case .tooManyFixes: fixesMax += 1
    case .payloadTooLarge: uncompressedBytesMax += 1
    case .windowTooLarge: windowLogMax += 1
    case .unknownEncoding: encodings += 1
    case .messageTooLarge: uploadBytesMax += 1
    case .badPreface, .brokenHTTP2, .frameTooLarge, .unknownFrameType, .malformedFrame,
      .compressedMessage,
      .damagedMessage, .malformedMessage, .emptyBatch, .sizeMismatch, .columnLength,
      .valueOutOfRange, .outOfBounds, .rowValue, .unknownWord, .packedEnds, .packedExcess,
      .compressionFailed, .decompressionFailed, .unknownDictionary:
      break
    }
  }

  var hits: [(name: String, count: UInt64)] {
    [
      ("uploadBytesMax", uploadBytesMax), ("fixesMax", fixesMax),
      ("uncompressedBytesMax", uncompressedBytesMax), ("windowLogMax", windowLogMax),
      ("encodings", encodings),
    ]
  }
}
