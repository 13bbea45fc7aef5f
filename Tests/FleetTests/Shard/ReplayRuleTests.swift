import Core
import Foundation
import Phone
import PhoneSupport
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

/// A phone replaying the files that Xcode plays: waypoints, with times or without (S4).
@Suite("Rules of replayed recordings", .quick)
struct ReplayRuleTests {
  /// The article's example: some 400 m, without times.
  private static let article = """
    <?xml version="1.0"?>
    <gpx version="1.1" creator="Xcode">
        <wpt lat="54.91148" lon="83.07381"/>
        <wpt lat="54.90792" lon="83.07243"/>
    </gpx>
    """

  /// Reads a text as the scenario's file, at 5 m/s if it has no times.
  private static func recording(_ text: String) throws -> Recording {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).gpx")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try Recording.read(file.path, speed: Speed(metersPerSecond: 5))
  }

  private static func bench(_ text: String) throws -> PhoneBench {
    let recording = try recording(text)
    return PhoneBench(.quiet) { $0.recordings = [recording] }
  }

  /// The phone's distance from the first point, at seconds after the start.
  private static func way(_ bench: PhoneBench, _ seconds: [Int64]) -> [Double] {
    let context = bench.shard.context
    func position(_ seconds: Int64) -> PlanePoint {
      let at = bench.scenario.start + .seconds(seconds)
      return context.segment(of: PhoneID(rawValue: 0), cohort: 0, at: at).position(at: at)
    }
    return seconds.map { position($0).distance(to: position(0)) }
  }

  @Test("GX1: waypoints without times are walked in straight lines at a steady speed")
  func steady() throws {
    let way = Self.way(try Self.bench(Self.article), [10, 20, 40, 60, 80, 82, 1_000])
    for (metres, wanted) in zip(way, [50, 100, 200, 300, 400, 405.6, 405.6]) {
      #expect(abs(metres - wanted) < 1, "\(way)")
    }
  }

  @Test("GX1: waypoints with times are reached at them, and between them the speed is constant")
  func timed() throws {
    let text = """
      <gpx version="1.1" creator="Xcode">
      <wpt lat="54.91148" lon="83.07381"><time>2014-09-24T14:55:00Z</time></wpt>
      <wpt lat="54.90970" lon="83.07312"><time>2014-09-24T14:56:00Z</time></wpt>
      <wpt lat="54.90792" lon="83.07243"><time>2014-09-24T15:01:00Z</time></wpt>
      </gpx>
      """
    let way = Self.way(try Self.bench(text), [30, 60, 210, 360, 400])
    for (metres, wanted) in zip(way, [101.4, 202.8, 304.2, 405.6, 405.6]) {
      #expect(abs(metres - wanted) < 1, "\(way)")
    }
  }

  @Test("GX1: waypoints with speeds are walked at them")
  func speeds() throws {
    let text = """
      <gpx version="1.1" creator="Xcode">
      <wpt lat="54.91148" lon="83.07381"><speed>2</speed></wpt>
      <wpt lat="54.90970" lon="83.07312"><speed>2</speed></wpt>
      <wpt lat="54.90792" lon="83.07243"><speed>6</speed></wpt>
      </gpx>
      """
    // 202.8 m at 2 m/s, then the same at (2 + 6) / 2 m/s.
    let way = Self.way(try Self.bench(text), [50, 101, 127, 152, 300])
    for (metres, wanted) in zip(way, [100, 202, 304.8, 404.8, 405.6]) {
      #expect(abs(metres - wanted) < 2, "\(way)")
    }
  }

  /// The position error of each fix of the standard service, in metres.
  private static func metersOff(_ bench: PhoneBench) -> [Double] {
    bench.entries.compactMap { entry in
      if case .fix(_, .standard, let meters, _) = entry.what { meters } else { nil }
    }
  }

  @Test(
    "GX2: a phone that replays waypoints has position errors like any other, moving and at rest")
  func noise() throws {
    let bench = try Self.bench(Self.article)
    bench.open()
    bench.command(.startStandard(.plain))
    bench.advance(.seconds(80))
    let moving = Self.metersOff(bench)
    #expect(moving.count > 60 && moving.count { $0 > 1 } > moving.count / 2)
    bench.advance(.minutes(5))
    #expect(Self.metersOff(bench).count > 300)
  }
}
