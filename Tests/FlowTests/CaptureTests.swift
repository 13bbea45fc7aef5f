import Foundation
import LiveSupport
import TestSupport
import Testing

/// What `run.capture` keeps is read with `protoc` and `zstd` alone, packed payloads with what was
/// written from the document, and compared with what the collector stored.
@Suite("A captured run, read with public tools", .timeLimit(.minutes(2)))
struct CaptureTests {
  @Test(
    "every stored batch is in the capture, and decodes to fixes in the city and the run",
    .needs(.protoc), .needs(.zstd), .needs(.sqlite), .needs(.python))
  func captured() async throws {
    let run = try await LedgerTests.run.value
    let sent = try Envelope.all(in: [UInt8](Data(contentsOf: run.folder["capture"])))
    let stored = try await StoredBatch.all(in: run.files.store)
    #expect(stored.count == (try run.files.record.count("ledger.batches.distinct")))
    for batch in stored {
      let envelope = try #require(sent.first { $0.key == batch.key }, "\(batch.key)")
      #expect(envelope.payload == batch.payload, "\(batch.key)")
      #expect(envelope.fixCount == batch.fixCount, "\(batch.key)")
    }
    // One of each encoding, and the largest, with the tools.
    let largest = try #require(sent.max { $0.fixCount < $1.fixCount })
    let samples = (0...2).compactMap { encoding in sent.first { $0.encoding == encoding } }
    for envelope in samples + [largest] { try await expectPlausible(envelope, run.folder) }
  }

  private func expectPlausible(_ envelope: Envelope, _ folder: TemporaryFolder) async throws {
    let (message, payload) = (folder["message"], folder["payload"])
    try Data(envelope.message).write(to: message)
    let text = try await Self.decode("UploadRequest", message)
    #expect(text.contains("phone: \(envelope.phone)\n"))
    #expect(text.contains("sequence: \(envelope.sequence)\n"))
    #expect(text.contains("fix_count: \(envelope.fixCount)\n"))
    #expect(text.contains("encoding: ENCODING_ZSTD\n") == (envelope.encoding == 1))
    #expect(text.contains("encoding: ENCODING_PACKED\n") == (envelope.encoding == 2))

    try Data(envelope.payload).write(to: payload)
    if envelope.encoding == 1 {
      let plain = try await Program.runTool("zstd", ["-d", "-c", "-q"], input: payload)
      #expect(plain.code == 0, "\(plain.errorOutput)")
      try plain.output.write(to: payload)
    }
    let columns: Columns
    if envelope.encoding == 2 {
      #expect(envelope.uncompressedSize == 0)
      columns = Columns(try await Self.unpack(payload, count: envelope.fixCount))
    } else {
      #expect(try Data(contentsOf: payload).count == envelope.uncompressedSize)
      columns = Columns(try await Self.decode("BatchPayload", payload))
    }
    expectInCity(columns, count: envelope.fixCount)
    expectInRun(columns, count: envelope.fixCount)
  }

  static func decode(_ message: String, _ file: URL) async throws -> String {
    let ended = try await Program.runTool(
      "protoc",
      [
        "--decode=flotilla.v1.\(message)",
        "-I", Program.root.appendingPathComponent("proto").path, "flotilla/v1/collector.proto",
      ], input: file)
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text
  }

  /// A packed payload as `protoc` would print the same columns.
  static func unpack(_ file: URL, count: Int) async throws -> String {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/packed.py")
    let ended = try await Program.runTool("python3", [script.path, "\(count)"], input: file)
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text
  }

  /// The city's radius is 12 km; a cell fix may be some kilometres off.
  private func expectInCity(_ columns: Columns, count: Int) {
    let latitudes = columns.second("latitude_e6").map { Double($0) / 1e6 }
    let longitudes = columns.second("longitude_e6").map { Double($0) / 1e6 }
    #expect(latitudes.count == count)
    #expect(longitudes.count == count)
    for (latitude, longitude) in zip(latitudes, longitudes) {
      let north = (latitude - 52.52) * 111.2
      let east = (longitude - 13.405) * 111.2 * 0.6085  // the cosine of 52.52°
      #expect((north * north + east * east).squareRoot() < 25, "\(latitude), \(longitude)")
    }
    for accuracy in columns.first("accuracy_meters") { #expect((1...10_000).contains(accuracy)) }
    for speed in columns.first("speed_dms") { #expect((-1...700).contains(speed)) }
    for course in columns.first("course_degrees") { #expect((-1...359).contains(course)) }
  }

  /// From the warm start, ten minutes before, to the end, in ascending order.
  private func expectInRun(_ columns: Columns, count: Int) {
    let times = columns.second("time_cs")
    #expect(times.count == count)
    #expect(times == times.sorted())
    let start: Int64 = 1_772_433_000_00  // 2026-03-02T06:30:00Z, 07:30 in the city
    let (earliest, latest) = (start - 10 * 6_000, start + 20 * 6_000)
    for time in times { #expect((earliest...latest).contains(time)) }
  }
}

/// A row of the collector's store.
private struct StoredBatch {
  let key: String
  let fixCount: Int
  let payload: [UInt8]

  static func all(in store: URL) async throws -> [StoredBatch] {
    let rows = try await Program.runTool(
      "sqlite3",
      [
        store.path,
        "SELECT phone || '/' || epoch || '/' || sequence, fix_count, hex(payload) FROM batches",
      ])
    return rows.text.split(separator: "\n").compactMap { row in
      let columns = row.split(separator: "|")
      guard columns.count == 3, let count = Int(columns[1]) else { return nil }
      return StoredBatch(key: String(columns[0]), fixCount: count, payload: bytes(columns[2]))
    }
  }

  private static func bytes(_ hex: Substring) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] * 16 + digits[$0 + 1])
    }
  }
}

/// An UploadRequest, read by hand: varint fields 1 to 6, and the payload as field 7.
private struct Envelope {
  let message: [UInt8]
  private var numbers: [UInt64: Int] = [:]
  private(set) var payload: [UInt8] = []

  var phone: Int { numbers[1] ?? 0 }
  var sequence: Int { numbers[3] ?? 0 }
  var fixCount: Int { numbers[4] ?? 0 }
  var encoding: Int { numbers[5] ?? 0 }
  var uncompressedSize: Int { numbers[6] ?? 0 }
  var key: String { "\(phone)/\(numbers[2] ?? 0)/\(sequence)" }

  /// The file is messages behind gRPC's five-byte prefix, with nothing between them.
  static func all(in file: [UInt8]) throws -> [Envelope] {
    var found: [Envelope] = []
    var rest = file[...]
    while !rest.isEmpty {
      try #require(rest.count >= 5)
      let prefix = rest.prefix(5)
      #expect(prefix.first == 0)
      let length = prefix.dropFirst().reduce(0) { $0 << 8 | Int($1) }
      try #require(rest.count >= 5 + length)
      found.append(try Envelope(Array(rest.dropFirst(5).prefix(length))))
      rest = rest.dropFirst(5 + length)
    }
    #expect(!found.isEmpty)
    return found
  }

  init(_ message: [UInt8]) throws {
    self.message = message
    var rest = message[...]
    func varint() throws -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while true {
        guard let byte = rest.popFirst() else { throw ToolError.noKey("a whole varint") }
        value |= UInt64(byte & 0x7f) << shift
        shift += 7
        if byte < 0x80 { return value }
      }
    }
    while !rest.isEmpty {
      let tag = try varint()
      if tag & 7 == 0 {
        numbers[tag >> 3] = Int(try varint())
      } else if tag == 9 << 3 | 5 {  // The check, four bytes.
        try #require(rest.count >= 4)
        rest = rest.dropFirst(4)
      } else {
        try #require(tag == 7 << 3 | 2)
        let length = Int(try varint())
        payload = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
      }
    }
  }
}

/// The columns that `protoc` printed, with their differences undone as collector.proto says.
private struct Columns {
  private let text: String
  init(_ text: String) { self.text = text }

  private func entries(_ name: String) -> [Int64] {
    text.split(separator: "\n").compactMap { line in
      line.hasPrefix("\(name): ") ? Int64(line.dropFirst(name.count + 2)) : nil
    }
  }

  /// First differences.
  func first(_ name: String) -> [Int64] {
    var sum: Int64 = 0
    return entries(name).map { entry in
      sum += entry
      return sum
    }
  }

  /// Second differences: entry 0 is the value, entry 1 its step, the others the change of the step.
  func second(_ name: String) -> [Int64] {
    let entries = entries(name)
    guard let start = entries.first else { return [] }
    var (value, step): (Int64, Int64) = (start, 0)
    return [start]
      + entries.dropFirst().map { entry in
        step += entry
        value += step
        return value
      }
  }
}
