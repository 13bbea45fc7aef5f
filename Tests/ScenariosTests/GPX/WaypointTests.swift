internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Core
@testable internal import Scenarios

/// Files of waypoints, as Xcode plays them: its template says "one or more waypoints", "optionally
/// a time element for each" and else "a fixed rate of speed".
@Suite("Waypoints and speeds of recordings", .quick)
struct WaypointTests {
  private static func waypoints(_ inside: [String]) -> String {
    let rows = inside.enumerated().map { number, inside in
      "<wpt lat=\"52.5\(number)\" lon=\"13.4\">\(inside)</wpt>"
    }
    return "<gpx version=\"1.1\" creator=\"Xcode\">\n" + rows.joined(separator: "\n") + "\n</gpx>"
  }

  private static func minutes(_ recording: Recording) -> [Double] {
    recording.points.map { ($0.time - recording.points[0].time).seconds / 60 }
  }

  @Test("GX1: waypoints alone are one journey, at a steady speed if they have no times")
  func steady() throws {
    let made = try recording(Array(Self.waypoints(["", "", ""]).utf8), speed: 10)
    // A hundredth of a degree is 1,111.95 m.
    for (minutes, wanted) in zip(Self.minutes(made), [0, 1.853, 3.707]) {
      #expect(abs(minutes - wanted) < 0.001)
    }
    #expect(
      made.report == "test.gpx: 3 of 3 waypoints, 3 min, 2.2 km, no times: replayed at 36.0 km/h.")
  }

  @Test("GX1: waypoints with times are reached at them")
  func timed() throws {
    let made = try recording(
      Self.waypoints(["0", "3", "5"].map { "<time>2014-09-24T14:5\($0):00Z</time>" }))
    #expect(Self.minutes(made) == [0, 3, 5])
    #expect(made.report.hasPrefix("test.gpx: 3 of 3 waypoints, 5 min, 2.2 km, recorded 2014-09-24"))
  }

  @Test("one waypoint is a place at which to stay")
  func place() throws {
    let made = try recording(Self.waypoints([""]))
    #expect(made.points.count == 1 && made.report.contains("1 of 1 waypoint, 0 s"))
  }

  @Test("a file's waypoints are points of interest if it has a track or a route")
  func interest() throws {
    let mark = "<wpt lat='1' lon='1'><time>2020-01-01T00:00:00Z</time><speed>9</speed></wpt>"
    for way in [
      "<trk><trkseg><trkpt lat='2' lon='2'/></trkseg></trk>", "<rte><rtept lat='2' lon='2'/></rte>",
    ] {
      let made = try recording(gpx(mark + way))
      #expect(made.points.map(\.latitude) == [2])
    }
  }

  @Test(
    "without times each leg has the mean speed of its ends, in tracks and routes as well",
    arguments: [
      ("wpt", "", ""), ("rtept", "<rte>", "</rte>"), ("trkpt", "<trk><trkseg>", "</trkseg></trk>"),
    ])
  func speeds(element: String, begin: String, end: String) throws {
    let speeds = ["4", " 6.0 ", "6,0", "14"]
    let rows = speeds.enumerated().map { number, speed in
      "<\(element) lat='52.5\(number)' lon='13.4'><speed>\(speed)</speed></\(element)>"
    }
    let made = try recording(gpx(begin + rows.joined() + end))
    for (minutes, wanted) in zip(Self.minutes(made), [0, 3.707, 6.795, 8.648]) {
      #expect(abs(minutes - wanted) < 0.001, "\(Self.minutes(made))")
    }
    #expect(made.report.hasSuffix(", no times: replayed at the speeds of its points."))
  }

  @Test("a leg with one speed has that, one without, or with zero, the stated speed")
  func someSpeeds() throws {
    let texts = ["<speed>10</speed>", "", "", "<speed>0</speed>", "<speed>0.0</speed>"]
    let made = try recording(Array(Self.waypoints(texts).utf8), speed: 20)
    let legs = zip(Self.minutes(made), Self.minutes(made).dropFirst()).map { $1 - $0 }
    for (minutes, wanted) in zip(legs, [1.853, 0.927, 0.927, 0.927]) {
      #expect(abs(minutes - wanted) < 0.001, "\(legs)")
    }
    #expect(
      made.report.hasSuffix(
        "replayed at the speeds of its points, at 72.0 km/h where they have none."))
  }

  @Test("an invalid speed, or one faster than a scenario may state, is not used")
  func wrongSpeeds() throws {
    let texts = ["fast", "-1", "nan", "1e9", ""].map { "<speed>\($0)</speed>" }
    let made = try recording(Array(Self.waypoints(texts).utf8), speed: 20)
    #expect(
      made.report.hasSuffix(
        "replayed at 72.0 km/h; skipped 5 speeds that cannot be read (the points are used)."))
  }

  @Test("times override speeds: a speed at an instant does not hold for minutes")
  func timesWin() throws {
    let texts = ["0", "3"].map { "<speed>1</speed><time>2014-09-24T14:5\($0):00Z</time>" }
    #expect(Self.minutes(try recording(Self.waypoints(texts))) == [0, 3])
  }

  @Test("a file of waypoints may be gzip-compressed")
  func compressed() throws {
    // Two waypoints with speeds of 4 m/s, compressed with `gzip -9`.
    let packed = try #require(
      Data(
        base64Encoded: """
          H4sIAAAAAAACA7NJL6hQKEstKs7Mz7NVMtQzVFJILkpNLMkvslWKSM5PSVWy47IpLyhRyEkssVUyNdIzNVBSyA\
          GrNdYzUbKzKS5ITU2xM7HRhzBs9IGK0bUYEqVFH+gUOwBtG4/gkAAAAA==
          """))
    let plain = Self.waypoints(Array(repeating: "<speed>4</speed>", count: 2))
    #expect(try recording([UInt8](packed)) == recording(plain))
  }

  @Test(
    "a file without usable waypoints is refused with the place of the first",
    arguments: [
      ("<gpx></gpx>", "has no track, route or waypoint."),
      (
        "<gpx>\n  <wpt/>\n</gpx>",
        "line 2, column 8: this point has no valid coordinate, and there is no other."
      ),
      (
        "<gpx>\n<wpt lat='1'/><wpt lat='x' lon='2'/></gpx>",
        "line 2, column 14: this point has no valid coordinate, nor does any other of 2."
      ),
      (
        "<gpx><wpt lat='1' lon='2'>\n",
        "line 2, column 0: the file ends inside <wpt>; it is truncated."
      ),
      ("<gpx>\n<wpt lat=1/></gpx>", "line 2, column 10: an attribute's value without quotes."),
    ])
  func refused(text: String, why: String) {
    #expect(fault(text) == why)
  }
}
