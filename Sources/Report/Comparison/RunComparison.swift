internal import Capacity
package import Figures

/// Several runs side by side, the first of them what the others are set against: `comparison.json`.
package struct RunComparison: Equatable, Sendable, StoredRecord {
  /// Is the schema number that this build writes into `comparison.json`.
  package static let schemaVersion = 1

  /// Is the schema number of the file that the record was read from or is written to.
  package var schema = RunComparison.schemaVersion
  /// How much worse a figure may be.
  package var tolerance: Double
  /// Holds the compared runs in the order in which they were given; the first is the base.
  package var runs: [Run]
  /// For each run but the first.
  package var pairings: [Pairing] = []
  /// In reading order; those that no two runs have in common are left out.
  package var rows: [Row] = []
  /// Promises of the runs that come after the first, and whether they were kept.
  package var promises: [Promise] = []

  /// Identifies one compared run by what its `run.json` says about itself.
  package struct Run: Equatable, Sendable, Codable {
    /// Is the path under which the run was given to the command.
    package var path: String
    /// Is the name of the scenario that the run executed.
    package var scenario: String
    /// Counts the phones of the scenario.
    package var phones: Int
    /// Is the ratio of scenario seconds to wall seconds.
    package var speed: Double
    /// Is the scenario's seed.
    package var seed: UInt64
    /// Is the verdict that the run ended with.
    package var verdict: Verdict
    /// Is the world digest of the run; nil where the record carries none, and then nothing is
    /// paired.
    @Nullable package var world: String?
    /// Is the wall time at which the run started, as its record writes it.
    package var startedAt: String
    /// Is the version of the program that made the run.
    package var version: String
  }

  /// What a run and the first have in common.
  package struct Pairing: Equatable, Sendable, Codable {
    /// Is true where both runs have the same world digest and rows of the same length in scenario
    /// time (within 10 %), so that blocks are drawn at the same places in both.
    package var isPaired: Bool
    /// Of one resampled stretch, in rows, and what a row is; 0: nothing was resampled.
    package var blockRows: Int
    /// Counts the measured timeline rows that both runs have: the smaller of the two counts.
    package var rows: Int
    /// Is the length of one measured row of the first run, in seconds.
    package var rowSeconds: Double
    /// Says in one sentence how intervals were obtained, or why nothing was resampled.
    package var sentence: String
    /// What differs between the two, a sentence each.
    package var differences: [String]
  }

  /// Holds one figure of all runs, with its change from the first run to each of the others.
  package struct Row: Equatable, Sendable, Codable {
    /// Is the figure that the row compares.
    package var figure: RunFigure
    /// Is the unit of `values`.
    package var unit: FigureUnit
    /// Says whether more or less of the figure is better, or neither.
    package var good: RunFigure.Good
    /// By run.
    package var values: [Double?]
    /// Holds the same values as tables print them, by run.
    package var texts: [String]
    /// For each run but the first; null: one of the two says nothing.
    package var changes: [Change?]
  }

  /// Is the judgement on a change, from the two values and the interval of their ratio.
  package enum Word: String, Sendable, Codable, CaseIterable {
    case same
    /// The interval includes 1.
    case unclear = "~"
    case better, worse, changed
  }

  /// From the first run to another.
  package struct Change: Equatable, Sendable, Codable {
    /// Other ÷ first; null where the first is zero.
    @Nullable package var ratio: Double?
    /// 95 %; null: there is none.
    @Nullable package var low: Double?
    /// Is the upper end of the 95 % interval; nil where there is none.
    @Nullable package var high: Double?
    /// Says where the interval comes from.
    package var method: RunFigure.Method
    /// Is the judgement on the change.
    package var word: Word
    /// Worse by more than the tolerance, with its interval on the bad side.
    package var isRegression: Bool
  }

  /// Is one service level of a run that comes after the first.
  package struct Promise: Equatable, Sendable, Codable {
    /// Place in `runs`.
    package var run: Int
    /// Is the service level with its limit, its actual value and whether it passed.
    package var result: ServiceLevelResult
    /// The first run kept it, or had none of that name.
    package var wasKept: Bool

    /// Is true where the run missed the service level and the first run had not missed it.
    package var isRegression: Bool { !result.pass && wasKept }
  }
}

extension RunComparison {
  /// Why runs cannot be compared.
  package enum ComparisonError: Error, Equatable, Sendable, CustomStringConvertible {
    case nothingInCommon([String])
    case unreadableLog(path: String, why: String)

    /// Names the runs or the file at fault and says what the user can do.
    package var description: String {
      switch self {
      case .nothingInCommon(let paths):
        """
        \(paths.joined(separator: ", ")): no figure is in all of them; give runs of one kind: \
        loads, simulations, or plans.
        """
      case .unreadableLog(let path, let why): "\(path): latency.hlog cannot be read, \(why)"
      }
    }
  }

  /// - Parameter runs: at least two, with the path of each.
  package init(
    _ runs: [(path: String, files: RunFiles)], tolerance: Double, resamples: Int = 1_000
  ) throws(ComparisonError) {
    precondition(runs.count > 1, "there is something to compare")
    self.tolerance = tolerance
    self.runs = runs.map { Run($0.path, $0.files.record) }
    var rows: [RunRows?] = []
    for (path, files) in runs {
      do throws(LatencyLogError) { rows.append(try RunRows(files)) } catch {
        throw .unreadableLog(path: path, why: error.description)
      }
    }
    let base = runs[0].files.record
    var bootstraps: [BlockBootstrap?] = []
    for place in 1..<runs.count {
      let (pairing, bootstrap) = Self.pair(
        base, rows[0], runs[place].files.record, rows[place], resamples)
      pairings.append(pairing)
      bootstraps.append(bootstrap)
    }
    let plans = runs.map(\.files.record.plan)
    for figure in RunFigure.all {
      let found = zip(runs, plans).map { RunFinding(figure, $0.files.record, $1) }
      // What is nowhere, or in one run alone, is no comparison.
      let hasWord = found.map { $0 != .nothing }
      guard hasWord[0], hasWord.dropFirst().contains(true) else { continue }
      let changes = (1..<runs.count).map { place in
        change(
          figure, found[0], found[place], bootstraps[place - 1],
          isPaired: pairings[place - 1].isPaired)
      }
      self.rows.append(
        Row(
          figure: figure, unit: figure.unit, good: figure.good, values: found.map(\.value),
          texts: found.map(\.text), changes: changes))
    }
    guard self.rows.contains(where: { $0.changes.contains { $0 != nil } }) else {
      throw .nothingInCommon(runs.map(\.path))
    }
    for place in 1..<runs.count {
      for result in runs[place].files.record.slo {
        let before = base.slo.first { $0.name == result.name }
        promises.append(
          Promise(run: place, result: result, wasKept: before?.pass ?? true))
      }
    }
  }

  // MARK: Pairs

  /// Half an hour of the scenario: the age up to which a phone counts as fresh by custom, and so
  /// how long one row has to do with another.
  private static let memorySeconds = 1_800.0
  /// Response times are alike over several seconds.
  private static let rowsLeast = 5
  private static let liveRowMost = 10.0

  private static func pair(
    _ base: RunRecord, _ baseRows: RunRows?, _ other: RunRecord, _ otherRows: RunRows?,
    _ resamples: Int
  ) -> (Pairing, BlockBootstrap?) {
    var pairing = Pairing(
      isPaired: false, blockRows: 0, rows: 0, rowSeconds: 0, sentence: "",
      differences: RunDifference.sentences(base, other))
    guard let baseRows, let otherRows else {
      pairing.sentence =
        PlanWords.isPlan(base) && PlanWords.isPlan(other)
        ? "Intervals are those that each plan has by its own searches."
        : "Not resampled: one of the two has no measured timeline."
      return (pairing, nil)
    }
    let scale = baseRows.scenarioSecondsPerRow / max(1e-9, otherRows.scenarioSecondsPerRow)
    let isSameStep = (0.9...1.1).contains(scale)
    let isSameWorld = base.digest.world != nil && base.digest.world == other.digest.world
    pairing.isPaired = isSameWorld && isSameStep
    let rows = min(baseRows.table.rows, otherRows.table.rows)
    let memory = Int((memorySeconds / max(1, baseRows.scenarioSecondsPerRow)).rounded(.up))
    let block = BlockBootstrap.block(rows: rows, wanted: max(rowsLeast, memory))
    // A row of a simulation is a minute: long enough by itself.
    let least = baseRows.rowSeconds > liveRowMost ? 1 : rowsLeast
    pairing.rows = rows
    pairing.rowSeconds = baseRows.rowSeconds
    let bootstrap =
      block < least
      ? nil
      : BlockBootstrap(
        base: baseRows.table, other: otherRows.table, block: block, isPaired: pairing.isPaired,
        seed: base.seed, resamples: resamples)
    pairing.blockRows = bootstrap == nil ? 0 : block
    pairing.sentence = sentence(pairing, isSameWorld: isSameWorld, isSameStep: isSameStep)
    return (pairing, bootstrap)
  }

  private static func sentence(
    _ pairing: Pairing, isSameWorld: Bool, isSameStep: Bool
  ) -> String {
    guard pairing.blockRows > 0 else {
      return "Not resampled: \(pairing.rows) measured rows are too few for an interval."
    }
    let length = Figure.quantity(pairing.rowSeconds * Double(pairing.blockRows))
    let blocks =
      "blocks of \(pairing.blockRows) rows (\(length) s) of \(pairing.rows) measured ones"
    if pairing.isPaired {
      return "Paired by time, since both lived the same world: \(blocks)."
    }
    let why =
      isSameWorld
      ? isSameStep ? "" : "their rows are not equally long" : "they did not live the same world"
    return "Not paired, since \(why): \(blocks), drawn apart."
  }

  // MARK: Judging

  private func change(
    _ figure: RunFigure, _ base: RunFinding, _ other: RunFinding, _ bootstrap: BlockBootstrap?,
    isPaired: Bool
  ) -> Change? {
    guard let a = base.value, let b = other.value else { return nil }
    let ratio = a > 0 ? b / a : a == b ? 1 : nil
    var interval: Ratio?
    var method = RunFigure.Method.none
    if let mine = base.own, let theirs = other.own {
      interval = Ratio.quotient(theirs, by: mine)
      method = .ownIntervals
    } else if let ratio, let statistic = figure.rows {
      interval = bootstrap?.quotient(ratio, statistic.callAsFunction)
      method = isPaired ? .pairedBlocks : .blocks
    }
    if interval == nil { method = .none }
    let word = Self.word(figure, a, b, interval)
    return Change(
      ratio: ratio, low: interval?.low, high: interval?.high, method: method, word: word,
      isRegression: word == .worse && isBeyondTolerance(figure, a, b))
  }

  static func word(_ figure: RunFigure, _ a: Double, _ b: Double, _ interval: Ratio?) -> Word {
    if a == b { return .same }
    if let interval, interval.mayBeOne { return .unclear }
    switch figure.good {
    case .more: return b > a ? .better : .worse
    case .less: return b < a ? .better : .worse
    case .neither: return .changed
    }
  }

  private func isBeyondTolerance(_ figure: RunFigure, _ a: Double, _ b: Double) -> Bool {
    // One that is lost is one too many.
    if figure == .lost { return b > a }
    switch figure.good {
    case .more: return b < a * (1 - tolerance)
    case .less: return b > a * (1 + tolerance)
    case .neither: return false
    }
  }

  /// "response p99 1.31 × (1.18 … 1.44)", and promises that were kept before; empty: none.
  package func regressions(ofRun place: Int) -> [String] {
    let figures = rows.compactMap { row -> String? in
      guard let change = row.changes[place - 1], change.isRegression else { return nil }
      return "\(row.figure.title) \(row.texts[0]) → \(row.texts[place]), "
        + RunComparisonWords.quotient(change)
    }
    let broken = promises.filter { $0.run == place && $0.isRegression }.map {
      "promise missed: \($0.result.sentence.dropLast())"
    }
    let before = runs[0].verdict
    let now = runs[place].verdict
    let isWorse = now < min(before, .sloMissed)
    return (isWorse ? ["verdict \(before.rawValue) → \(now.rawValue)"] : []) + figures + broken
  }

  /// Is true where any run after the first has a regression: a worse verdict, a figure worse beyond
  /// the tolerance, or a newly missed service level.
  package var hasRegression: Bool {
    (1..<runs.count).contains { !regressions(ofRun: $0).isEmpty }
  }
}

extension RunComparison.Run {
  fileprivate init(_ path: String, _ record: RunRecord) {
    self.init(
      path: path, scenario: record.scenario.name, phones: record.scenario.phones,
      speed: record.scenario.speed, seed: record.seed, verdict: record.verdict,
      world: record.digest.world, startedAt: record.timing.startedAt,
      version: record.tool.version)
  }
}
