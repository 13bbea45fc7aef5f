import Core
import TestSupport
import Testing

@testable import Wire

@Suite("Batch codec", .quick)
struct BatchCodecTests {
  static let id = BatchID(phone: PhoneID(rawValue: 7), epoch: 2, sequence: 41)

  /// A day's walk as a phone reports it: even steps, noise in the last digit.
  static func walk(_ count: Int, seed: UInt64) -> [Fix] {
    var draw = Draw(seed: seed, phone: 1, Purpose(rawValue: 9_000))
    var (latitude, longitude) = (Int32(52_520_000), Int32(13_405_000))
    return (0..<count).map { index in
      latitude += Int32(10 + draw.uniform() * 4)
      longitude -= Int32(6 + draw.uniform() * 4)
      return Fix(
        coordinate: Coordinate(latitudeE6: latitude, longitudeE6: longitude),
        time: FixTime(centiseconds: 177_245_460_000 + Int64(index) * 100),
        accuracyMeters: UInt16(5 + draw.uniform() * 10), speedDecimetersPerSecond: 14,
        courseDegrees: Int16(draw.uniform() * 8))
    }
  }

  static func anything(_ count: Int, seed: UInt64) -> [Fix] {
    var draw = Draw(seed: seed, phone: 2, Purpose(rawValue: 9_000))
    return (0..<count).map { _ in
      Fix(
        coordinate: Coordinate(
          latitudeE6: Int32(truncatingIfNeeded: draw.next()),
          longitudeE6: Int32(truncatingIfNeeded: draw.next())),
        time: FixTime(centiseconds: Int64(bitPattern: draw.next())),
        accuracyMeters: UInt16(truncatingIfNeeded: draw.next()),
        speedDecimetersPerSecond: Int16(truncatingIfNeeded: draw.next()),
        courseDegrees: Int16(truncatingIfNeeded: draw.next()))
    }
  }

  static let extremes = [
    Fix(
      coordinate: Coordinate(latitudeE6: .min, longitudeE6: .max),
      time: FixTime(centiseconds: .max), accuracyMeters: .max, speedDecimetersPerSecond: .min,
      courseDegrees: .max),
    Fix(
      coordinate: Coordinate(latitudeE6: .max, longitudeE6: .min),
      time: FixTime(centiseconds: .min), accuracyMeters: 0, speedDecimetersPerSecond: .max,
      courseDegrees: .min),
  ]

  static let codecs: [BatchCodec] = [
    .packed, .columns(level: 0), .columns(level: 1), .columns(level: 3, literals: true),
  ]
  static let rows: [BatchCodec] = RowCompression.allCases.map { .rows($0) }

  private func roundTrip(_ fixes: [Fix], _ codec: BatchCodec) throws -> [Fix] {
    let bytes = try BatchEncoder(codec).encode(Self.id, fixes)
    let decoder = BatchDecoder()
    return try bytes.withUnsafeBytes { bytes in
      let envelope = try decoder.envelope(bytes)
      #expect(envelope.id == Self.id)
      #expect(envelope.fixCount == fixes.count)
      return Array(try decoder.fixes(of: envelope))
    }
  }

  @Test("the collector decodes what a phone encodes", arguments: codecs)
  func roundTrips(codec: BatchCodec) throws {
    for seed in 0..<40 as Range<UInt64> {
      let count = 1 + Int(seed) * 7
      let walk = Self.walk(count, seed: seed)
      #expect(try roundTrip(walk, codec) == walk)
      let anything = Self.anything(count, seed: seed)
      #expect(try roundTrip(anything, codec) == anything)
    }
    let twice = Self.extremes + Self.extremes
    #expect(try roundTrip(twice, codec) == twice)
  }

  @Test("the collector reads the rows that a phone writes", arguments: rows)
  func rowsRoundTrip(codec: BatchCodec) throws {
    for seed in 0..<40 as Range<UInt64> {
      let count = 1 + Int(seed) * 7
      let walk = Self.walk(count, seed: seed)
      #expect(try roundTrip(walk, codec) == walk)
      let anything = Self.anything(count, seed: seed).map(\.asRow)
      #expect(try roundTrip(anything, codec) == anything)
    }
    let twice = (Self.extremes + Self.extremes).map(\.asRow)
    #expect(try roundTrip(twice, codec) == twice)
  }

  @Test("a batch of the most fixes of the worst kind still fits", arguments: codecs + rows)
  func worstCaseFits(codec: BatchCodec) throws {
    let fixes = Self.anything(BatchLimits().fixesMax, seed: 3).map(\.asRow)
    #expect(try roundTrip(fixes, codec) == fixes)
  }

  @Test("identity is used if compression does not pay")
  func identityForOneFix() throws {
    let bytes = try BatchEncoder(.columns(level: 1)).encode(Self.id, Self.walk(1, seed: 1))
    let encoding = try bytes.withUnsafeBytes { try BatchDecoder().envelope($0).encoding }
    #expect(encoding == .identity)
  }

  @Test("a hundred fixes of a walk cost less than seven bytes each")
  func columnsAreSmall() throws {
    let bytes = try BatchEncoder(.columns(level: 1)).encode(Self.id, Self.walk(100, seed: 5))
    #expect(bytes.count < 700)
  }

  @Test("any single flipped bit of an upload is detected", arguments: codecs + rows)
  func everyFlipIsSeen(codec: BatchCodec) throws {
    let good = try BatchEncoder(codec).encode(Self.id, Self.walk(20, seed: 4), settingsVersion: 3)
    let decoder = BatchDecoder()
    for bit in 0..<good.count * 8 {
      var bytes = good
      bytes[bit / 8] ^= 1 << (bit % 8)
      // Bytes that are no message any more, or one with another check.
      #expect(throws: WireError.self) { try bytes.withUnsafeBytes { _ = try decoder.envelope($0) } }
    }
  }

  @Test("an empty batch and one fix too many are refused")
  func sizesAreChecked() throws {
    #expect(throws: WireError.emptyBatch) { try BatchEncoder().encode(Self.id, []) }
    let tooMany = Self.walk(4_097, seed: 1)
    #expect(throws: WireError.tooManyFixes(count: 4_097, limit: 4_096)) {
      try BatchEncoder().encode(Self.id, tooMany)
    }
  }

  /// The envelope of a valid batch with something changed.
  private func envelope(
    _ fixes: [Fix], count: Int? = nil, encoding: Encoding? = nil, size: Int? = nil,
    payload: [UInt8]? = nil, _ body: (BatchDecoder, UploadEnvelope) throws -> Void
  ) throws {
    let bytes = try BatchEncoder(.columns(level: 1)).encode(Self.id, fixes)
    let decoder = BatchDecoder()
    try bytes.withUnsafeBytes { bytes in
      let good = try decoder.envelope(bytes)
      let payload = payload ?? Array(good.payload)
      try payload.withUnsafeBytes { payload in
        try body(
          decoder,
          UploadEnvelope(
            id: good.id, fixCount: count ?? good.fixCount, encoding: encoding ?? good.encoding,
            uncompressedSize: size ?? good.uncompressedSize, payload: payload))
      }
    }
  }

  @Test("columns longer than the envelope says are refused")
  func columnLengths() throws {
    try envelope(Self.walk(50, seed: 2), count: 49) { decoder, envelope in
      #expect(throws: WireError.columnLength(column: "time_cs", entries: 50, expected: 49)) {
        _ = try decoder.fixes(of: envelope)
      }
    }
  }

  @Test("a zstd frame of another size than the envelope's is refused before decompression")
  func declaredSize() throws {
    try envelope(Self.walk(50, seed: 2), size: 100) { decoder, envelope in
      #expect(throws: WireError.self) { _ = try decoder.fixes(of: envelope) }
    }
  }

  @Test("a flipped bit is an error or other fixes, never a crash", arguments: codecs + rows)
  func junkNeverCrashes(codec: BatchCodec) throws {
    let good = try BatchEncoder(codec).encode(Self.id, Self.walk(60, seed: 2))
    let decoder = BatchDecoder()
    var draw = Draw(seed: 1, phone: 3, Purpose(rawValue: 9_000))
    for _ in 0..<4_000 {
      var bytes = good
      for _ in 0...Int(draw.uniform() * 3) {
        bytes[Int(draw.uniform() * Double(bytes.count))] ^= 1 << UInt8(draw.uniform() * 8)
      }
      bytes.withUnsafeBytes { bytes in
        guard let envelope = try? decoder.envelope(bytes) else { return }
        _ = try? decoder.fixes(of: envelope)
      }
    }
    for _ in 0..<2_000 {
      let junk = (0..<Int(draw.uniform() * 200)).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
      junk.withUnsafeBytes { bytes in
        guard let envelope = try? decoder.envelope(bytes) else { return }
        _ = try? decoder.fixes(of: envelope)
      }
    }
  }
}

extension Fix {
  /// The same fix in the range of a row: negative values are unknown, times are milliseconds.
  var asRow: Fix {
    Fix(
      coordinate: coordinate, time: FixTime(centiseconds: time.centiseconds / 10),
      accuracyMeters: accuracyMeters,
      speedDecimetersPerSecond: speedDecimetersPerSecond < 0 ? -1 : speedDecimetersPerSecond,
      courseDegrees: courseDegrees < 0 ? -1 : courseDegrees)
  }
}
