internal import Core
internal import Foundation

/// A run's measured rows as additive columns, to be resampled by a bootstrap.
struct RunRows {
  /// The length of a row: wall-clock seconds in a load, scenario seconds in a simulation.
  let rowSeconds: Double
  let scenarioSecondsPerRow: Double
  let table: BlockBootstrap.Table

  enum Column: Int, CaseIterable, Sendable {
    case seconds, offered, acknowledged, bytes, cpuSeconds
    case freshReachable, reachable, freshInstalled, installed, freshMoving, moving
  }

  /// Returns nil if the run has no timeline or no measured row.
  init?(_ files: RunFiles) throws(LineError) {
    let timeline = files.timeline
    let isMeasured = timeline.phases.map { $0 == "measure" }
    let places = (0..<timeline.rows).filter { $0 < isMeasured.count ? isMeasured[$0] : true }
    guard places.count > 1 else { return nil }
    let scenario = timeline["scenario_s"]
    let walls = timeline["wall_s"]
    let isLive = places.contains { (walls[$0] ?? 0) > 0 }
    let clock = isLive ? walls : scenario
    let rates = ["offered_per_s", "acked_per_s", "bytes_sent_per_s", "collector_cores"]
      .map { timeline[$0] }
    let shares = ["fresh_reachable_now", "fresh_installed_now", "fresh_moving_now"]
      .map { timeline[$0] }
    let intervals = files.responseByRow
    var table = BlockBootstrap.Table(columns: Column.allCases.count + ResponseScale.buckets)
    var length = 0.0
    for place in places {
      let before = place > 0 ? clock[place - 1] : nil
      let seconds = max(0, (clock[place] ?? 0) - (before ?? clock[place] ?? 0))
      length += seconds
      var row = [Double](repeating: 0, count: Column.allCases.count + ResponseScale.buckets)
      row[Column.seconds.rawValue] = seconds
      for (offset, rate) in rates.enumerated() {
        row[Column.offered.rawValue + offset] = (rate[place] ?? 0) * seconds
      }
      for (offset, share) in shares.enumerated() {
        guard let share = share[place] else { continue }
        row[Column.freshReachable.rawValue + 2 * offset] = share * seconds
        row[Column.reachable.rawValue + 2 * offset] = seconds
      }
      for interval in intervals[place] {
        ResponseScale.add(try interval.histogram(), to: &row, from: Column.allCases.count)
      }
      table.append(row)
    }
    self.table = table
    rowSeconds = length / Double(places.count)
    let first = scenario[places[0]] ?? 0
    let last = scenario[places[places.count - 1]] ?? 0
    scenarioSecondsPerRow = (last - first) / Double(places.count - 1)
  }

  enum Statistic: Equatable, Sendable {
    /// The quotient of the sums of two columns; nil unless both are above zero.
    case per(Column, Column)
    case response(Double)

    func callAsFunction(_ sums: [Double]) -> Double? {
      switch self {
      case .per(let part, let whole):
        let (part, whole) = (sums[part.rawValue], sums[whole.rawValue])
        return whole > 0 && part > 0 ? part / whole : nil
      case .response(let q):
        return ResponseScale.quantile(q, sums[Column.allCases.count...])
      }
    }
  }
}

/// Buckets of response times, 32 an octave, coarse enough to be resampled a thousand times. The
/// figures themselves come from histograms of three digits.
enum ResponseScale {
  private static let stepsPerOctave = 32
  /// The number of buckets, which reach 2^32 µs or over an hour.
  static let buckets = 32 * stepsPerOctave

  static func add(_ histogram: Histogram, to row: inout [Double], from first: Int) {
    for slot in histogram.sparse.slots {
      let values = Histogram.values(at: slot.index)
      let middle = Double(values.lowerBound + values.upperBound) / 2
      row[first + bucket(middle)] += Double(slot.count)
    }
  }

  static func bucket(_ microseconds: Double) -> Int {
    guard microseconds > 1 else { return 0 }
    return min(buckets - 1, Int(log2(microseconds) * Double(stepsPerOctave)))
  }

  private static func edge(_ bucket: Int) -> Double {
    exp2(Double(bucket) / Double(stepsPerOctave))
  }

  /// Returns a quantile, interpolated within a bucket; nil without samples.
  static func quantile(_ q: Double, _ counts: ArraySlice<Double>) -> Double? {
    BinnedQuantile.of(q, counts, edge: edge)
  }
}

extension RunFiles {
  /// Returns the latency log's intervals with wanted tags, by the timeline row in which each ends.
  func byRow(_ wanted: (LatencyTag) -> Bool) -> [[LatencyLog.Interval]] {
    let walls = timeline["wall_s"]
    var byRow = [[LatencyLog.Interval]](repeating: [], count: timeline.rows)
    guard !byRow.isEmpty else { return byRow }
    var row = 0
    let chosen = intervals.filter { wanted($0.tag) }
    for interval in chosen.sorted(by: { $0.start < $1.start }) {
      // Compares the middle of an interval, which rounding does not move to another row.
      let middle = interval.start + interval.length / 2
      while row + 1 < byRow.count, (walls[row] ?? 0) < middle { row += 1 }
      byRow[row].append(interval)
    }
    return byRow
  }

  fileprivate var responseByRow: [[LatencyLog.Interval]] { byRow { $0 == .response } }
}
