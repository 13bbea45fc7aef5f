package import SimulationCore

/// Scenario time on this machine's wall: it stands at `start` until `liveAt`, then runs at `speed`.
package struct ScenarioClock: Equatable, Sendable {
  package let start: SimInstant
  package let liveAt: WallInstant
  /// Scenario seconds per wall second.
  package let speed: Double

  package init(start: SimInstant, liveAt: WallInstant, speed: Double) {
    precondition(speed > 0, "speed must be above 0 (is \(speed))")
    self.start = start
    self.liveAt = liveAt
    self.speed = speed
  }

  package func scenario(at wall: WallInstant) -> SimInstant {
    let lived = Double(max(0, (wall - liveAt).microseconds))
    return start + .microseconds(Int64((lived * speed).rounded(.down)))
  }

  /// The first wall instant at which `scenario` has come.
  package func wall(at scenario: SimInstant) -> WallInstant {
    let lived = Double(max(0, (scenario - start).microseconds))
    return liveAt + .microseconds(Int64((lived / speed).rounded(.up)))
  }
}
