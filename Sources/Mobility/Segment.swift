internal import Foundation
package import SimulationCore

/// One stretch of a person's life: a stay at a place, or a leg between two. 96 bytes.
///
/// Segments tile time: this one holds for `start ..< end`, and at `end` the truth is where the
/// next one starts. All answers are closed form; nothing is stored but the key of a leg's
/// corners, or where a recording's points lie.
package struct Segment: Sendable, BitwiseCopyable {
  /// Is the first instant of the segment.
  package let start: SimInstant
  /// Is the instant at which the next segment starts.
  package let end: SimInstant
  let geometry: Geometry
  /// Stays: 0 = home, 1 = work, 2… other places. Legs: the place they lead to. Of a recording
  /// nobody knows the places.
  package let place: UInt16
  /// Legs: how. Stays: how the person came, of no meaning to a stay itself.
  package let mode: TravelMode
  /// Of a recorded stay false, although its points wander about.
  package let isMoving: Bool
  private let staySurroundings: Surroundings

  enum Geometry: BitwiseCopyable {
    case streets(StreetLeg)
    case recorded(RecordedRun)
  }

  /// A stay.
  init(
    at point: PlanePoint, grid: StreetGrid, place: UInt16, surroundings: Surroundings,
    from start: SimInstant, to end: SimInstant
  ) {
    self.start = start
    self.end = end
    geometry = .streets(
      StreetLeg(
        origin: point, target: point, grid: grid, key: 0, pace: LegPath.Pace()))
    self.place = place
    mode = .walk
    isMoving = false
    staySurroundings = surroundings
  }

  /// A leg; `end` − `start` is the duration of its path.
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

  /// A stretch of a recording.
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
    // A recorder heard satellites on the way; where somebody stays is most often a house.
    staySurroundings = isMoving ? .street : .indoor
  }

  /// Is the time from `start` to `end`.
  package var duration: SimDuration { end - start }

  /// The truth. Instants outside the segment answer with its nearer border.
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

  /// `position(at:)` of a leg that the caller reads.
  func position(
    at instant: SimInstant, _ leg: inout LegReader, _ grid: StreetGrid
  ) -> PlanePoint {
    if instant <= start { return grid.plane(leg.travel.path.origin) }
    if instant >= end { return grid.plane(leg.travel.path.target) }
    return grid.plane(leg.point(at: leg.progress(at: seconds(to: instant)).distance))
  }

  /// Speed in m/s, 0 at rest, and the course in degrees clockwise from north; the course of a
  /// stop on the way is that of the street, the course of a stay means nothing.
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

  /// Returns what is round the phone at an instant; a stay has the same surroundings throughout.
  package func surroundings(at instant: SimInstant) -> Surroundings {
    guard case .streets(let leg) = geometry, isMoving else { return staySurroundings }
    let travel = LegTravel(leg, mode, duration)
    let clamped = min(max(instant, start), end)
    return travel.path.surroundings(at: travel.progress(at: seconds(to: clamped)).distance)
  }

  /// Metres along the way; 0 for a stay at one point.
  package var trackLength: Double {
    switch geometry {
    case .streets(let leg): isMoving ? LegPath(leg, mode).length : 0
    case .recorded(let run): run.length
    }
  }

  /// Metres as the crow flies; 0 for a stay at one point.
  package var straightLength: Double {
    switch geometry {
    case .streets(let leg): leg.origin.distance(to: leg.target)
    case .recorded(let run): run.first.distance(to: run.last)
    }
  }

  func seconds(to instant: SimInstant) -> Double { (instant - start).seconds }
}

/// Where a leg's streets run; a stay has both points equal.
struct StreetLeg: BitwiseCopyable {
  /// In the grid's frame, metres.
  let origin: PlanePoint
  let target: PlanePoint
  let grid: StreetGrid
  /// Names this leg's corners, stops and surroundings.
  let key: UInt64
  let pace: LegPath.Pace
}
