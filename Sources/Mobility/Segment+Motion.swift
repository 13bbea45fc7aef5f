package import SimulationCore

/// All that a sensor wants to know of the truth at one instant.
package struct Motion: Sendable, BitwiseCopyable {
  package var position: PlanePoint
  /// Metres a second.
  package var speed: Double
  /// Of length 1 and in the direction of the way, also at a stop on it; (0, 0): none.
  package var heading: PlanePoint
  package var surroundings: Surroundings
}

extension Segment {
  /// `position`, `velocity` and `surroundings` at once: a leg is laid out once, not thrice.
  package func motion(at instant: SimInstant) -> Motion {
    switch geometry {
    case .streets(let leg): isMoving ? motion(at: instant, on: leg) : motionAtRest(at: instant)
    case .recorded(let run): motion(at: instant, on: run)
    }
  }

  private func motionAtRest(at instant: SimInstant) -> Motion {
    Motion(
      position: position(at: instant), speed: 0, heading: PlanePoint(x: 0, y: 0),
      surroundings: surroundings(at: instant))
  }

  private func motion(at instant: SimInstant, on leg: StreetLeg) -> Motion {
    let travel = LegTravel(leg, mode, duration)
    let progress = travel.progress(at: seconds(to: min(max(instant, start), end)))
    let isUnderWay = instant >= start && instant < end && !progress.isStopped
    return Motion(
      position: leg.grid.plane(travel.path.point(at: progress.distance)),
      speed: isUnderWay ? travel.speed : 0,
      heading: leg.grid.plane(travel.path.heading(at: progress.distance)),
      surroundings: travel.path.surroundings(at: progress.distance))
  }

  private func motion(at instant: SimInstant, on run: RecordedRun) -> Motion {
    let velocity = run.velocity(at: instant)
    let speed = velocity.distance(to: PlanePoint(x: 0, y: 0))
    return Motion(
      position: position(at: instant), speed: speed,
      heading: speed > 0 ? velocity * (1 / speed) : velocity,
      surroundings: surroundings(at: instant))
  }
}

extension PlanePoint {
  /// Degrees clockwise from north of this direction.
  package var courseDegrees: Double { Segment.course(self) }
}
