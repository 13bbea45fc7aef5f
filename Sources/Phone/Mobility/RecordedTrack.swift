package import Core
package import Scenarios

/// A recording that any number of phones replay in scenario time, divided into stays and ways.
///
/// GX1: The true position moves along the recorded points in straight lines at constant speed. GX2:
/// Replayed positions have errors like any other. Before the first point the phone rests at the
/// first point, and after the last point at the last. The phone crosses a gap of up to half an hour
/// at constant speed. In a longer gap the person stays at the gap's first end, and leaves in time
/// to reach the other end at 15 m/s, or at once if that is too late.
@safe package final class RecordedTrack: Sendable {
  /// The plane of the segments, centred on the recording, not on the scenario's city.
  package let projection: Projection
  /// `nonisolated(unsafe)`: filled in `init`, only read afterwards, freed in `deinit`.
  private nonisolated(unsafe) let points: UnsafeMutableBufferPointer<TrackPoint>
  private let stretches: [Stretch]
  /// What the recorded app sent, oldest first, in scenario time.
  package let uploads: RecordedUploads

  /// A stay or a way, with the points `first ... last`, that ends when the next stretch starts.
  private struct Stretch {
    var first: Int
    var last: Int
    var isMoving: Bool
    var start: SimInstant
    var mode = TravelMode.walk
  }

  static let gapMax = SimDuration.minutes(30)
  /// The mean speed in m/s of a car in a town from door to door, or of a slow train.
  static let catchUpSpeed = 15.0
  /// The radius of a stay in metres, which in three of four recorded stays contains 95 % of the
  /// fixes.
  static let stayRadius = 50.0
  static let stayMin = SimDuration.minutes(5)

  package init(_ recording: Recording, shift: SimDuration) {
    let centre = Self.centre(of: recording.points)
    let projection = Projection(centreLatitude: centre.latitude, centreLongitude: centre.longitude)
    self.projection = projection
    let laid = Self.bridged(
      recording.points.map { point in
        TrackPoint(
          time: point.time + shift,
          place: projection.point(latitude: point.latitude, longitude: point.longitude))
      })
    unsafe points = .allocate(capacity: laid.count)
    _ = unsafe points.initialize(from: laid)
    stretches = Self.stretches(laid)
    uploads = recording.uploads.shifted(by: shift)
  }

  deinit { unsafe points.deallocate() }

  /// Returns the middle of the bounding box. Longitudes are taken relative to the first point, so
  /// that a way may cross the date line.
  private static func centre(
    of points: [Recording.Point]
  ) -> (latitude: Double, longitude: Double) {
    let origin = points[0].longitude
    var low = (points[0].latitude, 0.0)
    var high = low
    for point in points {
      var east = point.longitude - origin
      if east > 180 { east -= 360 } else if east < -180 { east += 360 }
      low = (min(low.0, point.latitude), min(low.1, east))
      high = (max(high.0, point.latitude), max(high.1, east))
    }
    var longitude = origin + (low.1 + high.1) / 2
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    return ((low.0 + high.0) / 2, longitude)
  }

  private static func bridged(_ points: [TrackPoint]) -> [TrackPoint] {
    var bridged: [TrackPoint] = []
    bridged.reserveCapacity(points.count)
    for point in points {
      if let last = bridged.last, point.time - last.time > gapMax {
        let seconds = last.place.distance(to: point.place) / catchUpSpeed
        let leaves = point.time - SimDuration(seconds: min(seconds, 1e6))
        if leaves > last.time, leaves < point.time {
          bridged.append(TrackPoint(time: leaves, place: last.place))
        }
      }
      bridged.append(point)
    }
    return bridged
  }

  // MARK: Stays and ways

  private static func stretches(_ points: [TrackPoint]) -> [Stretch] {
    var stretches: [Stretch] = []
    /// The index of the point at which the current way starts.
    var departed = 0
    func stay(_ first: Int, _ last: Int) {
      if departed < first { stretches.append(way(points, departed, first)) }
      stretches.append(
        Stretch(first: first, last: last, isMoving: false, start: points[first].time))
      departed = last
    }
    var anchor = 0
    for i in points.indices.dropFirst()
    where points[i].place.distance(to: points[anchor].place) > stayRadius {
      if points[i - 1].time - points[anchor].time >= stayMin {
        stay(anchor, i - 1)
        anchor = points[i].place.distance(to: points[i - 1].place) > stayRadius ? i : i - 1
      } else {
        anchor = i
      }
    }
    let end = points.count - 1
    // The time after the last point is a stay, whose first part may be recorded.
    stay(points[end].time - points[anchor].time >= stayMin ? anchor : end, end)
    return withRestBefore(stretches, points)
  }

  private static func withRestBefore(_ stretches: [Stretch], _ points: [TrackPoint]) -> [Stretch] {
    var stretches = stretches
    if stretches[0].isMoving {
      stretches.insert(Stretch(first: 0, last: 0, isMoving: false, start: .distantPast), at: 0)
    }
    stretches[0].start = .distantPast
    return stretches
  }

  private static func way(_ points: [TrackPoint], _ first: Int, _ last: Int) -> Stretch {
    var meters = 0.0
    for i in first..<last { meters += points[i].place.distance(to: points[i + 1].place) }
    let speed = meters / (points[last].time - points[first].time).seconds
    // The limits are mean speeds: runners are the fastest on foot, and few bicycles exceed 7 m/s.
    let mode: TravelMode = speed < 3.5 ? .walk : speed < 7 ? .bicycle : .car
    return Stretch(
      first: first, last: last, isMoving: true, start: points[first].time, mode: mode)
  }

  // MARK: The true position

  package func segment(at instant: SimInstant) -> Segment {
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].start <= instant { low = middle + 1 } else { high = middle }
    }
    return segment(max(0, low - 1))
  }

  private func segment(_ i: Int) -> Segment {
    let stretch = stretches[i]
    let slice = unsafe UnsafeBufferPointer(rebasing: points[stretch.first...stretch.last])
    return Segment(
      unsafe RecordedRun(slice), isMoving: stretch.isMoving, mode: stretch.mode,
      from: stretch.start,
      to: i + 1 < stretches.count ? stretches[i + 1].start : .distantFuture)
  }

  package var recordedTime: (from: SimInstant, to: SimInstant) {
    unsafe (points[0].time, points[points.count - 1].time)
  }
}
