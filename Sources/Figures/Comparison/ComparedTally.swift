package enum WakeCause: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case regionExit = "region-exit"
  case significantChange = "significant-change"
  case visit
  case push
  /// The owner opened the app.
  case userSession = "user-session"
  /// A timer of the running app; a suspended app's timers do not fire (LC2).
  case timer
}

/// The contribution of a phone, or of a block of phones, to every measure, as additive columns.
package struct ComparedTally: Equatable, Sendable {
  package enum Column: Int, CaseIterable, Sendable {
    case phoneDays
    case fixes, batches, bytes, batteryPercent, joules, pushes
    /// Seconds.
    case total, fresh, located, moving, movingFresh, never
    /// Metre-seconds, and the seconds that go with them.
    case error, errorTime
    case stays, staysMissed, staysInvented
  }

  private static let staleStart = Column.allCases.count
  private static let wakeStart = staleStart + StaleCause.allCases.count
  private static let errorStart = wakeStart + WakeCause.allCases.count
  package static let columns = errorStart + ErrorScale.buckets

  package private(set) var row: [Double]

  package init() { row = [Double](repeating: 0, count: Self.columns) }

  package subscript(_ column: Column) -> Double {
    get { row[column.rawValue] }
    set { row[column.rawValue] = newValue }
  }

  /// Seconds.
  package subscript(_ cause: StaleCause) -> Double {
    get { row[Self.staleStart + cause.slot] }
    set { row[Self.staleStart + cause.slot] = newValue }
  }

  package subscript(_ cause: WakeCause) -> Double {
    get { row[Self.wakeStart + cause.slot] }
    set { row[Self.wakeStart + cause.slot] = newValue }
  }

  /// Seconds with an error in a bucket of `ErrorScale`.
  package subscript(error bucket: Int) -> Double {
    get { row[Self.errorStart + bucket] }
    set { row[Self.errorStart + bucket] = newValue }
  }

  enum Sums: Hashable, Sendable {
    case per(Column, Column)
    case stale(StaleCause)
    case wakes([WakeCause])
    case errorQuantile(Double)
    case none
  }

  /// Returns a figure of column sums; nil where there is nothing to measure.
  package static func value(_ figure: StudyFigure, of sums: [Double]) -> Double? {
    if case .errorQuantile(let q) = figure.sums {
      return ErrorScale.quantile(q, sums[errorStart...])
    }
    guard let (part, whole) = parts(figure, of: sums[...]), whole > 0 else { return nil }
    return part / whole
  }

  /// Returns the two sums whose quotient a figure is; nil for other figures.
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
  /// Whether the OS gave a suspended or ended app time to run; not for its owner or its timers.
  package var isWake: Bool {
    switch self {
    case .regionExit, .significantChange, .visit, .push: true
    case .userSession, .timer: false
    }
  }

  /// The column offset, 0 … 5, in the order of the cases.
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

/// Error buckets from one metre to ten thousand kilometres in steps of √2: percentiles are within a
/// few percent, and the array is small enough for each phone.
package enum ErrorScale {
  /// The number of buckets; the last has no upper bound.
  package static let buckets = 48

  /// Returns bucket 0 for distances below 1 m, bucket k for those below 2^(k/2) m.
  package static func bucket(meters: Double) -> Int {
    // 2·log2, by the bits of the number: its exponent, and whether it lies above √2.
    guard meters >= 1 else { return 0 }
    let half = meters.significand >= 2.0.squareRoot() ? 1 : 0
    return min(buckets - 1, 2 * Int(meters.exponent) + half + 1)
  }

  /// Returns the upper edge in metres.
  package static func edge(_ bucket: Int) -> Double {
    let whole = Double(sign: .plus, exponent: bucket / 2, significand: 1)
    return bucket % 2 == 0 ? whole : whole * 2.0.squareRoot()
  }

  /// Returns the time-weighted quantile in metres, interpolated inside its bucket.
  package static func quantile(_ q: Double, _ seconds: ArraySlice<Double>) -> Double? {
    BinnedQuantile.of(q, seconds) { $0 == 0 ? 0 : edge($0 - 1) }
  }
}
