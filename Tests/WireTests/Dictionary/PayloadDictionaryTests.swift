import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Dictionary for column payloads", .quick)
struct PayloadDictionaryTests {
  static let trained: PayloadDictionary? = {
    var plain = PlainPayloads()
    for seed in 0..<300 as Range<UInt64> {
      try? plain.add(BatchCodecTests.id, BatchCodecTests.walk(20, seed: seed))
    }
    return try? PayloadDictionary.train(
      plain.bytes, sizes: plain.sizes, byteCount: 4_096, level: BatchCodec.dictionaryLevel)
  }()
  let dictionary: PayloadDictionary

  init() throws { dictionary = try #require(Self.trained) }

  static func payload(_ message: [UInt8]) throws -> Data {
    // The decoder owns the payload and must outlive the copy.
    let decoder = BatchDecoder()
    return try message.withUnsafeBytes { bytes in
      try withExtendedLifetime(decoder) { Data(try decoder.envelope(bytes).payload) }
    }
  }

  private static func decode(_ message: [UInt8], _ decoder: BatchDecoder) throws -> [Fix] {
    try message.withUnsafeBytes { bytes in
      try withExtendedLifetime(decoder) { Array(try decoder.fixes(of: decoder.envelope(bytes))) }
    }
  }

  @Test("a batch that zstd alone cannot compress shrinks, and reads back unchanged")
  func roundTrip() throws {
    let decoder = BatchDecoder(dictionary: dictionary)
    let (alone, with, plain) = (
      BatchEncoder(.columns(level: 3, literals: true)), BatchEncoder(.columns(with: dictionary)),
      BatchEncoder(.columns(level: 0))
    )
    for seed in 1_000..<1_050 as Range<UInt64> {
      let fixes = BatchCodecTests.walk(20, seed: seed)
      let message = try with.encode(BatchCodecTests.id, fixes)
      #expect(try Self.decode(message, decoder) == fixes)
      // Other batches are read by the same decoder: a dictionary that is not named is not used.
      #expect(try Self.decode(alone.encode(BatchCodecTests.id, fixes), decoder) == fixes)
      _ = try plain.encode(BatchCodecTests.id, fixes)
    }
    #expect(Double(with.payloadBytes) < 0.9 * Double(plain.payloadBytes))
    #expect(with.payloadBytes < alone.payloadBytes)
  }

  @Test("a decoder without the dictionary says which one is missing")
  func missing() throws {
    let fixes = BatchCodecTests.walk(100, seed: 5)
    let message = try BatchEncoder(.columns(with: dictionary)).encode(BatchCodecTests.id, fixes)
    let id = dictionary.id
    #expect(throws: WireError.unknownDictionary(id: id, known: 0)) {
      try Self.decode(message, BatchDecoder())
    }
    var plain = PlainPayloads()
    for seed in 0..<200 as Range<UInt64> {
      try plain.add(BatchCodecTests.id, BatchCodecTests.walk(30, seed: seed))
    }
    let other = try PayloadDictionary.train(
      plain.bytes, sizes: plain.sizes, byteCount: 2_048, level: 3)
    #expect(throws: WireError.unknownDictionary(id: id, known: other.id)) {
      try Self.decode(message, BatchDecoder(dictionary: other))
    }
    let error = WireError.unknownDictionary(id: 7, known: 0)
    #expect(error.description.contains("the dictionary 7") && error.status == .internal)
  }

  @Test("an invalid, truncated or too long dictionary is refused before use")
  func refused() {
    let bytes = dictionary.bytes
    #expect(throws: DictionaryError.notADictionary) { try PayloadDictionary([]) }
    #expect(throws: DictionaryError.notADictionary) { try PayloadDictionary([1, 2, 3, 4, 5]) }
    #expect(throws: DictionaryError.notADictionary) { try PayloadDictionary(Array(bytes[..<60])) }
    let limit = PayloadDictionary.bytesMax
    #expect(throws: DictionaryError.tooLarge(bytes: limit + 1, limit: limit)) {
      try PayloadDictionary(bytes + Array(repeating: 0, count: limit + 1 - bytes.count))
    }
    #expect(throws: DictionaryError.tooFewSamples(2)) {
      try PayloadDictionary.train([1, 2, 3], sizes: [1, 2], byteCount: 1_024, level: 3)
    }
  }

  @Test(
    "protoc and 'zstd -d -D' read what was sent",
    .needs(.protoc), .needs(.zstd))
  func publicTools() throws {
    let fixes = BatchCodecTests.walk(20, seed: 99)
    let message = try BatchEncoder(.columns(with: dictionary)).encode(BatchCodecTests.id, fixes)
    let envelope = try #require(try ToolTests.decode("UploadRequest", Data(message)))
    #expect(envelope.contains("encoding: ENCODING_ZSTD"))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID()).dict")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(dictionary.bytes).write(to: file)
    let zstd = try #require(Oracle.zstd.path)
    let plain = try ToolTests.run(
      zstd, ["-d", "-c", "-q", "-D", file.path], input: try Self.payload(message))
    let columns = try #require(try ToolTests.decode("BatchPayload", plain))
    #expect(ToolTests.second(columns, "time_cs") == fixes.map(\.time.centiseconds))
    #expect(
      ToolTests.second(columns, "latitude_e6") == fixes.map { Int64($0.coordinate.latitudeE6) })
  }
}
