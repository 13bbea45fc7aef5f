internal import Core

struct TrackPoint: BitwiseCopyable {
  let time: SimInstant
  let place: PlanePoint
}

/// Consecutive points of a recorded track. The true position moves between points in straight lines
/// at constant speed, and rests at the first point before the run and at the last point after it.
///
/// `@unchecked Sendable`: `points` is in the storage of a `RecordedTrack`, which is written before
/// any run of the track exists and never again. The fleet's context owns the track and outlasts all
/// segments.
@safe struct RecordedRun: BitwiseCopyable, @unchecked Sendable {
  private let points: UnsafePointer<TrackPoint>
  private let count: Int32

  init(_ points: UnsafeBufferPointer<TrackPoint>) {
    precondition(!points.isEmpty, "a run has at least one point")
    unsafe self.points = points.baseAddress!
    count = Int32(points.count)
  }

  private subscript(i: Int) -> TrackPoint { unsafe points[i] }

  var first: PlanePoint { self[0].place }
  var last: PlanePoint { self[Int(count) - 1].place }
  var isOnePoint: Bool { count == 1 }

  var length: Double {
    (1..<max(1, Int(count))).reduce(0) {
      $0 + self[$1 - 1].place.distance(to: self[$1].place)
    }
  }

  func position(at instant: SimInstant) -> PlanePoint {
    let i = index(at: instant)
    if i < 0 { return first }
    if i >= Int(count) - 1 { return last }
    return position(at: instant, on: i)
  }

  func velocity(at instant: SimInstant) -> PlanePoint {
    let i = index(at: instant)
    guard i >= 0, i < Int(count) - 1 else { return PlanePoint(x: 0, y: 0) }
    let seconds = (self[i + 1].time - self[i].time).seconds
    return (self[i + 1].place - self[i].place) * (1 / seconds)
  }

  private func index(at instant: SimInstant) -> Int {
    var low = 0
    var high = Int(count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].time <= instant { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  private func position(at instant: SimInstant, on i: Int) -> PlanePoint {
    let a = self[i]
    let b = self[i + 1]
    let share =
      Double((instant - a.time).microseconds) / Double((b.time - a.time).microseconds)
    return a.place + (b.place - a.place) * share
  }

  /// Returns the instant at or after `instant` at which the way crosses the circle's edge in the
  /// wanted direction, rounded up to a microsecond; nil if not before `limit`.
  func crossing(
    from instant: SimInstant, before limit: SimInstant, centre: PlanePoint, radius: Double,
    wantInside: Bool
  ) -> SimInstant? {
    var i = max(0, index(at: instant))
    let square = radius * radius
    while i < Int(count) - 1, self[i].time < limit {
      defer { i += 1 }
      let from = max(instant, self[i].time)
      if !wantInside, self[i + 1].place.distanceSquared(to: centre) <= square { continue }
      let here = position(at: from, on: i)
      let delta = self[i + 1].place - here
      let seconds = (self[i + 1].time - from).seconds
      guard
        let share = Self.crossing(
          from: here - centre, along: delta, square: square, wantInside: wantInside)
      else { continue }
      return from + .microseconds(Int64((share * seconds * 1e6).rounded(.up)))
    }
    return nil
  }

  /// Returns the share of `delta` with |off + share · delta|² = square; nil if not on this piece.
  private static func crossing(
    from off: PlanePoint, along delta: PlanePoint, square: Double, wantInside: Bool
  ) -> Double? {
    let a = delta.x * delta.x + delta.y * delta.y
    guard a > 0 else { return nil }
    let b = off.x * delta.x + off.y * delta.y
    let c = off.x * off.x + off.y * off.y - square
    let discriminant = b * b - a * c
    guard discriminant >= 0 else { return nil }
    let root = discriminant.squareRoot()
    // From inside the first root is in the past, and from outside the first root is the entry.
    let share = (wantInside ? -b - root : -b + root) / a
    return share >= -1e-9 && share <= 1 + 1e-9 ? min(max(share, 0), 1) : nil
  }
}
