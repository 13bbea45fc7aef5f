import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// Captures must be readable without this project: with `protoc` and `zstd`.
@Suite("Capture with the public tools", .quick)
struct ToolTests {
  static func run(_ tool: String, _ arguments: [String], input: Data) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    try process.run()
    stdin.fileHandleForWriting.write(input)
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(tool) \(arguments)")
    return output
  }

  static func decode(_ message: String, _ bytes: Data) throws -> String? {
    guard let protoc = Oracle.protoc.path else { return nil }
    let text = try run(
      protoc,
      [
        "--decode=flotilla.v1.\(message)", "-I", Machine.root.appendingPathComponent("proto").path,
        "flotilla/v1/collector.proto",
      ], input: bytes)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(
    "a captured batch decodes to the batch sent",
    .needs(.protoc), .needs(.zstd))
  func capturedBatch() throws {
    let fixes = BatchCodecTests.walk(200, seed: 8)
    var capture = ByteBuffer()
    for sequence in 1...3 as ClosedRange<UInt32> {
      let id = BatchID(phone: PhoneID(rawValue: 9), epoch: 1, sequence: sequence)
      let message = try BatchEncoder(.columns(level: 1)).encode(id, fixes)
      FrameEncoder.prefix(length: message.count, into: &capture)
      capture.append(message)
    }
    // Cut out the second message, as a reader of the file would.
    let file = capture.copyBytes()
    let (first, second) = file.withUnsafeBytes { bytes in
      let first = 5 + Int(bytes.loadBigEndian(UInt32.self, at: 1))
      return (first, first + 5 + Int(bytes.loadBigEndian(UInt32.self, at: first + 1)))
    }
    let message = Data(file[first + 5..<second])
    let envelope = try #require(try Self.decode("UploadRequest", message))
    #expect(envelope.contains("phone: 9"))
    #expect(envelope.contains("sequence: 2"))
    #expect(envelope.contains("fix_count: 200"))
    #expect(envelope.contains("encoding: ENCODING_ZSTD"))
    // The decoder owns the payload and must outlive the copy.
    let decoder = BatchDecoder()
    let payload = try [UInt8](message).withUnsafeBytes { bytes in
      try withExtendedLifetime(decoder) { Data(try decoder.envelope(bytes).payload) }
    }
    let zstd = try #require(Oracle.zstd.path)
    let plain = try Self.run(zstd, ["-d", "-c", "-q"], input: payload)
    let columns = try #require(try Self.decode("BatchPayload", plain))
    #expect(Self.second(columns, "time_cs") == fixes.map(\.time.centiseconds))
    #expect(
      Self.second(columns, "latitude_e6") == fixes.map { Int64($0.coordinate.latitudeE6) })
    #expect(
      Self.first(columns, "accuracy_meters") == fixes.map { Int64($0.accuracyMeters) })
  }

  @Test(
    "the check of an upload equals the one that Python computes from the document",
    .needs(.python))
  func checkOfPython() throws {
    let id = BatchID(phone: PhoneID(rawValue: 9), epoch: 2, sequence: 70_000)
    let encoder = BatchEncoder()
    let message = try encoder.encode(id, BatchCodecTests.walk(3, seed: 8), settingsVersion: 5)
    let decoder = BatchDecoder()
    let (payload, size) = try message.withUnsafeBytes { bytes in
      let envelope = try decoder.envelope(bytes)
      return withExtendedLifetime(decoder) { (Data(envelope.payload), envelope.uncompressedSize) }
    }
    let script = """
      import struct, sys, zlib
      words = struct.pack(">7I", 9, 2, 70000, 3, 2, \(size), 5)
      sys.stdout.write(str(zlib.crc32(words + sys.stdin.buffer.read())))
      """
    let python = try #require(Oracle.python.path)
    let answer = try Self.run(python, ["-c", script], input: payload)
    #expect(String(decoding: answer, as: UTF8.self) == "\(encoder.check)")
  }

  static func column(_ text: String, _ name: String) -> [Int64] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      return parts.count == 2 && parts[0] == "\(name):" ? Int64(parts[1]) : nil
    }
  }

  /// Undoes second differences as collector.proto describes them.
  static func second(_ text: String, _ name: String) -> [Int64] {
    var (value, step): (Int64, Int64) = (0, 0)
    return column(text, name).enumerated().map { index, entry in
      if index == 0 {
        value = entry
      } else {
        step += entry
        value += step
      }
      return value
    }
  }

  static func first(_ text: String, _ name: String) -> [Int64] {
    var value: Int64 = 0
    return column(text, name).map { entry in
      value += entry
      return value
    }
  }
}
