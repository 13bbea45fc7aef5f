import Core
import TestSupport
import Testing

@testable import Wire

@Suite("Packed columns", .quick)
struct PackedTests {
  /// The example of PROTOCOL.md, section 9.
  static let example: [Fix] = [
    fix(177_243_300_000, 52_520_000, 13_405_000, 10, 14, 358),
    fix(177_243_300_100, 52_520_012, 13_404_993, 10, 15, 2),
    fix(177_243_300_200, 52_520_025, 13_404_985, 10, -1, -1),
  ]
  static let exampleBytes: [UInt8] = [
    0xa1, 0xab, 0xdf, 0xc4, 0x00, 0x91, 0x85, 0x0c, 0xd2, 0x22, 0x33, 0x40,
    0x70, 0x0e, 0xa4, 0x5c, 0x22, 0xc2, 0x11, 0x17, 0x71, 0x66, 0x9b, 0x00,
  ]

  static func fix(
    _ time: Int64, _ latitude: Int32, _ longitude: Int32, _ accuracy: UInt16 = 10,
    _ speed: Int16 = -1, _ course: Int16 = -1
  ) -> Fix {
    Fix(
      coordinate: Coordinate(latitudeE6: latitude, longitudeE6: longitude),
      time: FixTime(centiseconds: time), accuracyMeters: accuracy,
      speedDecimetersPerSecond: speed, courseDegrees: course)
  }

  static func pack(_ fixes: [Fix]) -> [UInt8] {
    var buffer = ByteBuffer()
    let batch = PackedBatch(capacity: fixes.count)
    fixes.withUnsafeBufferPointer { batch.encode($0, into: &buffer) }
    return buffer.copyBytes()
  }

  /// The collector's decoding of a payload.
  static func unpack(
    _ payload: [UInt8], count: Int, declared: Int = 0, _ decoder: BatchDecoder = BatchDecoder()
  ) throws -> [Fix] {
    try payload.withUnsafeBytes { bytes in
      let envelope = UploadEnvelope(
        id: BatchCodecTests.id, fixCount: count, encoding: .packed, uncompressedSize: declared,
        payload: bytes)
      return Array(try decoder.fixes(of: envelope))
    }
  }

  @Test("the document's example is written and read exactly")
  func example() throws {
    #expect(Self.pack(Self.example) == Self.exampleBytes)
    #expect(try Self.unpack(Self.exampleBytes, count: 3) == Self.example)
  }

  @Test("reading and writing again gives the same bytes")
  func canonical() throws {
    for seed in 0..<20 as Range<UInt64> {
      for count in [1, 2, 20, 64, 65, 66, 130, 700] {
        let fixes = BatchCodecTests.walk(count, seed: seed)
        let bytes = Self.pack(fixes)
        #expect(Self.pack(try Self.unpack(bytes, count: count)) == bytes)
      }
    }
  }

  @Test("gaps, odd values, the circle's seam and every kind of time read back")
  func kinds() throws {
    var draw = Draw(seed: 7, phone: 4, Purpose(rawValue: 9_000))
    let speeds: [Int16] = [-1, 0, 14, .max, -2, .min]
    let courses: [Int16] = [-1, 0, 359, 180, 360, .max, .min]
    let steps: [Int64] = [0, 1, 100, 200, 36_000, -100, 1 << 40, .max, .min]
    for trial in 0..<600 {
      let count = 1 + Int(draw.uniform() * 70)
      // Few of the kinds in one batch, so that each combination occurs.
      func choice<Value>(_ values: [Value]) -> [Value] {
        (0...Int(draw.uniform() * 2)).map { _ in values[Int(draw.uniform() * Double(values.count))]
        }
      }
      let (speed, course, step) = (choice(speeds), choice(courses), choice(steps))
      var time: Int64 = trial.isMultiple(of: 2) ? 177_245_460_000 : Int64(bitPattern: draw.next())
      let fixes = (0..<count).map { index in
        time &+= step[Int(draw.uniform() * Double(step.count))]
        return Self.fix(
          time, 90_000_000 - Int32(index), -180_000_000 + Int32(index),
          UInt16(truncatingIfNeeded: index), speed[index % speed.count],
          course[Int(draw.uniform() * Double(course.count))])
      }
      #expect(try Self.unpack(Self.pack(fixes), count: count) == fixes)
    }
  }

  @Test("a batch without movement costs its first fix and almost nothing for the others")
  func dwell() {
    let one = Self.pack([Self.example[0]]).count
    let still = (0..<20).map { Self.fix(177_243_300_000 + $0 * 100, 52_520_000, 13_405_000) }
    #expect(Self.pack(still).count <= one + 3)
    let day = (0..<4_000).map { Self.fix(177_243_300_000 + $0 * 1_000, 52_520_000, 13_405_000) }
    #expect(Self.pack(day).count < 4_000 / 10 * 3)
  }

  // MARK: Limits

  @Test("a truncated or extended stream is refused")
  func lengths() throws {
    for fixes in [Self.example, BatchCodecTests.walk(100, seed: 1)] {
      let bytes = Self.pack(fixes)
      for length in 0..<bytes.count {
        #expect(throws: WireError.self) {
          try Self.unpack(Array(bytes[..<length]), count: fixes.count)
        }
      }
      #expect(throws: WireError.self) { try Self.unpack(bytes + [0], count: fixes.count) }
      #expect(throws: WireError.self) { try Self.unpack(bytes + [1], count: fixes.count) }
      #expect(throws: WireError.self) { try Self.unpack(bytes, count: 4_096) }
    }
    var filled = Self.exampleBytes
    filled[23] |= 0x80
    #expect(throws: WireError.packedExcess(bits: 4)) { try Self.unpack(filled, count: 3) }
  }

  @Test("a packed payload declares no uncompressed size, and is no longer than any payload")
  func declared() throws {
    #expect(throws: WireError.sizeMismatch(declared: 24, actual: 0)) {
      try Self.unpack(Self.exampleBytes, count: 3, declared: 24)
    }
    let long = [UInt8](repeating: 0, count: 196_609)
    #expect(throws: WireError.payloadTooLarge(bytes: 196_609, limit: 196_608)) {
      try Self.unpack(long, count: 1)
    }
  }

  @Test("values that do not fit their types are refused")
  func ranges() throws {
    // A latitude whose residual is written out with 40 bits.
    var bytes = [UInt8](repeating: 0, count: 64)
    let length = bytes.withUnsafeMutableBytes { place in
      guard let start = place.baseAddress else { return 0 }
      var bits = BitWriter(start)
      bits.put(0, 2)
      bits.put(0, 38)
      bits.put(0, 57)
      bits.put(0, 7)  // The times: exact, no slope.
      bits.put(1, 6)  // The latitudes: first differences, k = 0.
      bits.put(0xfff, 12)
      bits.put(39, 6)
      bits.put(1 << 39, 40)
      bits.put(0, 2)
      bits.put(0, 7)
      bits.put(0, 4)
      return bits.finish()
    }
    #expect(throws: WireError.valueOutOfRange(column: "latitude", value: 1 << 38)) {
      try Self.unpack(Array(bytes[..<length]), count: 2)
    }
  }

  @Test("any bits are fixes or an error, of any count, and never a crash")
  func junk() {
    var draw = Draw(seed: 2, phone: 3, Purpose(rawValue: 9_000))
    let counts = [1, 2, 20, 64, 65, 4_096]
    let decoder = BatchDecoder()
    for trial in 0..<1_200 {
      var bytes = (0..<Int(draw.uniform() * 300)).map { _ in
        UInt8(truncatingIfNeeded: draw.next())
      }
      // Ones escape repeatedly, zeros are short: both read far.
      if trial % 3 == 1 { bytes = bytes.map { $0 | UInt8(truncatingIfNeeded: draw.next()) } }
      if trial % 3 == 2 { bytes = bytes.map { $0 & UInt8(truncatingIfNeeded: draw.next()) } }
      _ = try? Self.unpack(bytes, count: counts[trial % counts.count], decoder)
    }
  }
}
