package import Core

/// The true motion at one instant, as sensors need it.
package struct Motion: Sendable, BitwiseCopyable {
  package var position: PlanePoint
  package var speed: Double
  /// A vector of length 1 in the direction of the way, also at a stop; (0, 0) without a direction.
  package var heading: PlanePoint
  /// The surroundings, which determine what the phone's radios receive.
  package var surroundings: Surroundings
}

extension Segment {
  package func motion(at instant: SimInstant) -> Motion {
    var reader = MotionReader(self, at: instant)
    return reader.motion(at: instant)
  }
}

package struct MotionReader {
  private let segment: Segment
  private var leg: LegReader?

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

  /// Returns the true motion at an instant. Outside the segment the position is its nearer end.
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
  /// The direction of the vector, in degrees clockwise from north.
  package var courseDegrees: Double { Segment.course(self) }
}
