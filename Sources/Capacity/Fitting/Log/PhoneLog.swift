package import Core

/// One fix as a server logged it, in 48 bytes.
package struct LogRow: Equatable, Sendable, BitwiseCopyable {
  /// The timestamp of the fix, in microseconds since 1970.
  package var time: Int64
  /// The time of receipt, in microseconds since 1970; nil if the log lacks it.
  package var received: Int64? {
    get { receivedOrNone == .min ? nil : receivedOrNone }
    set { receivedOrNone = newValue ?? .min }
  }
  private var receivedOrNone: Int64
  package var phone: UInt32
  /// The latitude in degrees; NaN if unknown.
  package var latitude: Double
  /// The longitude in degrees; NaN if unknown.
  package var longitude: Double
  /// The horizontal accuracy in metres; NaN if it was not logged or the phone had none.
  package var accuracy: Float
  /// The battery level as logged; NaN if the log lacks it.
  package var battery: Float
  /// The index of the app's version in `PhoneLog.versions`; 65,535 for none.
  package var version: UInt16

  package static let noVersion = UInt16.max

  package init(phone: UInt32, time: Int64, received: Int64? = nil, accuracy: Float = .nan) {
    self.phone = phone
    self.time = time
    receivedOrNone = received ?? .min
    latitude = .nan
    longitude = .nan
    self.accuracy = accuracy
    battery = .nan
    version = Self.noVersion
  }

  /// Compares rows as stored, so that unknown values (NaN) are equal.
  package static func == (a: LogRow, b: LogRow) -> Bool {
    a.time == b.time && a.receivedOrNone == b.receivedOrNone && a.phone == b.phone
      && a.version == b.version && a.latitude.bitPattern == b.latitude.bitPattern
      && a.longitude.bitPattern == b.longitude.bitPattern
      && a.accuracy.bitPattern == b.accuracy.bitPattern
      && a.battery.bitPattern == b.battery.bitPattern
  }
}

package struct LogCounts: Equatable, Sendable, Codable {
  package var rows = 0
  /// The number of rows dropped because a row of the same phone and fix time arrived earlier.
  package var duplicates = 0
  /// The number of rows earlier than the same phone's previous row.
  package var outOfOrder = 0
  package var skipped = 0
  package var receivedEarly = 0
}

package struct PhoneLog: Sendable {
  /// The rows by phone, then by fix time. No two rows of a phone have the same fix time.
  package private(set) var rows: [LogRow] = []
  package private(set) var phones: [String]
  package private(set) var versions: [String]
  package private(set) var columns: Set<LogColumn>
  package private(set) var counts: LogCounts
  /// Clauses for the report on how the reader took ambiguous columns.
  package private(set) var notes: [String]
  /// The index of each phone's first row in `rows`, and at the end the number of rows.
  private(set) var starts: [Int] = []

  /// Sorts rows. Of rows with equal phone and fix time, keeps the first to arrive.
  package init(
    rows unsorted: [LogRow], phones: [String], versions: [String] = [],
    columns: Set<LogColumn>, counts: LogCounts = LogCounts(), notes: [String] = []
  ) {
    self.notes = notes
    self.phones = phones
    self.versions = versions
    self.columns = columns
    self.counts = counts
    var sorted = unsorted
    sorted.sort {
      ($0.phone, $0.time, $0.received ?? .max) < ($1.phone, $1.time, $1.received ?? .max)
    }
    rows.reserveCapacity(sorted.count)
    for row in sorted {
      if let last = rows.last, last.phone == row.phone, last.time == row.time {
        self.counts.duplicates += 1
      } else {
        rows.append(row)
      }
    }
    starts = [Int](repeating: 0, count: phones.count + 1)
    for row in rows {
      starts[Int(row.phone) + 1] += 1
      if let received = row.received, received < row.time { self.counts.receivedEarly += 1 }
    }
    for phone in phones.indices { starts[phone + 1] += starts[phone] }
  }

  func rows(of phone: Int) -> ArraySlice<LogRow> { rows[starts[phone]..<starts[phone + 1]] }

  /// The time span of the fixes, without `astray` and a thousandth at either end; nil if empty.
  package var window: Range<SimInstant>? {
    let times = together
    guard !times.isEmpty else { return nil }
    let cut = times.count / 1_000
    let low = SimInstant(microseconds: times[times.startIndex + cut])
    // A range excludes its end, so one microsecond more includes the last fix.
    return low..<SimInstant(microseconds: times[times.endIndex - 1 - cut] + 1)
  }

  /// The number of fixes that an empty week separates from the rest, such as those dated 1970.
  package var astray: Int { rows.count - together.count }

  private static let gapMax = SimDuration.hours(168)

  private var together: ArraySlice<Int64> { Self.together(rows.map(\.time)) }

  /// Returns the times, ascending, without those that an empty week separates from most of them.
  static func together(_ times: [Int64]) -> ArraySlice<Int64> {
    let times = times.sorted()
    var most = 0..<0
    var start = 0
    for place in times.indices {
      if place > 0, times[place] - times[place - 1] > gapMax.microseconds { start = place }
      if place + 1 - start > most.count { most = start..<(place + 1) }
    }
    return times[most]
  }

  package var centre: (latitude: Double, longitude: Double)? {
    let latitudes = rows.map(\.latitude).filter { !$0.isNaN }.sorted()
    let longitudes = rows.map(\.longitude).filter { !$0.isNaN }.sorted()
    guard !latitudes.isEmpty, !longitudes.isEmpty else { return nil }
    return (latitudes[latitudes.count / 2], longitudes[longitudes.count / 2])
  }

  /// Splits phones with a fix in `window` by the hash of their names: the lower half is fitted, and
  /// the other is held out. Returns nil for fewer than two phones.
  package func halves(in window: Range<SimInstant>) -> (fitted: Set<Int>, held: Set<Int>)? {
    let present = phones.indices.filter { phone in
      rows(of: phone).contains { window.contains(SimInstant(microseconds: $0.time)) }
    }
    guard present.count > 1 else { return nil }
    let ordered = present.sorted {
      let (a, b) = (Self.hash(phones[$0]), Self.hash(phones[$1]))
      return a != b ? a < b : phones[$0] < phones[$1]
    }
    let middle = (ordered.count + 1) / 2
    return (Set(ordered[..<middle]), Set(ordered[middle...]))
  }

  /// Returns a hash that is equal on every machine, and unrelated for similar names.
  static func hash(_ name: String) -> UInt64 { StableHash(of: name).value }
}
