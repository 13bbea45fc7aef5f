/// The processor time of a live run's two processes (generator and collector) and of others. Other
/// processes invalidate the run when all of these hold:
///
/// 1. The response p99 missed its limit.
/// 2. The two processes used less than 90 % of all cores.
/// 3. In more than half of the seconds whose own p99 missed the limit, the same one of the two
///    processes was held up while the batches of that second were in flight.
///
/// The window of a second is the second itself and, before it, the length of its p99. A process is
/// held up if the part of its waiting for a processor in the window that is charged to others
///
/// - is at least 1 % of the window, since a p99 is made by one batch in a hundred,
/// - is at least 10 % of the processor time that the process used or was denied in this way,
/// - is at least a third of the time by which the p99 missed the limit.
///
/// A second's waiting is charged to others by their share of the processor time used in that
/// second. Their time is the system's, stolen time included, minus that of the two processes. If no
/// second missed the limit, the measured time is judged as one window.
package struct ProcessorContention: Equatable, Sendable {
  package struct Use: Equatable, Sendable {
    package var used: Double
    /// The seconds that threads were ready to run without a processor.
    package var waited: Double

    package init(used: Double, waited: Double) {
      self.used = used
      self.waited = waited
    }
  }

  package struct Second: Equatable, Sendable {
    package var wall: Double
    package var generator: Use
    package var collector: Use
    /// The processor seconds used by all processes, generator and collector included.
    package var busy: Double
    package var responseP99: Percentile

    package init(
      wall: Double, generator: Use, collector: Use, busy: Double, responseP99: Percentile
    ) {
      self.wall = wall
      self.generator = generator
      self.collector = collector
      self.busy = busy
      self.responseP99 = responseP99
    }

    var own: Double { generator.used + collector.used }
    /// The processor seconds of other processes, inexact because the system counts in 10 ms.
    var others: Double { max(0, busy - own) }
    var othersShare: Double { others + own > 0 ? others / (others + own) : 0 }
  }

  private enum Side: String, CaseIterable {
    case collector, generator

    func use(in second: Second) -> Use {
      switch self {
      case .collector: second.collector
      case .generator: second.generator
      }
    }
  }

  package static let words = "for a CPU that other processes used"
  private static let ownShareMax = 0.9
  private static let windowShareLeast = 0.01
  private static let deniedShareLeast = 0.1
  private static let excessShareLeast = 1.0 / 3

  package let cores: Int
  private var seconds: [Second] = []

  package init(cores: Int) { self.cores = cores }

  package mutating func add(_ second: Second) {
    if second.wall > 0 { seconds.append(second) }
  }

  // MARK: What was

  private var wall: Double { seconds.reduce(0) { $0 + $1.wall } }
  package var isEmpty: Bool { seconds.isEmpty }
  package var othersCores: Double {
    wall > 0 ? seconds.reduce(0) { $0 + $1.others } / wall : 0
  }
  package var generatorWaited: Double { seconds.reduce(0) { $0 + $1.generator.waited } }
  package var collectorWaited: Double { seconds.reduce(0) { $0 + $1.collector.waited } }

  private func charged(_ side: Side, _ seconds: ArraySlice<Second>) -> Double {
    seconds.reduce(0) { $0 + side.use(in: $1).waited * $1.othersShare }
  }

  // MARK: What it means

  /// Returns why the run is invalid; nil if other processes are not the cause.
  package func reason(limit: WallDuration, responseP99: Percentile) -> String? {
    let limit = limit.microseconds
    guard let response = responseP99.least, response > limit, wall > 0, cores > 0 else {
      return nil
    }
    let own = seconds.reduce(0) { $0 + $1.own }
    guard own < Self.ownShareMax * wall * Double(cores) else { return nil }
    let late = seconds.indices.filter { (seconds[$0].responseP99.least ?? 0) > limit }
    let heldUp: [Side] = Side.allCases.filter { side in
      guard !late.isEmpty else {
        return isHeldUp(side, seconds[...], excess: response - limit)
      }
      let blamed = late.count { second in
        let p99 = seconds[second].responseP99.least ?? 0
        return isHeldUp(side, window(endingAt: second, p99), excess: p99 - limit)
      }
      return blamed * 2 > late.count
    }
    // At equal charges the collector is named, since the run is about the collector.
    guard let worst = heldUp.max(by: { charged($0, seconds[...]) < charged($1, seconds[...]) })
    else { return nil }
    return sentence(worst)
  }

  private func window(endingAt last: Int, _ p99: Int64) -> ArraySlice<Second> {
    var first = last
    var left = Double(p99) / 1e6
    while first > 0, left > 0 {
      first -= 1
      left -= seconds[first].wall
    }
    return seconds[first...last]
  }

  private func isHeldUp(_ side: Side, _ window: ArraySlice<Second>, excess: Int64) -> Bool {
    let charged = charged(side, window)
    let used = window.reduce(0) { $0 + side.use(in: $1).used }
    return charged >= Self.windowShareLeast * window.reduce(0) { $0 + $1.wall }
      && charged >= Self.deniedShareLeast * (used + charged)
      && charged >= Self.excessShareLeast * Double(excess) / 1e6
  }

  private func sentence(_ side: Side) -> String {
    let waited = Figure.grouped(Int((charged(side, seconds[...]) * 1_000).rounded()))
    let others = Figure.plain((othersCores * 100).rounded() / 100)
    return """
      The \(side.rawValue) waited \(waited) ms \(Self.words): \(others) of \
      \(cores) cores, in \(Figure.plain((wall * 10).rounded() / 10)) s. Stop other processes, or \
      use an idle machine.
      """
  }
}

extension Percentile {
  fileprivate var least: Int64? {
    switch self {
    case .value(let microseconds), .beyond(let microseconds): microseconds
    case .unsupported: nil
    }
  }
}
