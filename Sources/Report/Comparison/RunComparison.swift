internal import Capacity
package import Core
package import Figures

/// A comparison of runs with the first run: `comparison.json`.
package struct RunComparison: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = RunComparison.schemaVersion
  package var tolerance: Double
  /// The runs in the given order; the first is the base.
  package var runs: [Run]
  package var pairings: [Pairing] = []
  /// The figures that the first and another run have, in reading order.
  package var rows: [Row] = []
  package var promises: [Promise] = []

  package struct Run: Equatable, Sendable, Codable {
    package var path: String
    package var scenario: String
    package var phones: Int
    /// The scenario seconds in a wall-clock second.
    package var speed: Double
    package var seed: UInt64
    package var verdict: Verdict
    /// The digest of people and phones; nil if the record has none, so that the run is not paired.
    @Nullable package var world: String?
    package var startedAt: String
    package var version: String
  }

  package struct Pairing: Equatable, Sendable, Codable {
    /// Whether both runs have the same world digest and rows of the same length in scenario time
    /// (within 10 %), so that resampling draws the same blocks of rows in both runs.
    package var isPaired: Bool
    /// The number of rows in a resampled block; 0 without resampling.
    package var blockRows: Int
    package var rows: Int
    package var rowSeconds: Double
    /// How intervals were obtained, or why nothing was resampled.
    package var sentence: String
    package var differences: [String]
  }

  package struct Row: Equatable, Sendable, Codable {
    package var figure: RunFigure
    package var unit: FigureUnit
    package var good: RunFigure.Good
    /// The figure's value in each run; null where unknown.
    package var values: [Double?]
    /// The figure's formatted value in each run.
    package var texts: [String]
    /// The change of each run but the first; null if either run has no value.
    package var changes: [Change?]
  }

  package enum Word: String, Sendable, Codable, CaseIterable {
    case same
    /// The interval of the ratio includes 1.
    case unclear = "~"
    case better, worse, changed
  }

  package struct Change: Equatable, Sendable, Codable {
    /// The other run's value ÷ the first run's value; null if the first run's value is zero.
    @Nullable package var ratio: Double?
    /// The lower end of the ratio's 95 % interval; null without an interval.
    @Nullable package var low: Double?
    @Nullable package var high: Double?
    package var method: RunFigure.Method
    package var word: Word
    /// Whether the value is worse by more than the tolerance, and the whole interval is worse.
    package var isRegression: Bool
  }

  package struct Promise: Equatable, Sendable, Codable {
    package var run: Int
    package var result: ServiceLevelResult
    /// Whether the first run met the service level, or had none of its name.
    package var wasKept: Bool

    package var isRegression: Bool { !result.pass && wasKept }
  }
}

extension RunComparison {
  package enum ComparisonError: Error, Equatable, Sendable, CustomStringConvertible {
    case nothingInCommon([String])
    case unreadableLog(path: String, why: String)

    package var description: String {
      switch self {
      case .nothingInCommon(let paths):
        """
        \(paths.joined(separator: ", ")): the runs have no figure in common. Give runs of one \
        kind: loads, simulations, or plans.
        """
      case .unreadableLog(let path, let why): "\(path): latency.hlog cannot be read: \(why)"
      }
    }
  }

  /// - Parameter runs: At least two runs with their paths.
  package init(
    _ runs: [(path: String, files: RunFiles)], tolerance: Double, resamples: Int = 1_000
  ) throws(ComparisonError) {
    precondition(runs.count > 1, "there is something to compare")
    self.tolerance = tolerance
    self.runs = runs.map { Run($0.path, $0.files.record) }
    var rows: [RunRows?] = []
    for (path, files) in runs {
      do throws(LineError) { rows.append(try RunRows(files)) } catch {
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
      // Skips figures that fewer than two runs have, since they cannot be compared.
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

  /// The scenario seconds over which rows are correlated: half an hour, the usual freshness limit.
  private static let memorySeconds = 1_800.0
  /// The fewest rows in a block of a load, in which response times are correlated over seconds.
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
        ? "Intervals: from the searches of each plan."
        : "Not resampled: one of the runs has no measured timeline."
      return (pairing, nil)
    }
    let scale = baseRows.scenarioSecondsPerRow / max(1e-9, otherRows.scenarioSecondsPerRow)
    let isSameStep = (0.9...1.1).contains(scale)
    let isSameWorld = base.digest.world != nil && base.digest.world == other.digest.world
    pairing.isPaired = isSameWorld && isSameStep
    let rows = min(baseRows.table.rows, otherRows.table.rows)
    let memory = Int((memorySeconds / max(1, baseRows.scenarioSecondsPerRow)).rounded(.up))
    let block = BlockBootstrap.block(rows: rows, wanted: max(rowsLeast, memory))
    // One row of a simulation, which is a minute, is long enough for a block.
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
      "blocks of \(pairing.blockRows) rows (\(length) s) of \(pairing.rows) measured rows"
    if pairing.isPaired {
      return "Paired by time (same world): \(blocks)."
    }
    let why =
      isSameWorld
      ? isSameStep ? "" : "different row lengths" : "different worlds"
    return "Not paired (\(why)): \(blocks), drawn independently."
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
    // Every additional lost fix counts, without a tolerance.
    if figure == .lost { return b > a }
    switch figure.good {
    case .more: return b < a * (1 - tolerance)
    case .less: return b > a * (1 + tolerance)
    case .neither: return false
    }
  }

  /// Returns the regressions, such as "response p99 1.31 × (1.18 … 1.44)", and newly missed levels.
  package func regressions(ofRun place: Int) -> [String] {
    let figures = rows.compactMap { row -> String? in
      guard let change = row.changes[place - 1], change.isRegression else { return nil }
      return "\(row.figure.title) \(row.texts[0]) → \(row.texts[place]), "
        + RunComparisonWords.quotient(change)
    }
    let broken = promises.filter { $0.run == place && $0.isRegression }.map {
      "SLO missed: \($0.result.sentence.dropLast())"
    }
    let before = runs[0].verdict
    let now = runs[place].verdict
    let isWorse = now < min(before, .sloMissed)
    return (isWorse ? ["verdict \(before.rawValue) → \(now.rawValue)"] : []) + figures + broken
  }

  /// Whether any run has a worse verdict, a figure worse beyond tolerance, or a newly missed level.
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
