import Core
import Foundation
import TestSupport
import Testing
import Wire
@testable import flotilla_lab

@Suite("Wire benchmark", .quick)
struct WireBenchTests {
  private static func bytesPerFix(_ batches: WireBatches) throws -> Double {
    var bench = WireBench(batches, .shipped)
    var micros: Int64 = 0
    let figures = bench.round {
      micros += 1
      return WallInstant(microseconds: micros)
    }
    return try #require(figures.first { $0.figure == "bytesPerFix" }?.samples.first)
  }

  @Test(
    "20 fixes stay below their bar, including all frames",
    arguments: [(.driving, 8), (.walking, 7), (.resting, 6), (.dwelling, 3)]
      as [(WireBatches.Kind, Double)])
  func bars(kind: WireBatches.Kind, most: Double) throws {
    #expect(try Self.bytesPerFix(WireBatches(kind, fixesPerBatch: 20)) <= most)
  }

  @Test("longer batches cost less per fix", arguments: WireBatches.Kind.allCases)
  func longer(kind: WireBatches.Kind) throws {
    let sizes = try [1, 5, 20, 100, 500].map { size in
      try Self.bytesPerFix(WireBatches(kind, fixesPerBatch: size))
    }
    #expect(sizes == sizes.sorted(by: >))
  }

  @Test("a file of the peers is read in its units; other files give nil")
  func peersPool() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("pool-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var data = Data()
    for word in [7, 1, 1_795_000_000_760] as [Int64] {
      withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
    }
    for _ in 0..<20 {
      for word in [525_200_004, 134_050_006, 84, 1_204, 9_051, 5_000, 0] as [Int32] {
        withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    try data.write(to: URL(fileURLWithPath: path))
    let batches = try #require(WireBatches(.driving, peersPool: path))
    #expect(batches.count == 1)
    #expect(
      batches.fixes.first
        == Fix(
          coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_001),
          time: FixTime(centiseconds: 179_500_000_576), accuracyMeters: 8,
          speedDecimetersPerSecond: 120, courseDegrees: 91))
    #expect(WireBatches(.walking, peersPool: path) == nil)
    try Data([1]).write(to: URL(fileURLWithPath: path))
    #expect(WireBatches(.driving, peersPool: path) == nil)
  }
}
