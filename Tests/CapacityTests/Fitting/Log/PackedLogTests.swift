internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("Compressed logs", .quick)
struct PackedLogTests {
  /// `phone,time` and two rows, compressed with `gzip -9`.
  private static let packed = [UInt8](
    Data(
      base64Encoded:
        "H4sIAAAAAAACAyvIyM9L1SnJzE3lStQxNDc3MjE2sTAwQOKYGXABAAeTIU0lAAAA")
      ?? Data())

  /// Reads bytes that arrive in pieces, as from a pipe.
  private func times(_ bytes: [UInt8], pieces: Int, bytesMax: Int = 1 << 20) throws -> [Int64] {
    var rest = bytes[...]
    let next = try Gunzip.unpacking(bytesMax: bytesMax) { (count) throws(GPXError) in
      defer { rest = rest.dropFirst(min(count, pieces)) }
      return Array(rest.prefix(min(count, pieces)))
    }
    var reader = LogReader()
    reader.begin("log.csv.gz")
    while true {
      let chunk = try next(7)
      if chunk.isEmpty { break }
      try reader.take(chunk)
    }
    try reader.end()
    return try reader.finish().rows.map { $0.time / 1_000_000 }
  }

  @Test("gzip files and plain files read the same in pieces of any size", arguments: [1, 5, 4_096])
  func pieces(_ count: Int) throws {
    #expect(try times(Self.packed, pieces: count) == [1_772_434_800, 1_772_434_860])
    let plain = Array("phone,time\na,1772434800\na,1772434860\n".utf8)
    #expect(try times(plain, pieces: count) == [1_772_434_800, 1_772_434_860])
  }

  @Test("damaged, cut and overlong gzip files are refused")
  func damaged() throws {
    #expect(throws: GPXError.damaged("its gzip data end too early")) {
      try times(Array(Self.packed.dropLast(9)), pieces: 100)
    }
    #expect(throws: GPXError.tooLarge("unpacks to more than 20 bytes")) {
      try times(Self.packed, pieces: 100, bytesMax: 20)
    }
    #expect(throws: LogError.empty("log.csv.gz: is empty; a log has a header and one row per fix."))
    { try times([], pieces: 100) }
  }

  @Test("mutated gzip logs are read or refused")
  func mutants() {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), 1)
    var refused = 0
    for _ in 0..<2_000 {
      var bytes = Self.packed
      for _ in 0..<3 {
        bytes[Int(draw.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: draw.next())
      }
      do { _ = try times(bytes, pieces: 16) } catch { refused += 1 }
    }
    #expect(refused > 1_000)
  }
}
