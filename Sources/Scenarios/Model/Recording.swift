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

  /// Creates a replay of recordings that are not GPX files, from the scenario's start on.
  package init(_ recordings: [Int], of files: [String]) {
    self = .standard
    gpx = files
    self.recordings = recordings
  }

  init(gpx: [String], align: Alignment, speed: Speed, recordings: [Int]) {
    (self.gpx, self.align, self.speed, self.recordings) = (gpx, align, speed, recordings)
  }

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

/// The uploads that an app once sent, oldest first, with all their fixes in one array.
package struct RecordedUploads: Equatable, Sendable {
  private struct Head: Equatable, Sendable, BitwiseCopyable {
    var at: SimInstant
    /// The index of the upload's first fix.
    var first: Int32
    /// The battery level in percent; above 100 if unknown.
    var battery: UInt8
  }

  private var heads: [Head] = []
  private var fixes: [Fix] = []

  package init() {}

  package var isEmpty: Bool { heads.isEmpty }
  package var count: Int { heads.count }

  /// The times of the uploads, ascending.
  package func at(_ upload: Int) -> SimInstant { heads[upload].at }

  /// The fixes of an upload in the order of sending.
  package func fixes(of upload: Int) -> ArraySlice<Fix> {
    let end = upload + 1 < count ? Int(heads[upload + 1].first) : fixes.count
    return fixes[Int(heads[upload].first)..<end]
  }

  /// The battery level in percent; nil if unknown.
  package func batteryPercent(of upload: Int) -> UInt8? {
    heads[upload].battery <= 100 ? heads[upload].battery : nil
  }

  /// Returns the number of uploads before an instant.
  package func count(before instant: SimInstant) -> Int {
    heads.firstIndex { $0.at >= instant } ?? count
  }

  package mutating func begin(at instant: SimInstant) {
    heads.append(Head(at: instant, first: Int32(fixes.count), battery: .max))
  }

  /// Adds a fix to the last upload, whose battery level is that of its last fix.
  package mutating func append(_ fix: Fix, batteryPercent: UInt8?) {
    fixes.append(fix)
    heads[count - 1].battery = batteryPercent ?? .max
  }

  package func shifted(by shift: SimDuration) -> RecordedUploads {
    if shift == .zero { return self }
    var shifted = self
    for i in heads.indices { shifted.heads[i].at += shift }
    for i in fixes.indices {
      shifted.fixes[i].time = FixTime(fixes[i].time.instant + shift)
    }
    return shifted
  }

  func combine(into hash: inout StableHash) {
    for head in heads { hash.combine(UInt64(bitPattern: head.at.microseconds)) }
    hash.combine(UInt64(fixes.count))
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
  /// What the phone's app sent, oldest first; empty for a recording of positions only.
  package var uploads = RecordedUploads()

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
    if !uploads.isEmpty { uploads.combine(into: &hash) }
    return hash.value
  }
}
