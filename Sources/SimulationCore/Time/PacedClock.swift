/// How scenario time and wall time go together while a run is live: a straight line.
///
/// Both directions round to whole microseconds so that they agree. An instant has come at
/// `wall(of:)` and had not come a microsecond before; `scenario(at:)` is the newest instant that
/// has come. Both sides of a run have this clock, so both name one wall instant for one scenario
/// instant. Exact within a century of the start.
package struct PacedClock: Equatable, Sendable {
  /// The same instant on both timelines: where the live part begins.
  package let scenarioStart: SimInstant
  /// Is the wall instant at which `scenarioStart` has come.
  package let wallStart: WallInstant
  /// Scenario seconds per wall second.
  package let speed: Double
  /// Whether scenario time stands still up to the start, as a server's does until its run is live;
  /// else the line goes on before it, as for a fleet that resumes in the middle of its scenario.
  package let standsUntilStart: Bool

  /// Makes the clock of a live part; `speed` must be above 0.
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

  /// How far from the start the clock goes, in scenario time: 18,000 years on the slower of both
  /// timelines. There it stands, so that neither overflows.
  private var furthest: Double { 0x1p59 * min(1, speed) }

  /// The newest scenario instant that has come at `wall`.
  package func scenario(at wall: WallInstant) -> SimInstant {
    let lived = Double((wall - wallStart).microseconds) * speed
    let held = min(max(lived.rounded(.down), -furthest), furthest)
    let instant = scenarioStart + .microseconds(Int64(held))
    return standsUntilStart ? max(scenarioStart, instant) : instant
  }

  /// The first wall instant at which `instant` has come; of one that never had to come, the start.
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
