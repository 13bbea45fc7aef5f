package import SimulationCore

/// What both processes of a live run got of the processors in its measured time, what others got,
/// and whether that is why the response was too slow.
///
/// A run on a machine that others keep busy measures the others. It is invalid when all of this
/// holds; each part keeps one kind of run from being blamed on others:
///
/// 1. The response p99 missed its limit. Waiting that broke no promise invalidates nothing.
/// 2. The two processes used less than 90 % of all cores themselves. Filling the machine is the
///    run's own doing, and its result.
/// 3. In more than half of the seconds whose own p99 was too slow, one of the two was held up
///    while the batches of that second were on their way. Seconds that are late without it count
///    against: a full store, a stalled collector or a slow disk is late on an idle machine, too.
///
/// Held up means of a process, over the window from that second back by the second's p99, that its
/// waiting for a processor, as far as it is charged to others,
///
/// - is at least 1 % of the window, since a p99 is made by one batch in a hundred,
/// - is at least 10 % of the processor time that it asked for (used and waited for): a loop that is
///   full by itself asks for little more than it gets,
/// - is at least a third of what the p99 was too slow by. A batch that waiting alone made late has
///   waited for all of it; one behind a backlog for the share that its process did not get.
///
/// Waiting is charged to others in proportion: the processes that run keep ours waiting, so
/// others are charged with their part of the processor time used in that second. They are all the
/// system's processor time, stolen time included, without that of our two processes.
///
/// Where no second has enough batches for a p99, the measured time is judged as one.
package struct ProcessorContention: Equatable, Sendable {
  /// Seconds of processor time of one process.
  package struct Use: Equatable, Sendable {
    /// Is the time that the process ran on a processor.
    package var used: Double
    /// All its threads were ready to run and had no processor.
    package var waited: Double

    /// Makes the use of one process, in seconds.
    package init(used: Double, waited: Double) {
      self.used = used
      self.waited = waited
    }
  }

  /// About a second of the measured time.
  package struct Second: Equatable, Sendable {
    /// Is the length of the interval in wall seconds.
    package var wall: Double
    /// Is what the generator's process got and waited for.
    package var generator: Use
    /// Is what the collector's process got and waited for.
    package var collector: Use
    /// Seconds of processor time that everybody used, our two processes included.
    package var busy: Double
    /// Of the batches that ended in it.
    package var responseP99: Percentile

    /// Makes an interval of the measured time from what was read at its two ends.
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
    /// What others used; clocks of 10 ms may put a little of ours to them or take it from them.
    var others: Double { max(0, busy - own) }
    /// The part of any waiting in this second that others are charged with, 0 ... 1.
    var othersShare: Double { others + own > 0 ? others / (others + own) : 0 }
  }

  /// The two, as the sentence names them.
  private enum Side: String, CaseIterable {
    case collector, generator

    func use(in second: Second) -> Use {
      switch self {
      case .collector: second.collector
      case .generator: second.generator
      }
    }
  }

  /// Tells its sentence from others'.
  package static let words = "for a processor that others used"
  private static let ownShareMax = 0.9
  private static let windowShareLeast = 0.01
  private static let deniedShareLeast = 0.1
  private static let excessShareLeast = 1.0 / 3

  /// Of the machine.
  package let cores: Int
  private var seconds: [Second] = []

  /// Makes a watch without any second yet, for a machine with that many cores.
  package init(cores: Int) { self.cores = cores }

  /// Adds an interval behind the last one; one without length is left out.
  package mutating func add(_ second: Second) {
    if second.wall > 0 { seconds.append(second) }
  }

  // MARK: What was

  private var wall: Double { seconds.reduce(0) { $0 + $1.wall } }
  /// Is true where no interval was added, so that nothing is known.
  package var isEmpty: Bool { seconds.isEmpty }
  /// What others used on average, in cores.
  package var othersCores: Double {
    wall > 0 ? seconds.reduce(0) { $0 + $1.others } / wall : 0
  }
  /// Seconds for which the generator's threads were ready and had no processor.
  package var generatorWaited: Double { seconds.reduce(0) { $0 + $1.generator.waited } }
  /// The same of the collector's.
  package var collectorWaited: Double { seconds.reduce(0) { $0 + $1.collector.waited } }

  private func charged(_ side: Side, _ seconds: ArraySlice<Second>) -> Double {
    seconds.reduce(0) { $0 + side.use(in: $1).waited * $1.othersShare }
  }

  // MARK: What it means

  /// Why the run is invalid; nil: others are not to blame.
  ///
  /// - Parameters:
  ///   - limit: the longest response p99 that the scenario allows.
  ///   - responseP99: that of the whole measured time.
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
    // The collector first: the run is about it.
    guard let worst = heldUp.max(by: { charged($0, seconds[...]) < charged($1, seconds[...]) })
    else { return nil }
    return sentence(worst)
  }

  /// The second itself and as many before as its slow batches took.
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
      \(cores) cores, in \(Figure.plain((wall * 10).rounded() / 10)) s. End what else runs on this \
      machine, or run where nothing does.
      """
  }
}

extension Percentile {
  /// Microseconds that it is at least; nil: too few samples.
  fileprivate var least: Int64? {
    switch self {
    case .value(let microseconds), .beyond(let microseconds): microseconds
    case .unsupported: nil
    }
  }
}

extension RunRecord {
  /// What set some of the figures of an invalid run in place of what was measured.
  package enum Limit {
    /// The generator was late, or short of something.
    case generator
    /// Others had the processors.
    case others
    /// The collector could open no more files.
    case collector
  }

  /// Begins the reason of a run whose collector could open no more files.
  package static let collectorWasShort = "The collector ran out of descriptors"

  /// Is what the first reason of an invalid run names.
  package var limit: Limit {
    // How sure a target's counts are stands before the reasons.
    let first = reasons.first { $0 != target?.sureness } ?? ""
    if first.contains(ProcessorContention.words) { return .others }
    return first.hasPrefix(Self.collectorWasShort) ? .collector : .generator
  }
}

extension RunRecord.Machine {
  /// What the processes waited for a processor, and what others used; nil: unknown.
  package var waitingSentence: String? {
    let waited = ["generator", "collector"].compactMap { name in
      processes[name]?.waitedSeconds.map {
        "\(name) \(Figure.plain(($0 * 100).rounded() / 100)) s"
      }
    }
    guard let othersCores, !waited.isEmpty else { return nil }
    return """
      Ready and without a processor in the measured time: \(waited.joined(separator: ", ")); \
      others used \(Figure.plain((othersCores * 100).rounded() / 100)) cores.
      """
  }
}
