internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Core
@testable internal import Scenarios

@Suite("Times of recordings", .quick)
struct RecordingMakerTests {
  private static let second = SimInstant(microseconds: 1_543_456_138_000_000)

  @Test(
    "unusual time formats are read",
    arguments: [
      ("2018-11-29T01:48:58Z", 0), ("2018-11-29T01:48:58", 0), ("2018-11-29t01:48:58z", 0),
      (" 2018-11-29 01:48:58 ", 0), ("2018-11-29T03:48:58+02:00", 0),
      ("2018-11-29T03:48:58+0200", 0), ("2018-11-29T03:48:58+02", 0),
      ("2018-11-28T20:18:58-05:30", 0), ("20181129T014858Z", 0), ("2018/11/29 1:48:58 UTC", 0),
      ("2018-11-29T01:48:58.5Z", 500_000), ("2018-11-29T01:48:58,123456789Z", 123_456),
      ("2018-11-29T01:48Z", -58_000_000), ("2018-11-29T24:00:00Z", 79_862_000_000),
      ("2018-11-29T01:48:60Z", 2_000_000),
    ])
  func spellings(text: String, offset: Int64) {
    #expect(GPXTime.instant(Array(text.utf8)) == Self.second + .microseconds(offset))
  }

  @Test(
    "an invalid time is refused",
    arguments: [
      "", "now", "2018-11-29", "2018-13-01T00:00:00Z", "2018-02-30T00:00:00Z",
      "2018-11-29T25:00:00Z", "2018-11-29T01:61:00Z", "2018-11-29T01:48:58+99:00",
      "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "2018-11-29T01:48:58Zjunk",
      "2018-11-29T01:48:58.Z", "1543456138", "1970-01-01T00:00:00+01:00",
    ])
  func noTimes(text: String) {
    #expect(GPXTime.instant(Array(text.utf8)) == nil)
  }

  @Test("points without a time, or with a broken one, are skipped and counted apart")
  func missing() throws {
    let made = try recording(
      track([
        ("2026-03-02T08:00:00Z", 1, 1), (nil, 1, 1.001), ("noon", 1, 1.002),
        ("2026-03-02T08:01:00Z", 1, 1.003), (nil, 1, 1.004),
      ]))
    #expect(made.points.count == 2)
    #expect(
      made.report.hasSuffix("; skipped 2 without a time, 1 with a time that cannot be read."))
  }

  @Test("a file without any time is walked at the stated speed")
  func paced() throws {
    let rows: [(String?, Double, Double)] = [
      (nil, 52.5, 13.4), (nil, 52.501, 13.4), (nil, 52.501, 13.4), (nil, 52.5, 13.4),
    ]
    let made = try recording(Array(track(rows).utf8), speed: 10)
    #expect(made.points.count == 3)
    #expect(abs((made.points[2].time - made.points[0].time).seconds - 22.24) < 0.01)
    #expect(made.report.contains("no times: replayed at 36.0 km/h"))
  }

  @Test("a clock that leaps ahead for a while, or back, costs only the points of the leap")
  func leaps() throws {
    func at(_ minutes: [Int]) throws -> Recording {
      try recording(
        track(
          minutes.map { minute in
            let time = String(
              format: "2026-03-%02dT%02d:%02d:00Z", 1 + minute / 1_440, minute / 60 % 24,
              minute % 60)
            return (time, 1, 1 + Double(minute) * 1e-4)
          }))
    }
    let ahead = try at([1, 2, 3, 900, 901, 4, 5, 6])
    #expect(ahead.points.count == 6)
    #expect(ahead.report.hasSuffix("skipped 2 whose clock went back."))
    #expect(try at([1, 2, 3, 0, 4, 5]).points.count == 5)
    let fortnight = try at([1, 2, 20_000, 20_001, 20_002])
    #expect(fortnight.points.count == 3)
    #expect(fortnight.report.hasSuffix("skipped 2 more than a week away from the rest."))
  }

  @Test("points of one second are a microsecond apart, equal points are merged")
  func ties() throws {
    let time = "2026-03-02T08:00:00Z"
    let made = try recording(track([(time, 1, 1), (time, 1, 1.001), (time, 1, 1.001)]))
    #expect(made.points.count == 2)
    #expect(made.points[1].time - made.points[0].time == .microseconds(1))
    #expect(made.report.hasSuffix("skipped 1 recorded twice."))
  }

  @Test("impossible coordinates are skipped, and a file of nothing else is refused")
  func coordinates() throws {
    let bad = [
      "lat='91' lon='1'", "lat='1' lon='361'", "lat='x' lon='1'", "lon='1'", "lat='nan' lon='1'",
      "lat='0' lon='0'", "lat='89.9' lon='1'", "lat='0x1p3' lon='1'", "lat='' lon=''",
      "lat='1e400' lon='1'",
    ].map { "<trkpt \($0)/>" }.joined()
    let good = "<trkpt lat=' 1,5 ' lon='-179.9'/>"
    let made = try recording(gpx("<trk><trkseg>\(bad)\(good)</trkseg></trk>"))
    #expect(made.points.map { [$0.latitude, $0.longitude] } == [[1.5, -179.9]])
    #expect(made.report.contains("1 of 11 points"))
    #expect(made.report.contains("skipped 10 with an invalid coordinate"))
    #expect(
      fault("<gpx><trk><trkseg>\n \(bad)</trkseg></trk></gpx>")
        == "line 2, column 26: this point has no valid coordinate, nor does any other of 10.")
  }
}
