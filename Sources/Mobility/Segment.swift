internal import Foundation
package import SimulationCore

/// One stretch of a person's life: a stay at a place, or a leg between two. 96 bytes.
///
/// Segments tile time: this one holds for `start ..< end`, and at `end` the truth is where the
/// next one starts. All answers are closed form; nothing is stored but the leg's corners' key.
package struct Segment: Sendable, BitwiseCopyable {
  package let start: SimInstant
  package let end: SimInstant
  /// In the grid's frame, metres. A stay has all three equal.
  let origin: PlanePoint
  let via: PlanePoint
  let target: PlanePoint
  let grid: StreetGrid
  /// Names this leg's corners, stops and surroundings.
  let key: UInt64
  /// Stays: 0 = home, 1 = work, 2… other places. Legs: the place they lead to.
  package let place: UInt16
  /// Legs: how. Stays: how the person came, of no meaning to a stay itself.
  package let mode: TravelMode
  package let isMoving: Bool
  private let staySurroundings: Surroundings

  /// A stay.
  init(
    at point: PlanePoint, grid: StreetGrid, place: UInt16, surroundings: Surroundings,
    from start: SimInstant, to end: SimInstant
  ) {
    self.start = start
    self.end = end
    origin = point
    via = point
    target = point
    self.grid = grid
    key = 0
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
    origin = path.origin
    via = path.via
    target = path.target
    self.grid = grid
    key = path.key
    self.place = place
    mode = path.mode
    isMoving = true
    staySurroundings = .street
  }

  package var duration: SimDuration { end - start }

  /// The truth. Instants outside the segment answer with its nearer border.
  package func position(at instant: SimInstant) -> PlanePoint {
    isMoving ? position(at: instant, LegTravel(self)) : grid.plane(origin)
  }

  /// `position(at:)` of a leg whose travel the caller has at hand.
  func position(at instant: SimInstant, _ travel: LegTravel) -> PlanePoint {
    if instant <= start { return grid.plane(origin) }
    if instant >= end { return grid.plane(target) }
    return grid.plane(travel.path.point(at: travel.progress(at: seconds(to: instant)).distance))
  }

  /// Speed in m/s, 0 at rest, and the course in degrees clockwise from north; the course of a
  /// stop on the way is that of the street, the course of a stay means nothing.
  package func velocity(at instant: SimInstant) -> (
    metersPerSecond: Double, courseDegrees: Double
  ) {
    guard isMoving, instant >= start, instant < end else { return (0, 0) }
    let travel = LegTravel(self)
    let progress = travel.progress(at: seconds(to: instant))
    let heading = travel.path.heading(at: progress.distance)
    let east = heading.x * grid.cosine - heading.y * grid.sine
    let north = heading.x * grid.sine + heading.y * grid.cosine
    var degrees = atan2(east, north) * 180 / .pi
    if degrees < 0 { degrees += 360 }
    return (progress.isStopped ? 0 : travel.speed, degrees)
  }

  package func surroundings(at instant: SimInstant) -> Surroundings {
    guard isMoving else { return staySurroundings }
    let travel = LegTravel(self)
    let clamped = min(max(instant, start), end)
    return travel.path.surroundings(at: travel.progress(at: seconds(to: clamped)).distance)
  }

  /// Metres along the streets; 0 for a stay.
  package var trackLength: Double { isMoving ? LegPath(self).length : 0 }

  /// Metres as the crow flies; 0 for a stay.
  package var straightLength: Double { origin.distance(to: target) }

  func seconds(to instant: SimInstant) -> Double { (instant - start).seconds }
}
