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

/// What one phone, or a block of them, adds to every measure: a row of numbers that add up.
package struct ComparedTally: Equatable, Sendable {
  /// The places of sums in a row; stale times, wakes and errors follow behind them.
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
  /// The number of numbers in a row: `Column`, the stale causes, the wake causes and the error
  /// buckets.
  package static let columns = errorStart + ErrorScale.buckets

  /// The sums in the order of the columns.
  package private(set) var row: [Double]

  /// Makes a row of zeros.
  package init() { row = [Double](repeating: 0, count: Self.columns) }

  /// One sum, in the unit that its column names.
  package subscript(_ column: Column) -> Double {
    get { row[column.rawValue] }
    set { row[column.rawValue] = newValue }
  }

  /// Seconds.
  package subscript(_ cause: StaleCause) -> Double {
    get { row[Self.staleStart + cause.slot] }
    set { row[Self.staleStart + cause.slot] = newValue }
  }

  /// The number of wakes of one cause.
  package subscript(_ cause: WakeCause) -> Double {
    get { row[Self.wakeStart + cause.slot] }
    set { row[Self.wakeStart + cause.slot] = newValue }
  }

  /// Seconds in which the error lay in a bucket of `ErrorScale`.
  package subscript(error bucket: Int) -> Double {
    get { row[Self.errorStart + bucket] }
    set { row[Self.errorStart + bucket] = newValue }
  }

  /// What a figure is made of.
  enum Sums: Hashable, Sendable {
    /// The quotient of two columns.
    case per(Column, Column)
    /// The minutes of a stale cause in a phone's day.
    case stale(StaleCause)
    /// The wakes of some causes in a phone's day.
    case wakes([WakeCause])
    /// A quantile of the error over time.
    case errorQuantile(Double)
    /// Nothing that a row has.
    case none
  }

  /// A figure of column sums; nil where there is nothing to measure.
  package static func value(_ figure: StudyFigure, of sums: [Double]) -> Double? {
    if case .errorQuantile(let q) = figure.sums {
      return ErrorScale.quantile(q, sums[errorStart...])
    }
    guard let (part, whole) = parts(figure, of: sums[...]), whole > 0 else { return nil }
    return part / whole
  }

  /// The two sums whose quotient a figure is; nil of those that are none.
  ///
  /// - Parameter row: a row, or the sums of rows, at the indices of its array.
  package static func parts(
    _ figure: StudyFigure, of row: ArraySlice<Double>
  ) -> (part: Double, whole: Double)? {
    let first = row.startIndex
    let days = row[first + Column.phoneDays.rawValue]
    switch figure.sums {
    case .per(let part, let whole): return (row[first + part.rawValue], row[first + whole.rawValue])
    case .stale(let cause): return (row[first + staleStart + cause.slot] / 60, days)
    case .wakes(let causes):
      return (causes.reduce(0) { $0 + row[first + wakeStart + $1.slot] }, days)
    case .errorQuantile, .none: return nil
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

  /// The cause's place in a row, 0 … 5, in the order of the cases.
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
  /// The number of buckets; the last one has no upper bound.
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
