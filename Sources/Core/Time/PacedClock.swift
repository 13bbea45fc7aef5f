/// A linear map between scenario time and wall-clock time, rounded to whole microseconds. An
/// instant has come at `wall(of:)` and not a microsecond before; `scenario(at:)` is the newest
/// instant that has come. The map is exact within a century of the start.
package struct PacedClock: Equatable, Sendable {
  /// The start of the live part, in scenario time and in wall-clock time.
  package let scenarioStart: SimInstant
  package let wallStart: WallInstant
  /// Scenario seconds per wall-clock second.
  package let speed: Double
  /// Whether scenario time stands still until the start, as on a server until its run is live. If
  /// false, scenario time runs before the start, as for a fleet that resumes in mid-scenario.
  package let standsUntilStart: Bool

  /// - Parameter speed: must be above 0.
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

  /// The scenario time from the start, in µs, at which the clock stops, so that no time overflows:
  /// 18,000 years of scenario time or of wall-clock time, whichever ends first.
  private var furthest: Double { 0x1p59 * min(1, speed) }

  /// Returns the newest scenario instant that has come at `wall`.
  package func scenario(at wall: WallInstant) -> SimInstant {
    let lived = Double((wall - wallStart).microseconds) * speed
    let held = min(max(lived.rounded(.down), -furthest), furthest)
    let instant = scenarioStart + .microseconds(Int64(held))
    return standsUntilStart ? max(scenarioStart, instant) : instant
  }

  /// Returns when `instant` has first come; at the earliest `wallStart` if `standsUntilStart`.
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
