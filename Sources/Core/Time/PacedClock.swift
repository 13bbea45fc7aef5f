/// A linear map between scenario time and wall-clock time, rounded to whole microseconds: an
/// instant has come at `wall(of:)` and not a microsecond before; `scenario(at:)` is the newest that
/// has come. Exact within a century of the start.
package struct PacedClock: Equatable, Sendable {
  /// The start of the live part, on both timelines.
  package let scenarioStart: SimInstant
  package let wallStart: WallInstant
  /// Scenario seconds per wall second.
  package let speed: Double
  /// Whether scenario time is constant up to the start, as a server's is until its run is live;
  /// else the line extends before it, as for a fleet that resumes in the middle of its scenario.
  package let standsUntilStart: Bool

  /// `speed` must be above 0.
  package init(
    scenarioStart: SimInstant, wallStart: WallInstant, speed: Double,
    standsUntilStart: Bool = false
  ) {
    precondition(speed > 0, "speed must be above 0 (is \(speed))")
    self.scenarioStart = scenarioStart
    self.wallStart = wallStart
    self.speed = speed
    self.standsUntilStart = standsUntilStart
  }

  /// The bound of the clock from the start, in scenario time: 18,000 years on the slower of both
  /// timelines. It stops there, so that neither overflows.
  private var furthest: Double { 0x1p59 * min(1, speed) }

  /// The newest scenario instant that has come at `wall`.
  package func scenario(at wall: WallInstant) -> SimInstant {
    let lived = Double((wall - wallStart).microseconds) * speed
    let held = min(max(lived.rounded(.down), -furthest), furthest)
    let instant = scenarioStart + .microseconds(Int64(held))
    return standsUntilStart ? max(scenarioStart, instant) : instant
  }

  /// The first wall instant at which `instant` has come; the start for earlier ones.
  package func wall(of instant: SimInstant) -> WallInstant {
    let instant = standsUntilStart ? max(scenarioStart, instant) : instant
    let distance = Double((instant - scenarioStart).microseconds)
    guard distance.magnitude < furthest else {
      let most = furthest / speed
      return wallStart + .microseconds(Int64(distance < 0 ? -most : most))
    }
    let wait = distance / speed
    var wall = wallStart + .microseconds(Int64(wait.rounded(.up)))
    if standsUntilStart, instant == scenarioStart { return wall }
    // The quotient itself is rounded, perhaps across a whole microsecond.
    while scenario(at: wall) < instant { wall += .microseconds(1) }
    while scenario(at: wall - .microseconds(1)) >= instant { wall += .microseconds(-1) }
    return wall
  }
}
