internal import Core
package import Foundation

/// `phones.json`: the states of some phones at some instants, for the report's map, and the days of
/// a few phones. All numbers are integers. Lists from `phones` to `newest` have one entry a phone.
///
/// A place is latitude and longitude in millionths of a degree, minus `base`. A list of *steps* has
/// only changes: the number of instants since the last change, then each value's difference.
package struct PhoneSample: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = PhoneSample.schemaVersion
  /// Scenario time in seconds since 1970, as in `timeline.csv`.
  package var instants: [Int] = []
  /// The age in seconds up to which a position is fresh.
  package var freshSeconds = 0
  package var base = [0, 0]
  package var cohorts: [String] = []
  /// The operating system of each cohort; nil in a file of an older version.
  package var systems: [String]?
  package var phones: [Int] = []
  /// The index of the phone's cohort in `cohorts`.
  package var cohort: [Int] = []
  /// The place of the phone's home; empty if the model has none.
  package var home: [[Int]] = []
  package var work: [[Int]] = []
  /// The places at which a phone was at rest, other than home and work.
  package var rests: [[Int]] = []
  /// Steps of latitude and longitude: the true position.
  package var places: [[Int]] = []
  /// Steps of the index in `states`.
  package var state: [[Int]] = []
  /// Steps of the time of the newest position at the server, in scenario seconds since the first
  /// instant; `never` without a position.
  package var newest: [[Int]] = []
  package var days: [Day] = []

  /// The value of `newest` for a phone without a position at the server.
  package static let never = -1_000_000_000
  package static let fresh = 0
  package static let ageing = 1
  package static let states = ["fresh", "ageing"] + StaleCause.allCases.map(\.rawValue)
  package var states = PhoneSample.states
  package var sources = FixSource.allCases.map(\.name)

  /// The most bytes of the phones: a report, of at most 1.5 MB in all, contains a copy of the file.
  package static let phoneBytesMax = 400_000
  package static let dayBytesMax = 300_000

  package init() {}

  /// A phone's day, as `flotilla explain` describes it. A value *as growth* is the difference from
  /// the previous value in its list. The first time is in seconds since the sample's first instant.
  package struct Day: Codable, Equatable, Sendable {
    package var phone: Int
    package var introduction: String
    package var lines: [String] = []
    package var times: [Int] = []
    /// The true path: the time, latitude and longitude of each point, all as growth.
    package var way: [Int] = []
    /// For each fix: time, latitude and longitude as growth, accuracy in metres, index in
    /// `sources`, 1 if the app kept the fix, and index in `lines`.
    package var fixes: [Int] = []
    /// For each mark: time as growth, raw value of `Mark`, and index in `lines`.
    package var marks: [Int] = []
    package var isCut = false

    package enum Mark: Int, Sendable {
      case wake, upload, acknowledged, failed, push, answered, unanswered
    }

    package init(phone: Int, introduction: String) {
      self.phone = phone
      self.introduction = introduction
    }
  }

  // MARK: Steps

  /// - Parameter value: Returns the value of a column at an instant.
  package static func steps(
    _ count: Int, width: Int, _ value: (_ instant: Int, _ column: Int) -> Int
  ) -> [Int] {
    var steps: [Int] = []
    var last = [Int](repeating: 0, count: width)
    var since = 0
    for i in 0..<count {
      var isNew = i == 0
      for k in 0..<width where value(i, k) != last[k] { isNew = true }
      guard isNew else { continue }
      steps.append(i - since)
      for k in 0..<width {
        let now = value(i, k)
        steps.append(now - last[k])
        last[k] = now
      }
      since = i
    }
    return steps
  }

  /// Returns the values of each instant in turn, the inverse of `steps`; nil if steps are damaged.
  package static func rows(_ steps: [Int], width: Int, count: Int) -> [Int]? {
    var rows: [Int] = []
    rows.reserveCapacity(width * count)
    let isWhole = forEachStep(steps, width: width, count: count) { gap, row in
      for _ in 0..<gap { rows += row }
    }
    return isWhole ? rows : nil
  }

  /// Calls `body` with each row and its number of instants. Returns false if `steps` are damaged.
  private static func forEachStep(
    _ steps: [Int], width: Int, count: Int, _ body: (_ gap: Int, _ row: [Int]) -> Void
  ) -> Bool {
    guard steps.count % (width + 1) == 0, steps.first ?? 0 == 0 else { return false }
    var row = [Int](repeating: 0, count: width)
    var left = count
    for start in stride(from: 0, to: steps.count, by: width + 1) {
      let gap = steps[start]
      guard (0...left).contains(gap) else { return false }
      if gap > 0 { body(gap, row) }
      left -= gap
      for k in 0..<width {
        let (sum, isTooLarge) = row[k].addingReportingOverflow(steps[start + 1 + k])
        guard !isTooLarge else { return false }
        row[k] = sum
      }
    }
    if left > 0 { body(left, row) }
    return true
  }

  // MARK: As a file

  package var damage: String? {
    let lists = [cohort.count, home.count, work.count, rests.count]
    guard (lists + [places.count, state.count, newest.count]).allSatisfy({ $0 == phones.count })
    else { return "its lists are not equally long." }
    guard systems?.count ?? cohorts.count == cohorts.count else {
      return "it does not have a system for each cohort."
    }
    guard base.count == 2, cohort.allSatisfy(cohorts.indices.contains),
      (home + work).allSatisfy({ $0.isEmpty || $0.count == 2 }),
      rests.allSatisfy({ $0.count.isMultiple(of: 2) })
    else { return "a place or a cohort is damaged." }
    let count = instants.count
    let isWhole = phones.indices.allSatisfy { i in
      var isKnown = true
      return Self.forEachStep(places[i], width: 2, count: count) { _, _ in }
        && Self.forEachStep(newest[i], width: 1, count: count) { _, _ in }
        && Self.forEachStep(state[i], width: 1, count: count) { _, row in
          if !states.indices.contains(row[0]) { isKnown = false }
        } && isKnown
    }
    guard isWhole else { return "its steps are damaged." }
    let known = Set(phones)
    // A sample for the page of a single phone has that phone's day, but no list of phones.
    let daysAreWhole = days.allSatisfy {
      (known.isEmpty || known.contains($0.phone)) && $0.isWhole(sources.count)
    }
    return daysAreWhole ? nil : "a day is damaged."
  }

  /// Returns the JSON on one line, as it is embedded in a page.
  package func json() throws -> Data { Data(try jsonText().utf8) }

  /// Removes the last days, then every other phone, until days and phones keep their byte limits.
  package mutating func fit() {
    var ofDays = days.map { Self.bytes($0) }
    while ofDays.reduce(0, +) > Self.dayBytesMax {
      ofDays.removeLast()
      days.removeLast()
    }
    while bytes > Self.phoneBytesMax {
      let isKept = phones.indices.map { $0.isMultiple(of: 2) }
      func half<Value>(_ values: [Value]) -> [Value] {
        zip(values, isKept).filter(\.1).map(\.0)
      }
      (phones, cohort, home, work) = (half(phones), half(cohort), half(home), half(work))
      (rests, places, state, newest) = (half(rests), half(places), half(state), half(newest))
      days.removeAll { !phones.contains($0.phone) }
    }
  }

  private var bytes: Int { Self.bytes([places, newest, state, rests, home, work]) }

  /// Returns the number of bytes of a value as JSON.
  private static func bytes(_ value: some Encodable) -> Int {
    (try? JSONEncoder().encode(value))?.count ?? 0
  }
}

extension PhoneSample.Day {
  fileprivate func isWhole(_ sources: Int) -> Bool {
    guard times.count == lines.count, way.count % 3 == 0, fixes.count % 7 == 0,
      marks.count % 3 == 0
    else { return false }
    return stride(from: 4, to: fixes.count, by: 7).allSatisfy { (0..<sources).contains(fixes[$0]) }
      && stride(from: 1, to: marks.count, by: 3).allSatisfy { Mark(rawValue: marks[$0]) != nil }
  }
}
