@testable import Phone
@testable import Scenarios
import Core
import TestSupport
import Testing

@Suite("Recorded people", .quick)
struct RecordedTrackTests {
  private static let start = Fixture.monday + .minutes(270)
  private static let clock = CivilClock(utcOffset: .hours(1))
  /// Segments point into their track, which a town keeps for as long as it is used.
  private let kept = Kept()

  private final class Kept {
    var tracks: [RecordedTrack] = []
  }

  /// Points on one line eastwards, each `(minutes, metres)`.
  private func track(
    _ points: [(Double, Double)], align: Replay.Alignment = .start, longitude: Double = 13.4
  ) -> RecordedTrack {
    let projection = Projection(centreLatitude: 52.5, centreLongitude: longitude)
    let degree = projection.point(latitude: 52.5, longitude: longitude + 0.5).x * 2
    let made = points.map { minutes, meters in
      var east = longitude + meters / degree
      if east > 180 { east -= 360 }
      return Recording.Point(
        time: SimInstant(microseconds: 1_000_000_000_000_000) + SimDuration(seconds: minutes * 60),
        latitude: 52.5, longitude: east)
    }
    let recording = Recording(path: "t.gpx", points: made, report: "")
    let replay = Replay(
      gpx: [], align: align, speed: Speed(metersPerSecond: 1), recordings: [0])
    let track = RecordedTrack(
      recording, shift: replay.shift(of: recording, start: Self.start, clock: Self.clock))
    kept.tracks.append(track)
    return track
  }

  private func segments(_ track: RecordedTrack) -> [Segment] {
    var all = [track.segment(at: .distantPast)]
    while all[all.count - 1].end < .distantFuture {
      all.append(track.segment(at: all[all.count - 1].end))
    }
    return all
  }

  private func at(_ minutes: Double) -> SimInstant {
    Self.start + SimDuration(seconds: minutes * 60)
  }

  @Test("the true position moves in straight lines at even speed, and rests before and after")
  func line() {
    let track = track([(0, 0), (10, 600), (12, 1_800)])
    let all = segments(track)
    #expect(all.map(\.isMoving) == [false, true, false])
    #expect(all.map(\.end) == [at(0), at(12), .distantFuture])
    let west = all[0].position(at: at(-600))
    #expect(abs(all[1].position(at: at(5)).distance(to: west) - 300) < 0.1)
    #expect(abs(all[1].position(at: at(11)).distance(to: west) - 1_200) < 0.1)
    #expect(abs(all[2].position(at: at(9_000)).distance(to: west) - 1_800) < 0.1)
    let velocity = all[1].velocity(at: at(11))
    #expect(abs(velocity.metersPerSecond - 10) < 0.01)
    #expect(abs(velocity.courseDegrees - 90) < 0.01)
    #expect(abs(all[1].trackLength - 1_800) < 0.5)
    #expect(all[1].surroundings(at: at(1)) == .street)
  }

  @Test("circles are left and entered on the exact microsecond")
  func circles() throws {
    let track = track([(0, 0), (10, 600), (20, 0), (21, 900)])
    let segment = track.segment(at: at(0))
    let home = segment.position(at: at(0))
    let step = SimDuration.microseconds(1)
    for radius in [1.0, 99.5, 300, 599.9] {
      let exit = try #require(segment.exit(from: home, radius: radius, after: at(0)))
      #expect(segment.position(at: exit).distance(to: home) > radius)
      #expect(segment.position(at: exit - step).distance(to: home) <= radius)
      #expect(abs((exit - at(0)).seconds - radius) < 0.1)
      let entry = try #require(segment.entry(into: home, radius: radius, after: exit))
      #expect(segment.position(at: entry).distance(to: home) <= radius)
      #expect(segment.position(at: entry - step).distance(to: home) > radius)
      let inside = segment.timeWithin(home, radius: radius, from: at(0), to: at(20))
      #expect(abs(inside.seconds - 2 * radius) < 0.1)
    }
    #expect(segment.exit(from: home, radius: 5_000, after: at(0)) == nil)
  }

  @Test("a person within 50 m for five minutes stays, although the recorded points wander")
  func stays() {
    let wander = stride(from: 5.0, to: 15, by: 0.5).map { ($0, 500 + 20 * ($0 - $0.rounded())) }
    let all = segments(track([(0, 0)] + wander + [(20, 2_000)]))
    #expect(all.map(\.isMoving) == [false, true, false, true, false])
    #expect(all[2].start == at(5))
    #expect(all[2].position(at: at(5.5)) != all[2].position(at: at(6)))
    #expect(all[2].surroundings(at: at(6)) == .indoor)
    #expect(all[1].mode == .walk)
    #expect(all[3].mode == .bicycle)
  }

  @Test("half an hour of silence is crossed; in a longer one the person stays, then hurries")
  func gaps() {
    let short = track([(0, 0), (1, 100), (29, 3_000), (30, 3_100)])
    #expect(segments(short).map(\.isMoving) == [false, true, false])
    let long = segments(track([(0, 0), (1, 600), (301, 6_600), (302, 7_200)]))
    #expect(long.map(\.isMoving) == [false, true, false, true, false])
    #expect(long[2].start == at(1))
    // 6,000 m at 15 m/s are 400 s.
    #expect(abs((at(301) - long[2].end).seconds - 400) < 0.1)
  }

  @Test("align: timeOfDay moves a recording by whole days, to the day of the start")
  func timeOfDay() {
    let track = track([(0, 0), (10, 600)], align: .timeOfDay)
    let first = track.recordedTime.from
    #expect(Self.clock.day(at: first) == Self.clock.day(at: Self.start))
    #expect(
      Self.clock.timeOfDay(at: first)
        == Self.clock.timeOfDay(at: SimInstant(microseconds: 1_000_000_000_000_000)))
  }

  @Test("a way across the date line is one way")
  func dateLine() {
    let track = track([(0, 0), (10, 1_000)], longitude: 179.995)
    let way = track.segment(at: at(5))
    #expect(abs(way.trackLength - 1_000) < 0.5)
    let east = track.projection.coordinate(of: way.position(at: at(10)))
    #expect(east.longitude < -179.9)
    #expect(
      track.projection.point(of: east).distance(to: way.position(at: at(10))) < 0.1)
  }

  @Test("a recording of one point is a permanent rest")
  func point() {
    let all = segments(track([(0, 0)]))
    #expect(all.count == 1)
    #expect(all[0].exit(from: all[0].position(at: at(0)), radius: 1, after: at(0)) == nil)
  }

  @Test("a segment stays within 96 bytes")
  func size() {
    #expect(MemoryLayout<Segment>.stride <= 96)
  }
}
