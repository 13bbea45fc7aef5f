package import SimulationCore

/// How the people of a cohort move: by an agenda, or as recorded people did.
package enum CohortMobility: Equatable, Sendable {
  case agenda(MobilityKind)
  case recorded(Replay)
}

/// A cohort that replays recordings: its phones take the files in turn, play each once, and rest
/// at its last point.
package struct Replay: Equatable, Sendable {
  /// Which moment of the scenario a recording's first point falls on.
  package enum Alignment: String, CaseIterable, Sendable {
    /// The scenario's start.
    case start
    /// Its own time of day, on the civil day of the scenario's start: the recording is moved by
    /// whole days.
    case timeOfDay
  }

  /// Absolute paths and globs.
  package var gpx: [String]
  /// Which moment of the scenario the first point of each recording falls on.
  package var align: Alignment
  /// How fast points without a speed are replayed, in files without any time.
  package var speed: Speed
  /// Which of the scenario's recordings the paths and globs stand for, in order.
  package var recordings: [Int]

  /// From a recording's own times to those of the scenario.
  package func shift(
    of recording: Recording, start: SimInstant, clock: CivilClock
  ) -> SimDuration {
    let first = recording.points[0].time
    switch align {
    case .start: return start - first
    case .timeOfDay:
      return clock.instant(of: clock.day(at: start), at: clock.timeOfDay(at: first)) - first
    }
  }
}

/// One recorded journey: at least one point, times that strictly rise.
package struct Recording: Equatable, Sendable {
  /// Is one point of a recording: a time and a position.
  package struct Point: Equatable, Sendable, BitwiseCopyable {
    /// UTC, as recorded.
    package var time: SimInstant
    /// Degrees, WGS 84.
    package var latitude: Double
    /// The longitude in degrees, WGS 84.
    package var longitude: Double

    /// Makes a point from a time in UTC and a position in degrees, WGS 84.
    package init(time: SimInstant, latitude: Double, longitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The file, as its author would call it.
  package let path: String
  /// The points in the order of their times; there is at least one.
  package let points: [Point]
  /// What was used of the file, what was skipped and why: one line.
  package let report: String

  /// Makes a recording of `points`, which must not be empty.
  package init(path: String, points: [Point], report: String) {
    precondition(!points.isEmpty, "a recording has at least one point")
    self.path = path
    self.points = points
    self.report = report
  }

  /// Tells recordings apart for caches, by their times and positions.
  var digest: UInt64 {
    var hash = StableHash()
    for point in points {
      hash.combine(UInt64(bitPattern: point.time.microseconds))
      hash.combine(point.latitude.bitPattern)
      hash.combine(point.longitude.bitPattern)
    }
    return hash.value
  }
}
