@testable internal import Core
@testable internal import Phone
@testable internal import Scenarios

/// Invariants for any bytes that are read as a GPX file.
enum RecordingCheck {
  static func check(_ bytes: [UInt8]) {
    do throws(GPXError) {
      try check(GPXReader().read(ByteSource.bytes(bytes)))
      for track in try GPXReader().readTracks(ByteSource.bytes(bytes)).prefix(8) {
        try check(track)
      }
    } catch {
      precondition(!error.text.isEmpty, "a refusal says why")
    }
  }

  private static func check(_ content: GPXContent) throws(GPXError) {
    let recording = try RecordingMaker.make(
      content, path: "fuzz.gpx", speed: Speed(metersPerSecond: 2))
    check(recording)
    walk(RecordedTrack(recording, shift: .hours(1_000)))
  }

  private static func check(_ recording: Recording) {
    precondition(!recording.report.contains("\n"), "a report is one line")
    for point in recording.points {
      precondition(abs(point.latitude) <= 85 && abs(point.longitude) <= 180, "\(point)")
    }
    for (a, b) in zip(recording.points, recording.points.dropFirst()) {
      precondition(a.time < b.time, "times rise: \(a) \(b)")
    }
  }

  /// Walks through the segments: they tile time, join in space, and intersect circles exactly.
  private static func walk(_ track: RecordedTrack) {
    var segment = track.segment(at: .distantPast)
    precondition(segment.start == .distantPast && !segment.isMoving, "a phone rests at first")
    var count = 0
    while segment.end < .distantFuture, count < 64 {
      let next = track.segment(at: segment.end)
      precondition(next.start == segment.end, "segments tile time")
      precondition(
        next.position(at: next.start) == segment.position(at: segment.end), "the truth is one way")
      circle(next)
      segment = next
      count += 1
    }
  }

  private static func circle(_ segment: Segment) {
    let centre = segment.position(at: segment.start)
    precondition(centre.x.isFinite && centre.y.isFinite, "\(centre)")
    let to = min(segment.end, segment.start + .hours(1_000))
    let inside = segment.timeWithin(centre, radius: 100, from: segment.start, to: to)
    precondition(inside >= .zero && inside <= to - segment.start, "time within is a part of it")
    guard let exit = segment.exit(from: centre, radius: 100, after: segment.start) else { return }
    precondition(segment.start < exit && exit <= segment.end, "exits lie within the segment")
    let off = segment.position(at: exit).distance(to: centre)
    precondition(off > 100, "at its exit a phone is outside: \(off)")
  }
}
