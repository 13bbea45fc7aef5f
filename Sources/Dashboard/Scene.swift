package import Figures

/// Everything that one frame is a function of.
package struct Scene: Sendable {
  /// Holds the newest figures of the run.
  package var snapshot: Snapshot
  /// Holds the curves up to the snapshot.
  package var history = History()
  /// The newest last.
  package var log: [String] = []
  /// `snapshot` and `history` stand still; the run does not.
  package var isFrozen = false
  /// Shows the page of keys in place of the panels.
  package var showsHelp = false
  /// Whether somebody can press one.
  package var hasKeys = true
  /// A quit was asked for: the run drains.
  package var isStopping = false
  /// Is the rate at which frames are drawn, in frames per wall second.
  package var framesPerSecond = RefreshRate.usual
  /// Says what the screen shows: a run, a watched collector or a replay.
  package var role = Role.run

  /// What the user has before him, and so what keys do.
  package enum Role: Equatable, Sendable {
    /// It ends with the screen.
    case run
    /// It goes on when the screen is left.
    case watched
    /// A record that is played again, so many times as fast as it was.
    case replay(speed: Double, isPaused: Bool)

    var isReplay: Bool {
      switch self {
      case .replay: true
      case .run, .watched: false
      }
    }
  }

  /// Lines kept; the run's log has them all.
  private static let logMax = 200

  /// Makes a scene with a first snapshot, no curves and an empty log.
  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Takes a newer snapshot and remembers what it adds to the curves.
  package mutating func take(_ newer: Snapshot) {
    history.take(newer)
    snapshot = newer
  }

  /// Appends text to the log line by line and drops the oldest lines beyond 200.
  package mutating func say(_ text: String) {
    for line in text.split(separator: "\n") { log.append(String(line)) }
    if log.count > Self.logMax { log.removeFirst(log.count - Self.logMax) }
  }
}

/// The curves: one value an interval, the newest last.
package struct History: Equatable, Sendable {
  /// Holds acknowledged batches per second.
  package private(set) var acknowledged: [Double] = []
  /// Holds the 90th percentile of the response time of each interval, in microseconds.
  package private(set) var p90: [Double] = []
  /// Holds the fresh share of reachable phones, 0 … 1.
  package private(set) var fresh: [Double] = []
  /// By process.
  package private(set) var cores: [String: [Double]] = [:]

  /// More than the widest terminal shows.
  private static let valuesMax = 512

  /// Makes a history without values.
  package init() {}

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

/// How often a frame is drawn.
package enum RefreshRate {
  /// Is the rate at the start: four frames a second.
  package static let usual = 4.0
  static let steps = [0.5, 1, 2, 4, 8, 16]

  /// The next faster (`by: 1`) or slower (`by: -1`) one.
  static func step(from rate: Double, by: Int) -> Double {
    let at = steps.firstIndex(of: rate) ?? 3
    return steps[min(steps.count - 1, max(0, at + by))]
  }
}
