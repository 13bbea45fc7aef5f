package import Core
internal import Foundation

package struct LogSample: Sendable {
  /// The shortest gap between fixes that counts as a silence: the age up to which a fix is fresh.
  package static let silenceSeconds = 1_800.0
  /// The time within which received rows of a phone are one batch, since servers stamp each row.
  static let batchMicroseconds: Int64 = 1_000_000

  package private(set) var phones = 0
  package private(set) var fixes = 0
  /// The times between consecutive fixes of a phone, in seconds, ascending.
  package private(set) var intervals: [Double] = []
  /// The horizontal accuracies in metres, ascending.
  package private(set) var accuracies: [Double] = []
  /// The times from a fix to its receipt, in seconds, ascending, without negative values.
  package private(set) var delays: [Double] = []
  /// The delay of the newest fix of each batch, in seconds, ascending: the network's part.
  package private(set) var newestDelays: [Double] = []
  /// The gaps of at least `silenceSeconds`; a gap cut short by the window's end is censored.
  package private(set) var silences: [KaplanMeier.Observation] = []
  /// The number of fixes by hour of the week, from Monday 0 h.
  package private(set) var hours = [Double](repeating: 0, count: 168)
  package private(set) var batches: [Double] = []
  /// The times between consecutive batches of a phone, in seconds, ascending.
  package private(set) var sendGaps: [Double] = []
  /// The metres between two fixes of a phone at most ten minutes apart, ascending.
  package private(set) var steps: [Double] = []
  package private(set) var coarsePhones = 0

  /// Ignores fixes outside `window`. Nil `phones` means all; `clock` gives the local hours.
  package init(
    _ log: PhoneLog, of phones: Set<Int>? = nil, in window: Range<SimInstant>, clock: CivilClock
  ) {
    for phone in log.phones.indices where phones?.contains(phone) ?? true {
      let rows = log.rows(of: phone).filter {
        window.contains(SimInstant(microseconds: $0.time))
      }
      guard !rows.isEmpty else { continue }
      self.phones += 1
      fixes += rows.count
      add(rows, clock, until: window.upperBound)
      addBatches(rows)
    }
    intervals.sort()
    accuracies.sort()
    delays.sort()
    newestDelays.sort()
    batches.sort()
    sendGaps.sort()
    steps.sort()
  }

  private mutating func add(_ rows: [LogRow], _ clock: CivilClock, until end: SimInstant) {
    var last: LogRow?
    var own: [Double] = []
    for row in rows {
      let at = SimInstant(microseconds: row.time)
      let day = clock.day(at: at)
      let hour = clock.timeOfDay(at: at).microseconds / 3_600_000_000
      hours[Int(clock.weekday(of: day)) * 24 + Int(hour)] += 1
      if !row.accuracy.isNaN { own.append(Double(row.accuracy)) }
      if let received = row.received, received >= row.time {
        delays.append(Double(received - row.time) / 1e6)
      }
      if let last {
        let seconds = Double(row.time - last.time) / 1e6
        intervals.append(seconds)
        if seconds >= Self.silenceSeconds {
          silences.append(.init(time: seconds, isEvent: true))
        }
        if seconds <= 600, let meters = Self.meters(last, row) { steps.append(meters) }
      }
      last = row
    }
    if let last {
      let left = (end - SimInstant(microseconds: last.time)).seconds
      if left >= Self.silenceSeconds { silences.append(.init(time: left, isEvent: false)) }
    }
    if let middle = own.median(.inverse), middle >= 1_000 { coarsePhones += 1 }
    accuracies += own
  }

  private mutating func addBatches(_ rows: [LogRow]) {
    let arrived = rows.filter { $0.received != nil }.sorted {
      ($0.received ?? 0, $0.time) < ($1.received ?? 0, $1.time)
    }
    var size = 0.0
    var newest: Int64 = .min
    var before: LogRow?
    var begin: Int64?
    func gap(_ a: Int64?, _ b: Int64) -> Double? { a.map { Double(b - $0) / 1e6 } }
    for row in arrived {
      guard let received = row.received else { continue }
      if let last = before?.received, received - last <= Self.batchMicroseconds {
        size += 1
        newest = max(newest, row.time)
      } else {
        if let last = before?.received { close(size, last, newest) }
        if let gap = gap(begin, received) { sendGaps.append(gap) }
        begin = received
        size = 1
        newest = row.time
      }
      before = row
    }
    if let last = before?.received { close(size, last, newest) }
  }

  private mutating func close(_ size: Double, _ received: Int64, _ newest: Int64) {
    batches.append(size)
    if received >= newest { newestDelays.append(Double(received - newest) / 1e6) }
  }

  private static func meters(_ a: LogRow, _ b: LogRow) -> Double? {
    guard !a.latitude.isNaN, !b.latitude.isNaN, !a.longitude.isNaN, !b.longitude.isNaN else {
      return nil
    }
    let north = (b.latitude - a.latitude) * metersPerDegree
    let east =
      (b.longitude - a.longitude) * metersPerDegree * cos(a.latitude * .pi / 180)
    return (north * north + east * east).squareRoot()
  }

  /// The length of a degree of latitude on a sphere with a radius of 6,371 km.
  private static let metersPerDegree = 111_195.0

  // MARK: Figures

  package func count(of figure: FitFigure) -> Int {
    switch figure {
    case .hours: fixes
    case .silences: silences.count
    case .intervals, .accuracy, .delays, .batches: values(of: figure).count
    }
  }

  /// Returns the values of a figure, ascending: only silences that ended, and none for the hours.
  package func values(of figure: FitFigure) -> [Double] {
    switch figure {
    case .intervals: intervals
    case .accuracy: accuracies
    case .delays: delays
    case .batches: batches
    case .silences: silences.filter(\.isEvent).map(\.time).sorted()
    case .hours: []
    }
  }

  package var dayHours: [Double] {
    (0..<24).map { hour in
      stride(from: hour, to: 168, by: 24).reduce(0) { $0 + hours[$1] }
    }
  }

  /// Returns the distance in a figure; nil if one sample has too few values.
  package func distance(to other: LogSample, in figure: FitFigure) -> Double? {
    guard count(of: figure) >= figure.valuesMin, other.count(of: figure) >= figure.valuesMin else {
      return nil
    }
    switch figure {
    case .intervals, .accuracy, .delays, .batches:
      return SampleDistance.kolmogorovSmirnov(values(of: figure), other.values(of: figure))
    case .silences:
      // A silence cut short by the window's end counts with its observed length in both samples.
      let (a, b) = (silences.map(\.time).sorted(), other.silences.map(\.time).sorted())
      return SampleDistance.wasserstein(a, b).map { $0 / 3_600 }
    case .hours: return SampleDistance.circular(dayHours, other.dayHours)
    }
  }

  /// Returns the mean of the distances, each in shares of `DistanceMeasure.whole`; nil without any.
  /// A figure that only this sample supports counts as 1, to penalise silent simulations.
  package func loss(to simulated: LogSample) -> Double? {
    let parts: [Double] = FitFigure.allCases.compactMap { figure in
      guard count(of: figure) >= figure.valuesMin else { return nil }
      // The simulation has too few values of this figure: the worst distance.
      guard let distance = distance(to: simulated, in: figure) else { return 1 }
      return min(1, distance / figure.measure.whole)
    }
    return parts.isEmpty ? nil : parts.reduce(0, +) / Double(parts.count)
  }
}

package struct SourceMix: Equatable, Sendable, Codable {
  /// The accuracy in metres from which a fix is not from satellites; Wi-Fi has about 30 m.
  package static let wifiFrom = 25.0
  /// The accuracy in metres from which a fix is from a cell: poor Wi-Fi has 165 m, a cell 500 m.
  package static let cellFrom = 300.0

  /// The share of fixes with an accuracy below `wifiFrom`, 0 ... 1.
  package var satellites: Double
  package var wifi: Double
  /// The share of fixes with an accuracy from `cellFrom` on, 0 ... 1.
  package var cell: Double

  /// Counts fixes by their accuracies, which are ascending; nil without any.
  package init?(_ accuracies: [Double]) {
    guard !accuracies.isEmpty else { return nil }
    let whole = Double(accuracies.count)
    let fine = accuracies.count { $0 < Self.wifiFrom }
    let coarse = accuracies.count { $0 >= Self.cellFrom }
    satellites = Double(fine) / whole
    cell = Double(coarse) / whole
    wifi = Double(accuracies.count - fine - coarse) / whole
  }
}
