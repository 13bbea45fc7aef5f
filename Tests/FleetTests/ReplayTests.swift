import Core
import Foundation
import Phone
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

/// The real recordings next to the repository, or at `FLOTILLA_SHARED`.
enum RealRecordings {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  static let folder =
    ProcessInfo.processInfo.environment["FLOTILLA_SHARED"] ?? "\(root)/../shared"
  static let globs = ["gpx", "gpx-copyleft"].map { "\(folder)/data/\($0)/*.gpx" }
  static var areHere: Bool {
    FileManager.default.fileExists(atPath: "\(folder)/data/gpx")
      && FileManager.default.fileExists(atPath: "\(folder)/data/gpx-copyleft")
  }

  static func scenario(_ settings: [String]) throws -> Scenario {
    try ScenarioLibrary(folders: ["\(root)/scenarios"]).load(
      "replay", settings: settings.map { ScenarioChange($0) })
  }
}

/// Position in a recording at an instant, interpolated between its points, without the program's
/// geometry.
struct Reference {
  let points: [Recording.Point]
  let shift: SimDuration

  func place(at instant: SimInstant) -> (latitude: Double, longitude: Double) {
    let time = instant - shift
    guard let next = points.firstIndex(where: { $0.time > time }) else {
      return (points[points.count - 1].latitude, points[points.count - 1].longitude)
    }
    guard next > 0 else { return (points[0].latitude, points[0].longitude) }
    let a = points[next - 1]
    let b = points[next]
    let u = (time - a.time).seconds / (b.time - a.time).seconds
    return (
      a.latitude + u * (b.latitude - a.latitude), a.longitude + u * (b.longitude - a.longitude)
    )
  }

  static func meters(
    _ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double)
  ) -> Double {
    let north = (b.latitude - a.latitude) * 111_195
    let east = (b.longitude - a.longitude) * 111_195 * cos(a.latitude * .pi / 180)
    return (north * north + east * east).squareRoot()
  }
}

/// Every fix that reaches the server's logic in a replay, with its phone.
struct Replayed {
  let fleet: PhoneFleet
  var fixes: [(phone: PhoneID, fix: Fix)] = []

  init(_ scenario: Scenario, threads: Int = 2) {
    fleet = PhoneFleet(scenario, threads: threads)
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    let all = Received()
    time.received = { id, fixes in all.fixes += fixes.map { (id.phone, $0) } }
    time.advance(until: scenario.measureEnd)
    fixes = all.fixes
  }

  private final class Received {
    var fixes: [(PhoneID, Fix)] = []
  }
}

@Suite("Replay of recordings", .quick)
struct ReplayTests {
  @Test(
    "95 % of the fixes are within 3 × their accuracy of the recording; GPS reports 15 m or less",
    .needsData(RealRecordings.areHere, "no recordings at \(RealRecordings.folder)"),
    arguments: [
      ["push.silentAfter=1h"],
      ["fleet.cohorts[0].mobility.align=timeOfDay", "start=2026-03-02T00:00", "duration=24h"],
    ])
  func fidelity(settings: [String]) throws {
    let globs = RealRecordings.globs.joined(separator: ", ")
    let scenario = try RealRecordings.scenario(
      settings + ["fleet.cohorts[0].mobility.gpx=[\(globs)]", "fleet.phones=120"])
    #expect(scenario.recordings.count == 24)
    let replayed = Replayed(scenario)
    guard case .recorded(let replay) = scenario.fleet.cohorts[0].mobility else { return }
    var near = 0
    var gps: [UInt16] = []
    var onTheWay = 0
    for (phone, fix) in replayed.fixes {
      let recording = scenario.recordings[Int(phone.rawValue) % scenario.recordings.count]
      let first = recording.points[0].time
      let days = scenario.clock.day(at: scenario.start) - scenario.clock.day(at: first)
      let shift =
        replay.align == .start ? scenario.start - first : SimDuration.hours(24) * Int64(days)
      let reference = Reference(points: recording.points, shift: shift)
      let truth = reference.place(at: fix.time.instant)
      let off = Reference.meters(
        truth, (fix.coordinate.latitude, fix.coordinate.longitude))
      if off <= 3 * Double(fix.accuracyMeters) { near += 1 }
      if fix.speedDecimetersPerSecond >= 0 { gps.append(fix.accuracyMeters) }
      let end = recording.points[recording.points.count - 1].time + shift
      if first + shift < fix.time.instant, fix.time.instant < end { onTheWay += 1 }
    }
    let share = Double(near) / Double(replayed.fixes.count)
    #expect(share >= 0.95, "\(near) of \(replayed.fixes.count)")
    #expect(gps.count > 500)
    #expect(onTheWay > 500)
    #expect(gps.sorted()[gps.count / 2] <= 15)
  }

  @Test("one thread and two give the same replay, and another recording gives another world")
  func threadsDoNotMatter() throws {
    let scenario = try RealRecordings.scenario([])
    let one = Replayed(scenario, threads: 1).fleet.digest()
    #expect(one == Replayed(scenario, threads: 2).fleet.digest())
    let walk = try RealRecordings.scenario([
      "fleet.cohorts[0].mobility.gpx=\(RealRecordings.root)/scenarios/recordings/walk*.gpx"
    ])
    #expect(one.world != Replayed(walk, threads: 2).fleet.digest().world)
  }

  @Test("phones of a cohort take its files in turn")
  func roundRobin() throws {
    let context = FleetContext(try RealRecordings.scenario([]))
    let tracks = (0..<4).map { context.track(of: PhoneID(rawValue: $0), cohort: 0) }
    #expect(tracks[0] !== tracks[1])
    #expect(tracks[0] === tracks[2])
    #expect(tracks[1] === tracks[3])
  }
}
