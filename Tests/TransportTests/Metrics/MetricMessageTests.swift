import Core
import TestSupport
import Testing

@testable import Transport

/// `LiveTests` reads the same messages with Prometheus and with OpenTelemetry's own library.
@Suite("Metrics as messages", .quick)
struct MetricMessageTests {
  /// Decodes a block of snappy that has only literals.
  private static func plain(_ block: [UInt8]) -> [UInt8]? {
    var (length, shift, place) = (0, 0, 0)
    while place < block.count {
      length |= Int(block[place] & 0x7F) << shift
      shift += 7
      place += 1
      if block[place - 1] < 0x80 { break }
    }
    var bytes: [UInt8] = []
    while place < block.count {
      let code = block[place] >> 2
      guard block[place] & 3 == 0 else { return nil }
      let more = code < 60 ? 0 : Int(code) - 59
      var count = code < 60 ? Int(code) : 0
      for number in 0..<more { count |= Int(block[place + 1 + number]) << (8 * number) }
      place += 1 + more
      bytes += block[place..<(place + count + 1)]
      place += count + 1
    }
    return bytes.count == length ? bytes : nil
  }

  @Test(
    "a block of snappy contains its bytes, also at the limits of its pieces",
    arguments: [0, 1, 59, 60, 61, 65_535, 65_536, 65_537, 200_000])
  func snappy(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(Self.plain(MetricPage.snappy(bytes)) == bytes)
  }

  @Test("labels of a series are sorted by name, and empty ones are left out")
  func labels() throws {
    var page = MetricPage()
    page.add(Metric("z_total", .counter, "Z.", labels: ["zone", "empty"]), [(["a", ""], 2)])
    let message = try #require(
      Self.plain(
        page.remoteWrite(
          labels: [("job", "j")], at: UnixInstant(microseconds: 5_000))))
    func label(_ name: String, _ value: String) -> [UInt8] {
      let text =
        [0x0A, UInt8(name.utf8.count)] + Array(name.utf8) + [0x12, UInt8(value.utf8.count)]
        + Array(value.utf8)
      return [0x0A, UInt8(text.count)] + text
    }
    let sample: [UInt8] = [0x12, 11, 0x09, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 5]
    let series = label("__name__", "z_total") + label("job", "j") + label("zone", "a") + sample
    #expect(message == [0x0A, UInt8(series.count)] + series)
  }

  @Test("a histogram adds up, whatever its bounds")
  func buckets() {
    var histogram = Histogram()
    for value in [900, 1_000, 3_000_000] as [Int64] { histogram.record(value) }
    var counts = BucketCounts(histogram, bounds: BucketCounts.ofClient)
    counts.add(histogram)
    #expect(counts.count == 6)
    #expect(counts.cumulative.first == 4)
    #expect(counts.cumulative.last == 6)
    #expect(counts.bounds == counts.bounds.sorted())
  }
}
