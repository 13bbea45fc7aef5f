package import Core

/// The contribution of a phone, or of a block of phones, to every measure, as additive columns.
package struct ComparedTally: Equatable, Sendable {
  package enum Column: Int, CaseIterable, Sendable {
    case phoneDays
    case fixes, batches, bytes, batteryPercent, joules, pushes
    /// Phone-time in seconds.
    case total, fresh, located, moving, movingFresh, never
    /// The position error in metre-seconds, and the seconds over which it was summed.
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

  /// The stale seconds by cause.
  package subscript(_ cause: StaleCause) -> Double {
    get { row[Self.staleStart + cause.slot] }
    set { row[Self.staleStart + cause.slot] = newValue }
  }

  package subscript(_ cause: WakeCause) -> Double {
    get { row[Self.wakeStart + cause.slot] }
    set { row[Self.wakeStart + cause.slot] = newValue }
  }

  /// The seconds with a position error in a bucket of `ErrorScale`.
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

  /// Returns a figure from the sums of columns; nil where nothing was measured.
  package static func value(_ figure: StudyFigure, of sums: [Double]) -> Double? {
    if case .errorQuantile(let q) = figure.sums {
      return ErrorScale.quantile(q, sums[errorStart...])
    }
    guard let (part, whole) = parts(figure, of: sums[...]), whole > 0 else { return nil }
    return part / whole
  }

  /// Returns the dividend and divisor of a figure that is a quotient; nil for other figures.
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
