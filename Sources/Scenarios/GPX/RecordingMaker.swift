internal import Core
internal import Foundation

/// Makes one journey from a file's points, with a one-line report. A leaping clock must not spoil
/// other points, so only the longest sequence of times that never fall is kept, and equal times
/// become a microsecond apart. Without times, the points' speeds or a stated speed set the pace. A
/// gap of more than a week separates journeys, and the journey with the most points is kept.
struct RecordingMaker {
  /// The longest gap in a journey. An unset clock is off by decades, an old track by months.
  static let gapMax = SimDuration.hours(24 * 7)

  private let path: String
  private var skipped: [(count: Int, why: String)] = []

  static func make(
    _ content: GPXContent, path: String, speed: Speed
  ) throws(GPXError) -> Recording {
    var maker = RecordingMaker(path: path)
    return try maker.recording(content, speed)
  }

  private init(path: String) { self.path = path }

  private mutating func skip(_ count: Int, _ why: String) {
    if count > 0 { skipped.append((count, why)) }
  }

  private mutating func recording(
    _ content: GPXContent, _ speed: Speed
  ) throws(GPXError) -> Recording {
    skip(content.impossible, "with an invalid coordinate")
    let all = content.segments.filter { !$0.isEmpty }
    guard !all.isEmpty else { throw Self.emptiness(of: content) }
    var points: [Recording.Point]
    var pace: Pace?
    if all.contains(where: { $0.contains { $0.time != nil } }) {
      points = timed(all, content)
    } else {
      skip(content.unreadableTimes, "times that cannot be read (the points are used)")
      skip(content.unreadableSpeeds, "speeds that cannot be read (the points are used)")
      var used = Pace(stated: speed)
      points = Self.paced(all, &used)
      pace = used
    }
    points = longestJourney(points)
    return Recording(
      path: path, points: points, report: report(content, all.count, points, pace))
  }

  private static func emptiness(of content: GPXContent) -> GPXError {
    guard let first = content.firstImpossible else {
      return .empty("has no track, route or waypoint")
    }
    let others =
      content.points == 1 ? "and there is no other" : "nor does any other of \(content.points)"
    return .broken(
      "this point has no valid coordinate, \(others)", line: first.line, column: first.column)
  }

  // MARK: Times

  private mutating func timed(
    _ segments: [[GPXContent.Point]], _ content: GPXContent
  ) -> [Recording.Point] {
    // Tracks are sorted by their first times, since some writers put the newest track first.
    let rows = segments.map { segment in
      segment.compactMap { point in
        point.time.map {
          Recording.Point(time: $0, latitude: point.latitude, longitude: point.longitude)
        }
      }
    }
    let points = rows.filter { !$0.isEmpty }.enumerated()
      .sorted { ($0.element[0].time, $0.offset) < ($1.element[0].time, $1.offset) }
      .flatMap(\.element)
    let untimed = segments.reduce(0) { $0 + $1.count } - points.count
    skip(untimed - content.unreadableTimes, "without a time")
    skip(min(untimed, content.unreadableTimes), "with a time that cannot be read")
    let rising = Self.longestRise(points)
    skip(points.count - rising.count, "whose clock went back")
    let parted = Self.parted(rising)
    skip(rising.count - parted.count, "recorded twice")
    return parted
  }

  private static func parted(_ points: [Recording.Point]) -> [Recording.Point] {
    var parted: [Recording.Point] = []
    parted.reserveCapacity(points.count)
    for var point in points {
      if let last = parted.last, point.time <= last.time {
        if point.latitude == last.latitude, point.longitude == last.longitude { continue }
        point.time = last.time + .microseconds(1)
      }
      parted.append(point)
    }
    return parted
  }

  /// Returns the longest subsequence of times that never fall (patience sorting, n log n).
  static func longestRise(_ points: [Recording.Point]) -> [Recording.Point] {
    if zip(points, points.dropFirst()).allSatisfy({ $0.time <= $1.time }) { return points }
    /// `tails[k]` is the index of the last point of the rise of length k + 1 that ends earliest.
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: points.count)
    for i in points.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if points[tails[middle]].time <= points[i].time { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[i] = tails[low - 1] }
      if low == tails.count { tails.append(i) } else { tails[low] = i }
    }
    var rise: [Recording.Point] = []
    var i = tails.last ?? -1
    while i >= 0 {
      rise.append(points[i])
      i = before[i]
    }
    return rise.reversed()
  }

  private struct Pace {
    /// The minimum speed in m/s. A slower speed is ignored, since its leg would take days.
    static let slowest = 0.1

    /// The speed of a leg if neither end has a speed.
    let stated: Speed
    var usesStated = false
    var usesOwn = false

    mutating func seconds(_ way: Double, _ a: GPXContent.Point, _ b: GPXContent.Point) -> Double {
      guard way > 0 else { return 0 }
      let known = [a.speed, b.speed].compactMap(\.self)
      let mean = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
      guard mean >= Self.slowest else {
        usesStated = true
        return way / stated.metersPerSecond
      }
      usesOwn = true
      return way / mean
    }

    var words: String {
      let kilometersPerHour = "\(RecordingMaker.decimal(stated.metersPerSecond * 3.6)) km/h"
      guard usesOwn else { return "at \(kilometersPerHour)" }
      return "at the speeds of its points"
        + (usesStated ? ", at \(kilometersPerHour) where they have none" : "")
    }
  }

  private static func paced(
    _ segments: [[GPXContent.Point]], _ pace: inout Pace
  ) -> [Recording.Point] {
    var points: [Recording.Point] = []
    var seconds = 0.0
    var before: GPXContent.Point?
    for point in segments.joined() {
      if let before {
        let way = meters(before.latitude, before.longitude, point.latitude, point.longitude)
        seconds += pace.seconds(way, before, point)
      }
      before = point
      let time = SimInstant(microseconds: 0) + SimDuration(seconds: seconds)
      if let last = points.last, last.time >= time { continue }
      points.append(
        Recording.Point(time: time, latitude: point.latitude, longitude: point.longitude))
    }
    return points
  }

  private mutating func longestJourney(_ points: [Recording.Point]) -> [Recording.Point] {
    var best = 0..<0
    var first = 0
    for i in points.indices {
      if i > 0, points[i].time - points[i - 1].time > Self.gapMax { first = i }
      if i + 1 - first > best.count { best = first..<(i + 1) }
    }
    skip(points.count - best.count, "more than a week away from the rest")
    return Array(points[best])
  }

  // MARK: The line

  private func report(
    _ content: GPXContent, _ segments: Int, _ points: [Recording.Point], _ pace: Pace?
  ) -> String {
    var way = 0.0
    var gap = SimDuration.zero
    for (a, b) in zip(points, points.dropFirst()) {
      way += Self.meters(a.latitude, a.longitude, b.latitude, b.longitude)
      gap = max(gap, b.time - a.time)
    }
    let lasts = points[points.count - 1].time - points[0].time
    var line =
      "\(RecordingFiles.shown(path)): \(points.count) of \(Self.what(content, segments)), "
      + "\(Self.text(lasts)), \(Self.kilometers(way)) km"
    if let pace {
      line += ", no times: replayed \(pace.words)"
    } else {
      let second = SimInstant(microseconds: points[0].time.microseconds / 1_000_000 * 1_000_000)
      line += ", recorded \(CivilText.text(second, CivilClock(utcOffset: .zero)))Z"
      if gap >= .minutes(5) { line += ", longest gap \(Self.text(gap))" }
    }
    if !skipped.isEmpty {
      line += "; skipped " + skipped.map { "\($0.count) \($0.why)" }.joined(separator: ", ")
    }
    return line + "."
  }

  private static func what(_ content: GPXContent, _ segments: Int) -> String {
    func counted(_ count: Int) -> String {
      "\(count) \(content.kind.rawValue)\(count == 1 ? "" : "s")"
    }
    switch content.kind {
    case .waypoint: return counted(content.points)
    case .segment, .route: return "\(content.points) points in \(counted(segments))"
    }
  }

  private static func text(_ span: SimDuration) -> String {
    let minutes = span.microseconds / 60_000_000
    if minutes == 0 { return "\(span.microseconds / 1_000_000) s" }
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }

  private static func kilometers(_ meters: Double) -> String { decimal(meters / 1_000) }

  private static func decimal(_ value: Double) -> String {
    let tenths = Int64(min(value * 10, 1e15).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  static func meters(_ lat1: Double, _ lon1: Double, _ lat2: Double, _ lon2: Double) -> Double {
    let radians = Double.pi / 180
    let a = sin((lat2 - lat1) * radians / 2)
    let b = sin((lon2 - lon1) * radians / 2)
    let h = a * a + cos(lat1 * radians) * cos(lat2 * radians) * b * b
    return 2 * 6_371_008.8 * asin(min(1, h.squareRoot()))
  }
}
