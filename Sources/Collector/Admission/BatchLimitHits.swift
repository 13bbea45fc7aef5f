internal import Wire

/// Counts the uploads that met a limit of the decoder (`BatchLimits`), by the limit's name.
struct BatchLimitHits {
  private var counts: [String: Int] = [:]

  mutating func count(_ error: WireError) {
    let limit: String
    switch error {
    case .tooManyFixes: limit = "fixesMax"
    case .payloadTooLarge: limit = "uncompressedBytesMax"
    case .windowTooLarge: limit = "windowLogMax"
    case .unknownEncoding: limit = "encodings"
    case .messageTooLarge: limit = "uploadBytesMax"
    case .badPreface, .brokenHTTP2, .frameTooLarge, .unknownFrameType, .malformedFrame,
      .compressedMessage,
      .damagedMessage, .malformedMessage, .emptyBatch, .sizeMismatch, .columnLength,
      .valueOutOfRange, .outOfBounds, .rowValue, .unknownWord, .packedEnds, .packedExcess,
      .compressionFailed, .decompressionFailed, .unknownDictionary:
      return
    }
    counts[limit, default: 0] += 1
  }

  /// Every limit by its name, and how often it was met.
  var hits: [(name: String, count: Int)] {
    ["uploadBytesMax", "fixesMax", "uncompressedBytesMax", "windowLogMax", "encodings"].map {
      ($0, counts[$0] ?? 0)
    }
  }
}
