/// Why an app got time to run.
package enum WakeCause: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case regionExit = "region-exit"
  case significantChange = "significant-change"
  case visit
  case push
  /// The owner opened it.
  case userSession = "user-session"
  /// One of its own timers came due while it ran; a suspended app's timers stand still (LC2).
  case timer
}

/// What policies are compared by.
package enum ComparedMeasure: Hashable, Sendable {
  case freshness, freshnessMoving, located, never
  case errorMean, errorMedian, errorP95
  case staysMissed, staysInvented
  case battery, fixes, batches, bytes, wakes, pushes
  case stale(StaleCause)
  case wakesBy(WakeCause)

  /// In reading order.
  package static let all: [ComparedMeasure] =
    [
      .freshness, .freshnessMoving, .located, .never, .errorMean, .errorMedian, .errorP95,
      .staysMissed, .staysInvented, .battery, .fixes, .batches, .bytes, .wakes, .pushes,
    ] + StaleCause.allCases.map { .stale($0) } + WakeCause.allCases.map { .wakesBy($0) }

  /// As files name it.
  package var key: String {
    switch self {
    case .freshness: "fresh"
    case .freshnessMoving: "fresh-moving"
    case .located: "located"
    case .never: "never-heard-of"
    case .errorMean: "error-mean"
    case .errorMedian: "error-p50"
    case .errorP95: "error-p95"
    case .staysMissed: "stays-missed"
    case .staysInvented: "stays-invented"
    case .battery: "battery"
    case .fixes: "fixes"
    case .batches: "batches"
    case .bytes: "bytes"
    case .wakes: "wakes"
    case .pushes: "pushes"
    case .stale(let cause): "stale-\(cause.rawValue)"
    case .wakesBy(let cause): "wakes-\(cause.rawValue)"
    }
  }

  /// Names the unit of a measure as a comparison's file writes it.
  package enum Unit: String, Sendable, Codable {
    /// 0 … 1.
    case share
    case meters
    case percentPerDay = "percent-of-battery-per-phone-day"
    case perDay = "per-phone-day"
    case bytesPerDay = "bytes-per-phone-day"
    case minutesPerDay = "minutes-per-phone-day"
  }

  /// Is the unit in which the measure's value is given.
  package var unit: Unit {
    switch self {
    case .freshness, .freshnessMoving, .located, .never, .staysMissed: .share
    case .errorMean, .errorMedian, .errorP95: .meters
    case .battery: .percentPerDay
    case .bytes: .bytesPerDay
    case .staysInvented, .fixes, .batches, .wakes, .pushes, .wakesBy: .perDay
    case .stale: .minutesPerDay
    }
  }
}

/// What one phone, or a block of them, adds to every measure: a row of numbers that add up.
package struct ComparedTally: Equatable, Sendable {
  /// Names the places of the sums in a tally's row; stale times, wakes and errors follow behind
  /// them.
  package enum Column: Int, CaseIterable, Sendable {
    case phoneDays
    case fixes, batches, bytes, batteryPercent, joules, pushes
    /// Seconds.
    case total, fresh, located, moving, movingFresh, never
    /// Metres times seconds, and the seconds that go with them.
    case error, errorTime
    case stays, staysMissed, staysInvented
  }

  private static let staleStart = Column.allCases.count
  private static let wakeStart = staleStart + StaleCause.allCases.count
  private static let errorStart = wakeStart + WakeCause.allCases.count
  /// Counts the numbers in a row: `Column`, the stale causes, the wake causes and the error
  /// buckets.
  package static let columns = errorStart + ErrorScale.buckets

  /// Holds the sums in the order of the columns.
  package private(set) var row: [Double]

  /// Makes a row of zeros.
  package init() { row = [Double](repeating: 0, count: Self.columns) }

  /// Reads or sets one sum, in the unit that its column names.
  package subscript(_ column: Column) -> Double {
    get { row[column.rawValue] }
    set { row[column.rawValue] = newValue }
  }

  /// Seconds.
  package subscript(_ cause: StaleCause) -> Double {
    get { row[Self.staleStart + cause.slot] }
    set { row[Self.staleStart + cause.slot] = newValue }
  }

  /// Counts the wakes of one cause.
  package subscript(_ cause: WakeCause) -> Double {
    get { row[Self.wakeStart + cause.slot] }
    set { row[Self.wakeStart + cause.slot] = newValue }
  }

  /// Seconds in which the error lay in a bucket of `ErrorScale`.
  package subscript(error bucket: Int) -> Double {
    get { row[Self.errorStart + bucket] }
    set { row[Self.errorStart + bucket] = newValue }
  }

  /// A measure of column sums; nil where there is nothing to measure.
  package static func value(_ measure: ComparedMeasure, of sums: [Double]) -> Double? {
    switch measure {
    case .errorMedian: return ErrorScale.quantile(0.5, sums[errorStart...])
    case .errorP95: return ErrorScale.quantile(0.95, sums[errorStart...])
    case .freshness, .freshnessMoving, .located, .never, .errorMean, .staysMissed, .staysInvented,
      .battery, .fixes, .batches, .bytes, .wakes, .pushes, .stale, .wakesBy:
      guard let (part, whole) = parts(measure, of: sums[...]), whole > 0 else { return nil }
      return part / whole
    }
  }

  /// The two sums whose quotient a measure is; nil of the percentiles, which are none.
  ///
  /// - Parameter row: a row, or the sums of rows, at the indices of its array.
  package static func parts(
    _ measure: ComparedMeasure, of row: ArraySlice<Double>
  ) -> (part: Double, whole: Double)? {
    let first = row.startIndex
    func sum(_ column: Column) -> Double { row[first + column.rawValue] }
    switch measure {
    case .freshness: return (sum(.fresh), sum(.total))
    case .freshnessMoving: return (sum(.movingFresh), sum(.moving))
    case .located: return (sum(.located), sum(.total))
    case .never: return (sum(.never), sum(.total))
    case .errorMean: return (sum(.error), sum(.errorTime))
    case .errorMedian, .errorP95: return nil
    case .staysMissed: return (sum(.staysMissed), sum(.stays))
    case .staysInvented: return (sum(.staysInvented), sum(.phoneDays))
    case .battery: return (sum(.batteryPercent), sum(.phoneDays))
    case .fixes: return (sum(.fixes), sum(.phoneDays))
    case .batches: return (sum(.batches), sum(.phoneDays))
    case .bytes: return (sum(.bytes), sum(.phoneDays))
    case .pushes: return (sum(.pushes), sum(.phoneDays))
    case .wakes:
      let causes = WakeCause.allCases.filter(\.isWake)
      let wakes = causes.reduce(0) { $0 + row[first + wakeStart + $1.slot] }
      return (wakes, sum(.phoneDays))
    case .stale(let cause): return (row[first + staleStart + cause.slot] / 60, sum(.phoneDays))
    case .wakesBy(let cause): return (row[first + wakeStart + cause.slot], sum(.phoneDays))
    }
  }
}

extension WakeCause {
  /// The OS gave a suspended or ended app time to run; its owner and its own timers do not count.
  package var isWake: Bool {
    switch self {
    case .regionExit, .significantChange, .visit, .push: true
    case .userSession, .timer: false
    }
  }

  /// Is the cause's place in a row, 0 … 5, in the order of the cases.
  package var slot: Int {
    switch self {
    case .regionExit: 0
    case .significantChange: 1
    case .visit: 2
    case .push: 3
    case .userSession: 4
    case .timer: 5
    }
  }
}

/// Distances from one metre to ten thousand kilometres, in steps of √2: fine enough for a
/// percentile to be within a few percent after interpolation, small enough to keep for each phone.
package enum ErrorScale {
  /// Counts the buckets; the last one has no upper bound.
  package static let buckets = 48

  /// Bucket 0 holds what is below 1 m, bucket k what is below 2^(k/2) m.
  package static func bucket(meters: Double) -> Int {
    // 2·log2, by the bits of the number: its exponent, and whether it lies above √2.
    guard meters >= 1 else { return 0 }
    let half = meters.significand >= 2.0.squareRoot() ? 1 : 0
    return min(buckets - 1, 2 * Int(meters.exponent) + half + 1)
  }

  /// Upper edge in metres.
  package static func edge(_ bucket: Int) -> Double {
    let whole = Double(sign: .plus, exponent: bucket / 2, significand: 1)
    return bucket % 2 == 0 ? whole : whole * 2.0.squareRoot()
  }

  /// The distance below which a share of the time lies, interpolated inside its bucket.
  package static func quantile(_ q: Double, _ seconds: ArraySlice<Double>) -> Double? {
    BinnedQuantile.of(q, seconds) { $0 == 0 ? 0 : edge($0 - 1) }
  }
}
