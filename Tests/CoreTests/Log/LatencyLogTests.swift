import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Latency log", .quick)
struct LatencyLogTests {
  /// A run's latencies, in three intervals.
  static func intervals() -> [LatencyHistograms] {
    (0..<3).map { n in
      var latency = LatencyHistograms()
      for i in 1...2_000 {
        let service = Int64(300 + i * (n + 1)) * (i % 100 == 0 ? 40 : 1)
        latency.record(
          BatchTiming(
            generatorLag: Int64(i % 70), connect: 100 + Int64(n), hold: 0, service: service))
        latency.attempt.record(service)
      }
      latency.recordFailure(
        BatchTiming(generatorLag: 5, connect: 0, hold: 0, service: 10), deadline: 10_000_000)
      return latency
    }
  }

  static func log(_ intervals: [LatencyHistograms]) -> LatencyLog {
    var log = LatencyLog(startSeconds: 1_795_234_644.171, startText: "2026-11-21T04:17:17Z")
    for (i, one) in intervals.enumerated() { log.append(from: Double(i), length: 1, one) }
    return log
  }

  @Test("all intervals together have the percentiles of the whole, failures included")
  func sums() throws {
    let intervals = Self.intervals()
    var whole = LatencyHistograms()
    for one in intervals { whole.merge(one) }
    let read = try LatencyLog.sums(of: Self.log(intervals).text)
    for tag in LatencyTag.allCases {
      #expect(read[tag].total == whole[tag].total)
      for q in [0.5, 0.9, 0.99, 0.999] {
        #expect(read[tag].percentile(q) == whole[tag].percentile(q), "\(tag.rawValue) at \(q)")
      }
    }
  }

  @Test("the merged log of several processes has the intervals of all in order")
  func merged() throws {
    let intervals = Self.intervals()
    let texts = [[0, 1], [1, 2], [2]].map { Self.log($0.map { intervals[$0] }).text }
    let merged = try #require(LatencyLog.merged(texts))
    let lines = merged.split(separator: "\n")
    #expect(lines.prefix(5).map(String.init) == Self.log([]).lines)
    let starts = lines.dropFirst(5).map { $0.split(separator: ",")[1] }
    #expect(starts == starts.sorted() && starts.count == 5 * LatencyTag.allCases.count)
    var whole = LatencyHistograms()
    for number in [0, 1, 1, 2, 2] { whole.merge(intervals[number]) }
    let read = try LatencyLog.sums(of: merged)
    for tag in LatencyTag.allCases {
      #expect(read[tag].total == whole[tag].total)
      #expect(read[tag].percentile(0.99) == whole[tag].percentile(0.99))
    }
    #expect(LatencyLog.merged([texts[0]]) == texts[0])
    #expect(LatencyLog.merged([]) == nil)
  }

  @Test("the file begins as HdrHistogram's format 1.3 requires")
  func shape() {
    let lines = Self.log(Self.intervals()).lines
    #expect(lines[0] == "#[Histogram log format version 1.3]")
    #expect(lines[2].hasPrefix("#[StartTime: 1795234644.171 (seconds since epoch), 2026-"))
    #expect(lines[4].hasPrefix("\"StartTimestamp\",\"Interval_Length\""))
    #expect(lines[5].hasPrefix("Tag=response,0,1,10000,HISTFAAA"))
    #expect(lines.count == 5 + 3 * LatencyTag.allCases.count)
  }

  @Test("a histogram reads back with any values and counts")
  func codec() throws {
    var histogram = Histogram()
    for value in [0, 1, 2_047, 2_048, 4_095, 10_000, 1_000_000, Histogram.highest] {
      histogram.record(value)
    }
    for _ in 0..<70_000 { histogram.record(500) }
    let read = try HistogramCodec.histogram(base64: HistogramCodec.base64(histogram))
    #expect(read.sparse.slots == histogram.sparse.slots)
    let empty = HistogramCodec.base64(Histogram())
    #expect(try HistogramCodec.histogram(base64: empty).isEmpty)
  }

  @Test("Adler-32 and stored blocks follow the RFCs, at a block's edge too")
  func zlib() throws {
    #expect(Zlib.adler32(Array("Wikipedia".utf8)[...]) == 0x11E6_0398)
    for count in [0, 1, 65_535, 65_536, 200_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(try Zlib.contents(ofStored: Zlib.stored(bytes)[...]) == bytes)
    }
  }

  @Test("a damaged line is named by its number in the file, empty lines included")
  func lineNumbers() throws {
    var lines = Self.log(Self.intervals()).lines
    lines.insert(contentsOf: ["", ""], at: 5)
    #expect(try LatencyLog.intervals(of: lines.joined(separator: "\n")).count == lines.count - 7)
    func line(of damage: String, lineEnd: String) -> Int? {
      let text = (lines + [damage, ""]).joined(separator: lineEnd)
      do throws(LineError) {
        _ = try LatencyLog.sums(of: text)
        return nil
      } catch { return error.line }
    }
    for damage in ["Tag=response,0,1,10000", "Tag=response,0,x,1,HIST", "Tag=response,0,1,1,***"] {
      for lineEnd in ["\n", "\r\n"] {
        #expect(line(of: damage, lineEnd: lineEnd) == lines.count + 1, "\(damage)")
      }
    }
  }

  @Test("damage is named, and never crashes")
  func damage() {
    var histogram = Histogram()
    for value in 1...40 { histogram.record(Int64(value * value * 100)) }
    let good = HistogramCodec.base64(histogram)
    #expect(throws: HistogramCodecError.notBase64) {
      try HistogramCodec.histogram(base64: "***")
    }
    #expect(throws: HistogramCodecError.truncated) {
      try HistogramCodec.histogram(base64: good.prefix(80))
    }
    var bytes = [UInt8](Data(base64Encoded: good) ?? Data())
    for i in bytes.indices {
      let kept = bytes[i]
      bytes[i] ^= 0x55
      // Every byte is covered by a checksum or checked directly.
      let text = Data(bytes).base64EncodedString()
      let isRead = (try? HistogramCodec.histogram(base64: text)) != nil
      #expect(!isRead, "byte \(i)")
      bytes[i] = kept
    }
    // As zlib would write it: with a Huffman code.
    let deflated: [UInt8] = [
      0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 9, 0x78, 0x9c, 0x03, 0, 0, 0, 0, 0, 1,
    ]
    #expect(throws: HistogramCodecError.compressed) {
      try HistogramCodec.histogram(base64: Data(deflated).base64EncodedString())
    }
  }

  @Test(
    "PyPI's hdrhistogram reads the log and finds the record's percentiles",
    .needs(.pythonPackages))
  func othersReadIt() throws {
    let intervals = Self.intervals()
    var whole = LatencyHistograms()
    for one in intervals { whole.merge(one) }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).hlog")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.log(intervals).text.utf8).write(to: file)
    let script = """
      import sys
      from hdrh.histogram import HdrHistogram
      from hdrh.log import HistogramLogReader
      sums = {}
      reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3600000000, 3))
      while True:
          one = reader.get_next_interval_histogram()
          if not one: break
          tag = one.get_tag()
          sums.setdefault(tag, HdrHistogram(1, 3600000000, 3)).add(one)
      for tag in sorted(sums):
          h = sums[tag]
          levels = [h.get_value_at_percentile(p) for p in (50, 90, 99, 99.9)]
          words = [tag, h.get_total_count(), *levels]
          sys.stdout.write(' '.join(map(str, words)) + '\\n')
      """
    let lines = try Python.lines(of: script, reading: file)
    let expected = LatencyTag.allCases.sorted { $0.rawValue < $1.rawValue }.map { tag in
      let levels = [0.5, 0.9, 0.99, 0.999].map { level in
        whole[tag].percentile(level).microseconds ?? -1
      }
      return "\(tag.rawValue) \(whole[tag].total) " + levels.map { "\($0)" }.joined(separator: " ")
    }
    #expect(lines.map(String.init) == expected)
  }
}

/// A Python that has PyPI's `hdrhistogram`.
enum Python {
  /// Output of a script that reads a file.
  static func lines(of script: String, reading file: URL) throws -> [Substring] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Oracle.pythonPackages.path))
    process.arguments = ["-c", script, file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n")
  }
}
