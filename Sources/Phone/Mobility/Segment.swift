package import Core
internal import Foundation

/// A stay or a leg of a person's day, in 96 bytes. Segments cover time without gaps. Positions are
/// computed in closed form from a leg's key, or from the points of a recording.
package struct Segment: Sendable, BitwiseCopyable {
  package let start: SimInstant
  package let end: SimInstant
  let geometry: Geometry
  package let place: UInt16
  package let mode: TravelMode
  /// Whether the segment is a leg; false for a recorded stay, although its points vary.
  package let isMoving: Bool
  private let staySurroundings: Surroundings

  enum Geometry: BitwiseCopyable {
    case streets(StreetLeg)
    case recorded(RecordedRun)
  }

  init(
    at point: PlanePoint, grid: StreetGrid, place: UInt16, surroundings: Surroundings,
    outdoors: OutdoorTimes = OutdoorTimes(), from start: SimInstant, to end: SimInstant
  ) {
    self.start = start
    self.end = end
    geometry = .streets(
      StreetLeg(
        origin: point, target: point, grid: grid, key: outdoors.bits, pace: LegPath.Pace()))
    self.place = place
    mode = .walk
    isMoving = false
    staySurroundings = surroundings
  }

  init(
    path: LegPath, grid: StreetGrid, to place: UInt16, from start: SimInstant,
    until end: SimInstant
  ) {
    self.start = start
    self.end = end
    geometry = .streets(
      StreetLeg(
        origin: path.origin, target: path.target, grid: grid, key: path.key, pace: path.pace))
    self.place = place
    mode = path.mode
    isMoving = true
    staySurroundings = .street
  }

  init(
    _ run: RecordedRun, isMoving: Bool, mode: TravelMode, from start: SimInstant,
    to end: SimInstant
  ) {
    self.start = start
    self.end = end
    geometry = .recorded(run)
    place = Person.unknownPlace
    self.mode = mode
    self.isMoving = isMoving
    // Satellites were received on a recorded way, while a stay is usually in a house.
    staySurroundings = isMoving ? .street : .indoor
  }

  package var duration: SimDuration { end - start }

  /// Returns the true position at an instant, or at the nearer end outside the segment.
  package func position(at instant: SimInstant) -> PlanePoint {
    switch geometry {
    case .streets(let leg):
      isMoving
        ? position(at: instant, on: leg)
        : leg.grid.plane(leg.origin)
    case .recorded(let run): run.position(at: min(max(instant, start), end))
    }
  }

  private func position(at instant: SimInstant, on leg: StreetLeg) -> PlanePoint {
    let travel = LegTravel(leg, mode, duration)
    if instant <= start { return leg.grid.plane(travel.path.origin) }
    if instant >= end { return leg.grid.plane(travel.path.target) }
    let distance = travel.progress(at: seconds(to: instant)).distance
    return leg.grid.plane(travel.path.point(at: distance))
  }

  func position(
    at instant: SimInstant, _ leg: inout LegReader, _ grid: StreetGrid
  ) -> PlanePoint {
    if instant <= start { return grid.plane(leg.travel.path.origin) }
    if instant >= end { return grid.plane(leg.travel.path.target) }
    return grid.plane(leg.point(at: leg.progress(at: seconds(to: instant)).distance))
  }

  /// Returns the speed in m/s, 0 at rest, and the course in degrees clockwise from north. At a stop
  /// on the way the course is that of the street, and at a stay the course is 0.
  package func velocity(at instant: SimInstant) -> (
    metersPerSecond: Double, courseDegrees: Double
  ) {
    guard instant >= start, instant < end else { return (0, 0) }
    switch geometry {
    case .streets(let leg):
      guard isMoving else { return (0, 0) }
      let travel = LegTravel(leg, mode, duration)
      let progress = travel.progress(at: seconds(to: instant))
      let heading = leg.grid.plane(travel.path.heading(at: progress.distance))
      return (progress.isStopped ? 0 : travel.speed, Self.course(heading))
    case .recorded(let run):
      let velocity = run.velocity(at: instant)
      let speed = velocity.distance(to: PlanePoint(x: 0, y: 0))
      return speed > 0 ? (speed, Self.course(velocity)) : (0, 0)
    }
  }

  static func course(_ heading: PlanePoint) -> Double {
    let degrees = atan2(heading.x, heading.y) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  /// Returns until when the position and the surroundings of a stay surely do not change; `instant`
  /// on a trip, and for a recording.
  func unchanged(from instant: SimInstant) -> SimInstant {
    guard case .streets(let leg) = geometry, !isMoving else { return instant }
    let change = OutdoorTimes(bits: leg.key).change(after: seconds(to: instant), of: duration)
    return change.map { start + SimDuration(seconds: $0) } ?? end
  }

  package func surroundings(at instant: SimInstant) -> Surroundings {
    guard case .streets(let leg) = geometry else { return staySurroundings }
    guard isMoving else {
      return OutdoorTimes(bits: leg.key).surroundings(after: seconds(to: instant), of: duration)
        ?? staySurroundings
    }
    let travel = LegTravel(leg, mode, duration)
    let clamped = min(max(instant, start), end)
    return travel.path.surroundings(at: travel.progress(at: seconds(to: clamped)).distance)
  }

  /// Returns the time outdoors during a stay between two instants; zero for a leg.
  package func timeOutdoors(from: SimInstant, to: SimInstant) -> SimDuration {
    let time = max(.zero, min(to, end) - max(from, start))
    guard case .streets(let leg) = geometry, !isMoving else { return .zero }
    switch staySurroundings {
    case .open, .street: return time
    case .indoor, .tunnel:
      return SimDuration(
        seconds: OutdoorTimes(bits: leg.key).seconds(
          from: seconds(to: max(from, start)), to: seconds(to: min(to, end)), of: duration))
    }
  }

  /// The length of the way in metres; 0 for a stay at one point.
  package var trackLength: Double {
    switch geometry {
    case .streets(let leg): isMoving ? LegPath(leg, mode).length : 0
    case .recorded(let run): run.length
    }
  }

  /// The straight-line distance in metres; 0 for a stay at one point.
  package var straightLength: Double {
    switch geometry {
    case .streets(let leg): leg.origin.distance(to: leg.target)
    case .recorded(let run): run.first.distance(to: run.last)
    }
  }

  func seconds(to instant: SimInstant) -> Double { (instant - start).seconds }
}

struct StreetLeg: BitwiseCopyable {
  let origin: PlanePoint
  let target: PlanePoint
  let grid: StreetGrid
  /// For a leg, the key of the draws of its corners; for a stay, the bits of its `OutdoorTimes`.
  let key: UInt64
  let pace: LegPath.Pace
}

extension Segment {
  /// The key of properties that a place has at each stay, such as its cells: the place's number, or
  /// the start of a leg.
  var spot: Int64 {
    isMoving || place == Person.unknownPlace ? start.microseconds : Int64(place)
  }
}
