package import Core

package enum CohortMobility: Equatable, Sendable {
  case agenda(MobilityKind)
  case recorded(Replay)
}

/// The replay of recordings by a cohort. Phones take the files in turn, play one and then rest.
package struct Replay: Equatable, Sendable {
  package enum Alignment: String, CaseIterable, Sendable {
    case start
    /// The recording keeps its time of day, and moves by whole days to the day of the start.
    case timeOfDay
  }

  package enum Split: String, CaseIterable, Sendable {
    case file, track
  }

  /// The files, as absolute paths and globs.
  package var gpx: [String]
  /// Whether a recording is a file or one of its tracks.
  package var split = Split.file
  package var align: Alignment
  /// The speed in files without any time, for points without a speed.
  package var speed: Speed
  /// The indices in `Scenario.recordings` of the recordings that phones take in turn.
  package var recordings: [Int]

  package func shift(
    of recording: Recording, start: SimInstant, clock: CivilClock
  ) -> SimDuration {
    let first = recording.begins
    switch align {
    case .start: return start - first
    case .timeOfDay:
      return clock.instant(of: clock.day(at: start), at: clock.timeOfDay(at: first)) - first
    }
  }
}

/// One recorded journey, with at least one point and strictly rising times.
package struct Recording: Equatable, Sendable {
  package struct Point: Equatable, Sendable, BitwiseCopyable {
    /// The time in UTC, as recorded.
    package var time: SimInstant
    /// The latitude in degrees, WGS 84.
    package var latitude: Double
    package var longitude: Double

    package init(time: SimInstant, latitude: Double, longitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  package let path: String
  package let points: [Point]
  package let report: String
  /// When the recording begins: before its first point if an earlier track of its file does.
  package var begins: SimInstant

  /// Creates a recording of `points`, which must not be empty.
  package init(path: String, points: [Point], report: String) {
    precondition(!points.isEmpty, "a recording has at least one point")
    self.path = path
    self.points = points
    self.report = report
    begins = points[0].time
  }

  /// A hash of times and positions that identifies the recording in caches.
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
