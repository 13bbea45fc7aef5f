import CFlotillaProto
import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Rows", .quick)
struct BatchRowsTests {
  private static let walk = BatchCodecTests.walk(60, seed: 12)

  /// The envelope of these fixes as rows, with something changed.
  private func read(
    _ fixes: [Fix] = walk, _ compression: RowCompression = .none, size: Int? = nil,
    count: Int? = nil, encoding: Encoding? = nil, change: ([UInt8]) throws -> [UInt8] = { $0 }
  ) throws -> [Fix] {
    let bytes = try BatchEncoder(.rows(compression)).encode(BatchCodecTests.id, fixes)
    let decoder = BatchDecoder()
    return try bytes.withUnsafeBytes { bytes in
      let good = try decoder.envelope(bytes)
      return try change(Array(good.payload)).withUnsafeBytes { payload in
        Array(
          try decoder.fixes(
            of: UploadEnvelope(
              id: good.id, fixCount: count ?? good.fixCount, encoding: encoding ?? good.encoding,
              uncompressedSize: size ?? good.uncompressedSize, payload: payload)))
      }
    }
  }

  /// One row as another language writes it.
  private func row(_ fill: (inout Flotilla__V1__FixRow) -> Void) throws -> Fix {
    var row = Flotilla__V1__FixRow()
    flotilla__v1__fix_row__init(&row)
    fill(&row)
    let bytes = withUnsafeMutablePointer(to: &row) { row in
      var place: UnsafeMutablePointer<Flotilla__V1__FixRow>? = row
      return withUnsafeMutablePointer(to: &place) { place in
        var batch = Flotilla__V1__BatchRows()
        flotilla__v1__batch_rows__init(&batch)
        (batch.n_fixes, batch.fixes) = (1, place)
        let size = flotilla__v1__batch_rows__get_packed_size(&batch)
        return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
          count = flotilla__v1__batch_rows__pack(&batch, bytes.baseAddress)
        }
      }
    }
    // The decoder owns the fixes and must outlive the copy.
    let decoder = BatchDecoder()
    return try bytes.withUnsafeBytes { payload in
      try withExtendedLifetime(decoder) {
        try decoder.fixes(
          of: UploadEnvelope(
            id: BatchCodecTests.id, fixCount: 1, encoding: .rows, uncompressedSize: payload.count,
            payload: payload))[0]
      }
    }
  }

  @Test("values of a phone's system are rounded to the units of a fix")
  func units() throws {
    let fix = try row {
      $0.time_ms = 1_790_000_000_126
      ($0.latitude, $0.longitude) = (52.520_000_49, -13.404_999_51)
      ($0.accuracy, $0.speed, $0.course) = (4.6, 1.38, 359.2)
    }
    #expect(
      fix
        == Fix(
          coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: -13_405_000),
          time: FixTime(centiseconds: 179_000_000_013), accuracyMeters: 5,
          speedDecimetersPerSecond: 14, courseDegrees: 359))
    let early = try row { $0.time_ms = -6 }
    #expect(early.time == FixTime(centiseconds: -1))
  }

  @Test("a negative speed or course is unknown, as in CLLocation; an omitted one is 0")
  func unknown() throws {
    let unknown = try row { ($0.speed, $0.course) = (-1, -0.01) }
    #expect(unknown.speedDecimetersPerSecond == -1 && unknown.courseDegrees == -1)
    let nothing = try row { _ in }
    #expect(nothing.speedDecimetersPerSecond == 0 && nothing.courseDegrees == 0)
  }

  @Test(
    "a value out of a fix's range is refused by its field",
    arguments: [Double.nan, .infinity, 1e300])
  func ranges(value: Double) throws {
    let fills: [(String, (inout Flotilla__V1__FixRow) -> Void)] = [
      ("latitude", { $0.latitude = value }), ("longitude", { $0.longitude = value }),
      ("accuracy", { $0.accuracy = Float(value) }), ("speed", { $0.speed = Float(value) }),
      ("course", { $0.course = Float(value) }),
    ]
    for (field, fill) in fills {
      let error = try #require(throws: WireError.self) { try row(fill) }
      guard case .rowValue(field, _) = error else {
        Issue.record("\(field): \(error)")
        continue
      }
      #expect(error.status == .invalidArgument && error.description.contains(field))
    }
    #expect(throws: WireError.rowValue(field: "accuracy", value: -1)) {
      try row { $0.accuracy = -1 }
    }
  }

  @Test("a time whose hundredth of a second no row has is refused, and any other can be sent on")
  func times() throws {
    for time in [Int64.min, Int64.min + 2, Int64.max - 2, Int64.max] {
      #expect(throws: WireError.valueOutOfRange(column: "time_ms", value: time)) {
        try row { $0.time_ms = time }
      }
    }
    for time in [Int64.min + 3, Int64.min + 8, Int64.max - 7, Int64.max - 3] {
      let fix = try row { $0.time_ms = time }
      #expect(try read([fix]).map(\.time) == [fix.time])
    }
  }

  @Test("a value that a row cannot hold is refused by its encoder")
  func unsayable() throws {
    var fix = Self.walk[0]
    fix.time = FixTime(centiseconds: .max)
    #expect(throws: WireError.valueOutOfRange(column: "time_ms", value: .max)) { try read([fix]) }
    fix = Self.walk[0]
    fix.courseDegrees = -2
    #expect(throws: WireError.valueOutOfRange(column: "course", value: -2)) { try read([fix]) }
  }

  @Test("the number of rows is the envelope's")
  func counts() throws {
    #expect(throws: WireError.columnLength(column: "fixes", entries: 60, expected: 59)) {
      try read(count: 59)
    }
  }

  @Test("the decoded length is the envelope's", arguments: RowCompression.allCases)
  func sizes(compression: RowCompression) throws {
    #expect(try read(Self.walk, compression) == Self.walk)
    let size = try read(Self.walk, compression).count * 43
    for wrong in [0, size - 600, size + 600] {
      let error = try #require(throws: WireError.self) {
        try read(Self.walk, compression, size: wrong)
      }
      guard case .sizeMismatch(wrong, _) = error else {
        Issue.record("\(wrong): \(error)")
        continue
      }
    }
  }

  @Test("a truncated, extended or invalid stream is refused")
  func damaged() throws {
    for compression in [RowCompression.gzip, .zstd] {
      let changes: [([UInt8]) -> [UInt8]] = [
        { Array($0.dropLast()) }, { Array($0.prefix(5)) }, { $0 + [0] }, { _ in [] },
        { Array($0.reversed()) },
      ]
      for change in changes {
        let error = try #require(throws: WireError.self) {
          try read(Self.walk, compression, change: change)
        }
        #expect(error.status == .internal, "\(error)")
      }
    }
    // One encoding labelled as the other.
    #expect(throws: WireError.self) { try read(Self.walk, .gzip, encoding: .rowsZstd) }
    #expect(throws: WireError.self) { try read(Self.walk, .zstd, encoding: .rowsGzip) }
  }

  @Test("a gzip bomb is decompressed no further than its envelope says")
  func bomb() throws {
    let zeros = [UInt8](repeating: 0, count: 50_000_000)
    var bomb = ByteBuffer()
    let isMade = zeros.withUnsafeBytes { MessageCompressor().compress($0, .gzip, into: &bomb) }
    #expect(isMade && bomb.count < 60_000)
    let bytes = bomb.copyBytes()
    let error = try #require(throws: WireError.self) {
      try read(Self.walk, .gzip, size: 196_608, change: { _ in bytes })
    }
    // One byte more shows that there is more.
    #expect(error == .sizeMismatch(declared: 196_608, actual: 196_609))
  }

  @Test("endless rows cost no more memory than the decoder has")
  func manyRows() throws {
    let empty = [UInt8](repeating: 0, count: 98_304).flatMap { _ in [0x0a, 0x00] as [UInt8] }
    #expect(throws: WireError.malformedMessage("BatchRows")) {
      try read(Self.walk, .none, size: empty.count, change: { _ in empty })
    }
  }

  @Test("one fix is not compressed: its frame would be longer")
  func plainForOneFix() throws {
    for codec in BatchCodecTests.rows {
      let bytes = try BatchEncoder(codec).encode(BatchCodecTests.id, [Self.walk[0]])
      let encoding = try bytes.withUnsafeBytes { try BatchDecoder().envelope($0).encoding }
      #expect(encoding == .rows)
    }
  }

  @Test(
    "the public tools read a batch of rows", .needs(.protoc), .needs(.zstd), .needs(.gzip))
  func tools() throws {
    for (compression, tool) in [(RowCompression.gzip, Oracle.gzip), (.zstd, .zstd)] {
      let message = try BatchEncoder(.rows(compression)).encode(BatchCodecTests.id, Self.walk)
      let decoder = BatchDecoder()
      let payload = try message.withUnsafeBytes { bytes in
        try withExtendedLifetime(decoder) { Data(try decoder.envelope(bytes).payload) }
      }
      let path = try #require(tool.path)
      let plain = try ToolTests.run(path, ["-d", "-c", "-q"], input: payload)
      let text = try #require(try ToolTests.decode("BatchRows", plain))
      let times = text.matches(of: #/time_ms: (\d+)/#).compactMap { Int64($0.1) }
      #expect(times == Self.walk.map { $0.time.centiseconds * 10 })
      let latitudes = text.matches(of: #/latitude: ([\d.]+)/#).compactMap { Double($0.1) }
      #expect(latitudes == Self.walk.map { Double($0.coordinate.latitudeE6) / 1e6 })
      let speeds = text.matches(of: #/speed: ([\d.]+)/#).compactMap { Float($0.1) }
      #expect(speeds == Self.walk.map { Float($0.speedDecimetersPerSecond) / 10 })
    }
  }
}
