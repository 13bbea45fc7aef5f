internal import CZstd

/// A zstd dictionary (RFC 8878, section 5) shared by sender and receiver of column payloads, since
/// batches are too short for zstd to learn from. Frames name the dictionary by number.
package final class PayloadDictionary: Sendable {
  package let bytes: [UInt8]
  /// The number by which frames name the dictionary; never 0.
  package let id: UInt32

  /// The maximum size of a dictionary in bytes, far more than zstd's default of 110 KiB.
  package static let bytesMax = 1 << 20

  /// - Throws: `tooLarge`, or `notADictionary` for anything but a numbered zstd dictionary.
  package init(_ bytes: [UInt8]) throws(DictionaryError) {
    guard bytes.count <= Self.bytesMax else {
      throw .tooLarge(bytes: bytes.count, limit: Self.bytesMax)
    }
    let id = bytes.withUnsafeBytes { ZDICT_getDictID($0.baseAddress, $0.count) }
    guard id != 0 else { throw .notADictionary }
    // A damaged dictionary is found here and not at the first batch.
    let digested = bytes.withUnsafeBytes { ZSTD_createDDict($0.baseAddress, $0.count) }
    guard let digested else { throw .notADictionary }
    ZSTD_freeDDict(digested)
    self.bytes = bytes
    self.id = id
  }

  /// Trains a dictionary with COVER (Liao, Petri, Moffat, Wirth, WWW 2016) on concatenated plain
  /// payloads of `sizes` bytes each. A quarter of the payloads serves to choose COVER's parameters.
  package static func train(
    _ samples: [UInt8], sizes: [Int], byteCount: Int, level: Int32
  ) throws(DictionaryError) -> PayloadDictionary {
    precondition(sizes.reduce(0, +) == samples.count, "the sizes do not add up to the samples")
    // With fewer samples, zstd fails with a meaningless message.
    guard sizes.count >= 100 else { throw .tooFewSamples(sizes.count) }
    var parameters = ZDICT_fastCover_params_t()
    parameters.d = 8
    parameters.steps = 8
    parameters.nbThreads = 1
    parameters.splitPoint = 0.75
    parameters.zParams.compressionLevel = level
    var size = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      size = ZDICT_optimizeTrainFromBuffer_fastCover(
        buffer.baseAddress, byteCount, samples, sizes, UInt32(sizes.count), &parameters)
      count = ZDICT_isError(size) == 0 ? size : 0
    }
    guard !bytes.isEmpty else {
      throw .trainingFailed(reason: String(cString: ZDICT_getErrorName(size)))
    }
    return try PayloadDictionary(bytes)
  }
}

extension PayloadDictionary: Equatable {
  package static func == (one: PayloadDictionary, other: PayloadDictionary) -> Bool {
    one.bytes == other.bytes
  }
}

package enum DictionaryError: Error, Equatable, Sendable, CustomStringConvertible {
  case notADictionary
  case tooLarge(bytes: Int, limit: Int)
  case tooFewSamples(Int)
  case trainingFailed(reason: String)

  /// A sentence, or the end of one, without a period.
  package var description: String {
    switch self {
    case .notADictionary:
      "is not a zstd dictionary with an ID; 'flotilla-lab dictionary train' writes one"
    case .tooLarge(let bytes, let limit):
      "has \(bytes) bytes; the maximum is \(limit)"
    case .tooFewSamples(let count):
      "\(count) batches are too few; 100 are needed: simulate more phones or a longer time"
    case .trainingFailed(let reason): "zstd could not train a dictionary: \(reason)"
    }
  }
}
