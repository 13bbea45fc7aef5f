/// The sums that a sweep keeps of a run by block of phones, with those of the run without pushes.
package struct SweepTally: Equatable, Sendable {
  package enum Column: Int, CaseIterable, Sendable {
    /// Sums over reachable phones, in seconds or percent of a battery.
    case phoneDays, total, fresh, battery, pushes
    /// Sums over all installed phones, whose number pushes cannot change, in seconds or joules.
    case allStale, allPushes, allJoules
    /// Sums over all installed phones in the run without pushes.
    case baseStale, baseJoules
  }

  package static let columns = Column.allCases.count

  package private(set) var rows: [Double]

  /// Takes a row of `ComparedTally.columns` numbers for each block, of both populations.
  package init(reachable: [Double], installed: [Double]) {
    precondition(reachable.count == installed.count, "one fleet, one number of blocks")
    let blocks = reachable.count / ComparedTally.columns
    rows = [Double](repeating: 0, count: blocks * Self.columns)
    for block in 0..<blocks {
      let of = block * ComparedTally.columns
      func take(_ column: Column, _ rows: [Double], _ source: ComparedTally.Column) {
        self.rows[block * Self.columns + column.rawValue] = rows[of + source.rawValue]
      }
      take(.phoneDays, reachable, .phoneDays)
      take(.total, reachable, .total)
      take(.fresh, reachable, .fresh)
      take(.battery, reachable, .batteryPercent)
      take(.pushes, reachable, .pushes)
      take(.allPushes, installed, .pushes)
      take(.allJoules, installed, .joules)
      let stale =
        installed[of + ComparedTally.Column.total.rawValue]
        - installed[of + ComparedTally.Column.fresh.rawValue]
      rows[block * Self.columns + Column.allStale.rawValue] = stale
    }
  }

  package func beside(_ baseline: SweepTally) -> SweepTally {
    precondition(rows.count == baseline.rows.count, "the same phones")
    var pair = self
    for first in stride(from: 0, to: rows.count, by: Self.columns) {
      let (stale, joules) = (first + Column.allStale.rawValue, first + Column.allJoules.rawValue)
      pair.rows[first + Column.baseStale.rawValue] = baseline.rows[stale]
      pair.rows[first + Column.baseJoules.rawValue] = baseline.rows[joules]
    }
    return pair
  }

  /// Returns a figure from the sums of columns; nil where nothing was measured.
  package static func value(_ figure: StudyFigure, of sums: [Double]) -> Double? {
    func sum(_ column: Column) -> Double { sums[column.rawValue] }
    func per(_ part: Double, _ whole: Double) -> Double? { whole > 0 ? part / whole : nil }
    let removed = (sum(.baseStale) - sum(.allStale)) / 60
    let joules = sum(.allJoules) - sum(.baseJoules)
    switch figure {
    case .freshness: return per(sum(.fresh), sum(.total))
    case .battery: return per(sum(.battery), sum(.phoneDays))
    case .pushes: return per(sum(.pushes), sum(.phoneDays))
    case .removed: return per(removed, sum(.phoneDays))
    case .extraJoules: return per(joules, sum(.phoneDays))
    case .removedPerPush: return per(removed, sum(.allPushes))
    case .removedPerJoule: return per(removed, joules)
    case _: return nil
    }
  }
}
