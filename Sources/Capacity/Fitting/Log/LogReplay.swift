package import Core
internal import Foundation
package import Scenarios

/// The uploads of a log, which phones of a fleet send again.
///
/// Fixes of a phone that the server received together are one upload, at the time of receipt. In a
/// log without times of receipt each fix is an upload, at the time of the fix.
package struct LogReplay: Sendable {
  package private(set) var recordings: [Recording] = []
  package private(set) var fixes = 0
  package private(set) var uploads = 0
  /// The number of rows without a position, or sent a week or more apart from the others.
  package private(set) var leftOut = 0
  /// The first and the last upload of the log.
  package let span: Range<SimInstant>
  package let hasReceipts: Bool
  private let utcOffset: SimDuration
  private let centre: (latitude: Double, longitude: Double)

  /// Throws if no row has a position.
  package init(_ log: PhoneLog) throws(LogError) {
    let placed = log.rows.filter { !$0.latitude.isNaN && !$0.longitude.isNaN }
    let times = PhoneLog.together(placed.map(\.sent))
    guard let first = times.first, let last = times.last, let centre = log.centre else {
      throw .format(
        "the log has no positions; name their columns: --columns latitude=NAME,longitude=NAME.")
    }
    self.centre = centre
    span = SimInstant(microseconds: first)..<SimInstant(microseconds: last)
    // A time zone is 15 degrees wide.
    utcOffset = .hours(Int64((centre.longitude / 15).rounded()))
    hasReceipts = log.columns.contains(.received)
    for phone in log.phones.indices {
      let rows = log.rows(of: phone).filter {
        (first...last).contains($0.sent) && !$0.latitude.isNaN && !$0.longitude.isNaN
      }
      leftOut += log.rows(of: phone).count - rows.count
      if !rows.isEmpty { add(rows, of: log.phones[phone]) }
    }
  }

  private mutating func add(_ rows: [LogRow], of phone: String) {
    var recording = Recording(
      path: phone,
      points: rows.map {
        .init(
          time: SimInstant(microseconds: $0.time), latitude: $0.latitude, longitude: $0.longitude)
      }, report: "\(phone): \(rows.count) fixes")
    var last: Int64?
    for row in rows.sorted(by: { $0.sent < $1.sent }) {
      let isNew = last.map { row.sent - $0 > LogSample.batchMicroseconds } ?? true
      if isNew || row.received == nil {
        recording.uploads.begin(at: SimInstant(microseconds: row.sent))
      }
      last = row.sent
      recording.uploads.append(Fix(row), batteryPercent: row.batteryPercent)
    }
    fixes += rows.count
    uploads += recording.uploads.count
    recordings.append(recording)
  }

  // MARK: The scenario

  /// Returns the text of a scenario whose phones send the log's uploads.
  package func scenarioText(_ name: String) -> String {
    let what = "\(Figure.grouped(uploads)) uploads of \(name)"
    let clock = CivilClock(utcOffset: utcOffset)
    // A scenario begins at a full second, and its last upload is before its end.
    let second: Int64 = 1_000_000
    let start = SimInstant(microseconds: span.lowerBound.microseconds / second * second)
    let seconds = max(1, (span.upperBound - start).microseconds / second + 1)
    return """
      scenario: \(name)
      question: Does the server keep up with the \(what)?
      answers: capacity
      start: \(CivilText.text(start, clock))
      duration: \(seconds)s
      warmStart: 0s
      speed: 1
      phases: { ramp: 0s, drain: 1min }
      city:
        centre: [\(FittedFiles.number(centre.latitude)), \(FittedFiles.number(centre.longitude))]
        radius: 12km
        utcOffset: \(CivilText.offsetText(utcOffset))
      fleet:
        phones: \(recordings.count)
        cohorts: [{ name: log, share: 100%, mobility: commuter, policy: hybrid }]
        phone: { unregistered: 0%, withoutSIM: 0%, clock: { sigma: 0s, setWrong: 0% } }
      network:
        cellular: { floor: 0s, mean: 0s }
        wifi: { floor: 0s, mean: 0s }
      push: { scheduler: none }

      """
  }

  /// Gives the phones of a scenario the log's recordings, in turn, and ends it with the log. Throws
  /// if the scenario begins after the log.
  package func put(
    into scenario: inout Scenario, from files: [String]
  ) throws(LogError) {
    guard scenario.start <= span.upperBound else {
      throw .format(
        "the log's last upload is at \(CivilText.text(span.upperBound, scenario.clock)), before "
          + "the start; give an earlier start.")
    }
    scenario.duration = min(scenario.duration, span.upperBound - scenario.start + .seconds(1))
    // The recordings keep their times, so that a later start leaves out the first uploads.
    scenario.recordings = recordings.map {
      var recording = $0
      recording.begins = scenario.start
      return recording
    }
    for cohort in scenario.fleet.cohorts.indices {
      scenario.fleet.cohorts[cohort].mobility = .recorded(
        Replay(Array(recordings.indices), of: files))
    }
    for policy in scenario.policies.indices { scenario.policies[policy].name = "log" }
  }
}

extension LogRow {
  /// The time of the upload with this fix, in microseconds since 1970.
  fileprivate var sent: Int64 { received ?? time }

  fileprivate var batteryPercent: UInt8? {
    battery.isNaN ? nil : UInt8(clamping: Int((battery <= 1 ? battery * 100 : battery).rounded()))
  }
}

extension Fix {
  /// Speed and course of a log's fix are unknown.
  fileprivate init(_ row: LogRow) {
    self.init(
      coordinate: Coordinate(
        latitudeE6: Int32((row.latitude * 1e6).rounded()),
        longitudeE6: Int32((row.longitude * 1e6).rounded())),
      time: FixTime(SimInstant(microseconds: row.time)),
      accuracyMeters: row.accuracy.isNaN
        ? Fix.unknownAccuracy : UInt16(clamping: Int(min(row.accuracy, 1e6).rounded())),
      speedDecimetersPerSecond: -1, courseDegrees: -1)
  }
}
