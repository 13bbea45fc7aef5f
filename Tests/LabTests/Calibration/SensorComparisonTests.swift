import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

/// The folder of recorded traces, if it exists: `$FLOTILLA_DATA`, or next to the clone.
enum RecordedData {
  static let folder: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().path
    let candidates =
      [ProcessInfo.processInfo.environment["FLOTILLA_DATA"]].compactMap { $0 } + [
        root + "/../shared/data", root + "/../../shared/data",
      ]
    return candidates.first { FileManager.default.fileExists(atPath: $0 + "/phone-logs") }
  }()
  static let isMissing =
    "recorded traces are not here: set FLOTILLA_DATA to their folder to run this test"
}

@Suite("Recorded and simulated phones", .quick)
struct SensorComparisonTests {
  static let simulation = SensorSimulation(seed: 31, sensors: .standard)

  /// One point per second, at the result of `place`.
  static func points(_ count: Int, _ place: (Int) -> (Double, Double)) -> [SensorTrace.Point] {
    (0..<count).map {
      let (x, y) = place($0)
      return SensorTrace.Point(seconds: Double($0), place: PlanePoint(x: x, y: y))
    }
  }

  static func trace(_ points: [SensorTrace.Point]) -> SensorTrace {
    SensorTrace(
      name: "made up", projection: Projection(centreLatitude: 52, centreLongitude: 5),
      points: points)
  }

  @Test("a dwell is found in spite of jumps, and not in a walk")
  func dwells() {
    let rest = Self.points(900) { second in (300..<360).contains(second) ? (900, 0) : (0, 1) }
    #expect(SensorDwell.all(in: Self.trace(rest)).map(\.points.count) == [780])
    let walk = Self.points(900) { (Double($0) * 1.3, 0) }
    #expect(SensorDwell.all(in: Self.trace(walk)).isEmpty)
    let short = Self.points(200) { _ in (0, 0) }
    #expect(SensorDwell.all(in: Self.trace(short)).isEmpty)
    var silent = Self.points(900) { _ in (0, 0) }
    silent.removeSubrange(250..<650)
    #expect(SensorDwell.all(in: Self.trace(silent)).isEmpty)
  }

  @Test("a dwell has the share of repeats, the radius and the correlation time")
  func figures() {
    // Every other fix repeats, each step is 1 m, 20 s there and 20 s back.
    let saw = Self.points(1_200) { second in
      let phase = second % 40
      return (Double((phase < 20 ? phase : 40 - phase) / 2), 0)
    }
    let figures = DwellMetrics(saw)
    #expect(abs(figures.repeated - 0.5) < 0.02)
    #expect(figures.steps.allSatisfy { $0 == 1 } && figures.farthest == 5)
    #expect((4...8).contains(figures.correlation ?? 0))
  }

  @Test("right of the route is positive, left is negative; a loop counts laps")
  func route() throws {
    let route = SensorRoute(
      [(0, 0), (0, 100), (50, 100), (50, 0), (0, 0)].map { PlanePoint(x: $0, y: $1) })
    let right = try #require(route.nearest(to: PlanePoint(x: 3, y: 50)))
    #expect(abs(right.right - 3) < 1e-9 && abs(right.along - 50) < 1e-9)
    let left = try #require(route.nearest(to: PlanePoint(x: -2, y: 10)))
    #expect(abs(left.right + 2) < 1e-9)
    let late = try #require(route.nearest(to: PlanePoint(x: 1, y: 0), within: 200...400))
    #expect(late.along > 250)
    #expect(route.place(at: 120) == PlanePoint(x: 20, y: 100))
  }

  @Test("clock differences are removed before devices are compared")
  func shifted() {
    let a = Self.trace(Self.points(300) { (Double($0) * 5, 3) })
    let b = SensorTrace(
      name: "b", projection: a.projection,
      points: a.points.map {
        SensorTrace.Point(seconds: $0.seconds + 4, place: $0.place)
      })
    let apart = SensorRide.apart(a, b)
    #expect(apart.count > 200 && apart.allSatisfy { $0 < 0.2 })
  }

  @Test("all sensor rows of motion exist and pass in a small sample")
  func claims() throws {
    let bench = CalibrationBench(
      seeds: .main, library: ScenarioLibrary(folders: []), dataFolder: nil, threads: 1)
    let rows = try SensorClaims.rows(bench, dwells: 2, people: 3, resamples: 1)
    #expect(rows.map(\.id) == SensorClaims.group.rows)
    // Differences between phones need more than three phones.
    for row in rows where ["S38", "S41", "S42", "S43"].contains(row.id) {
      #expect(row.verdict == .pass, "\(row.id) \(row.claim): \(String(describing: row.measured))")
    }
  }

  @Test("without recordings, every comparison is skipped with a reason")
  func skipped() throws {
    let bench = CalibrationBench(
      seeds: .main, library: ScenarioLibrary(folders: []), dataFolder: nil, threads: 1)
    let rows = try RecordedComparison.all(bench).map(\.row)
    #expect(rows.map(\.id) == RecordedComparison.ids)
    #expect(rows.allSatisfy { $0.verdict == .skipped && $0.note.contains("--data") })
  }

  @Test(
    "phones at rest match held-out phones within a factor of three",
    .needsData(RecordedData.folder != nil, RecordedData.isMissing))
  func heldOutDwells() throws {
    let files = SensorFiles(folder: try #require(RecordedData.folder))
    let comparisons = try RecordedComparison.atRest(files, Self.simulation, phones: 1)
    for comparison in comparisons {
      let ratio = try #require(comparison.ratio, "\(comparison.id)")
      #expect(ratio.value > 1 / 3.0 && ratio.value < 3, "\(comparison.row.claim)")
    }
  }
}
