package import Figures

package struct Scene: Sendable {
  package var snapshot: Snapshot
  package var history = History()
  /// The lines of the log, newest last.
  package var log: [String] = []
  /// Whether `snapshot` and `history` are frozen while the run goes on.
  package var isFrozen = false
  package var showsHelp = false
  package var navigation = Navigation()
  package var hasKeys = true
  /// Whether the user asked to quit, so that the run drains.
  package var isStopping = false
  package var framesPerSecond = RefreshRate.usual
  package var role = Role.run

  /// What the screen shows, on which its keys depend.
  package enum Role: Equatable, Sendable {
    /// A run, which ends with the screen.
    case run
    /// A collector, which goes on after the screen has closed.
    case watched
    case replay(speed: Double, isPaused: Bool)

    var isReplay: Bool {
      switch self {
      case .replay: true
      case .run, .watched: false
      }
    }
  }

  private static let logMax = 200

  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  package mutating func take(_ newer: Snapshot) {
    history.take(newer)
    snapshot = newer
  }

  /// Appends lines to the log, which keeps the newest 200.
  package mutating func say(_ text: String) {
    for line in text.split(separator: "\n") { log.append(String(line)) }
    if log.count > Self.logMax { log.removeFirst(log.count - Self.logMax) }
  }
}

/// The values of the curves, one for each interval, the newest last.
package struct History: Equatable, Sendable {
  /// The acknowledged batches per second of each interval.
  package private(set) var acknowledged: [Double] = []
  /// The p90 response of each interval, in microseconds.
  package private(set) var p90: [Double] = []
  /// The fresh share of reachable phones' time, 0 … 1.
  package private(set) var fresh: [Double] = []
  /// The cores in use, by process.
  package private(set) var cores: [String: [Double]] = [:]

  /// The greatest number of values kept, which is more than the widest terminal shows.
  private static let valuesMax = 512

  mutating func take(_ snapshot: Snapshot) {
    if let rates = snapshot.rates { Self.append(rates.acknowledged, to: &acknowledged) }
    if let latency = snapshot.intervalP90Microseconds { Self.append(Double(latency), to: &p90) }
    if let share = snapshot.freshness?.reachable.share { Self.append(share, to: &fresh) }
    for process in snapshot.summedProcesses {
      if let cores = process.cores {
        Self.append(cores, to: &self.cores[process.name, default: []])
      }
    }
  }

  private static func append(_ value: Double, to values: inout [Double]) {
    if values.count == valuesMax { values.removeFirst() }
    values.append(value)
  }
}

package enum RefreshRate {
  package static let usual = 4.0
  static let steps = [0.5, 1, 2, 4, 8, 16]

  static func step(from rate: Double, by: Int) -> Double {
    let at = steps.firstIndex(of: rate) ?? 3
    return steps[min(steps.count - 1, max(0, at + by))]
  }
}
