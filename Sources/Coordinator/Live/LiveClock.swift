internal import SimulationCore

/// How scenario time and wall time go together while a run is live.
struct LiveClock: Sendable {
  let scenarioStart: SimInstant
  let wallStart: WallInstant
  /// Scenario seconds per wall second.
  let speed: Double

  func scenario(at wall: WallInstant) -> SimInstant {
    scenarioStart
      + SimDuration(
        microseconds: Int64(Double((wall - wallStart).microseconds) * speed))
  }

  func wall(of instant: SimInstant) -> WallInstant {
    wallStart
      + WallDuration(
        microseconds: Int64(Double((instant - scenarioStart).microseconds) / speed))
  }
}
