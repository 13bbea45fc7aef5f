package import SimulationCore

/// All that a sensor wants to know of the truth at one instant.
package struct Motion: Sendable, BitwiseCopyable {
  /// Is the true position on the plane, in metres from the city's centre.
  package var position: PlanePoint
  /// Metres a second.
  package var speed: Double
  /// Of length 1 and in the direction of the way, also at a stop on it; (0, 0): none.
  package var heading: PlanePoint
  /// Says what is round the phone, which decides what its radios receive.
  package var surroundings: Surroundings
}

extension Segment {
  /// `position`, `velocity` and `surroundings` at once.
  package func motion(at instant: SimInstant) -> Motion {
    var reader = MotionReader(self, at: instant)
    return reader.motion(at: instant)
  }
}

/// Reads one segment's motion at many instants, a second apart say: a leg is laid out once.
package struct MotionReader {
  private let segment: Segment
  /// Of a leg in streets.
  private var leg: LegReader?

  /// Makes a reader of the segment; the path of a leg in streets is computed here, once.
  ///
  /// - Parameter instant: the first one that will be read; any others may follow.
  package init(_ segment: Segment, at instant: SimInstant) {
    self.segment = segment
    switch segment.geometry {
    case .streets(let leg):
      self.leg =
        segment.isMoving
        ? LegReader(
          LegTravel(leg, segment.mode, segment.duration), at: segment.seconds(to: instant)) : nil
    case .recorded: leg = nil
    }
  }

  /// Returns the motion at an instant; outside the segment the position is that of the nearer end.
  package mutating func motion(at instant: SimInstant) -> Motion {
    switch segment.geometry {
    case .streets(let leg):
      segment.isMoving ? motion(at: instant, leg.grid) : segment.motionAtRest(at: instant)
    case .recorded(let run): segment.motion(at: instant, on: run)
    }
  }

  private mutating func motion(at instant: SimInstant, _ grid: StreetGrid) -> Motion {
    guard leg != nil else { preconditionFailure("a leg in streets has a reader") }
    let clamped = min(max(instant, segment.start), segment.end)
    let progress = leg!.progress(at: segment.seconds(to: clamped))
    let isUnderWay = instant >= segment.start && instant < segment.end && !progress.isStopped
    return Motion(
      position: grid.plane(leg!.point(at: progress.distance)),
      speed: isUnderWay ? leg!.travel.speed : 0,
      heading: grid.plane(leg!.heading(at: progress.distance)),
      surroundings: leg!.travel.path.surroundings(at: progress.distance))
  }
}

extension Segment {
  fileprivate func motionAtRest(at instant: SimInstant) -> Motion {
    Motion(
      position: position(at: instant), speed: 0, heading: PlanePoint(x: 0, y: 0),
      surroundings: surroundings(at: instant))
  }

  fileprivate func motion(at instant: SimInstant, on run: RecordedRun) -> Motion {
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
