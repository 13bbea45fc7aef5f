/// Finds the sustainable load of a server by choosing the next trial from the outcomes so far.
///
///     growing, short trials ─▶ bisection of the logarithm, short ─▶ full trials at both ends
///          ▲ the first bad load ends it          ▲ until the ends are a width apart
///
/// Only full trials decide bounds. A bound that full trials contradict moves by steps that double.
/// The search uses no clock, no socket and no randomness.
package struct LoadSearch: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    case measure(load: Double, seconds: Double)
    case done
  }

  /// The reason why a search ended without both bounds.
  package enum Irregularity: String, Equatable, Sendable, Codable {
    /// The server carries the largest load that the generator can offer: there is no upper bound.
    case generatorLimit = "generator-limit"
    /// The server does not even carry the smallest load.
    case nothingSustained = "nothing-sustained"
    case tooManyTrials = "too-many-trials"
  }

  package let classifier: LoadClassifier
  package private(set) var trials: [TrialOutcome] = []
  /// The reason why the search ended without both bounds; nil if it continues or has both.
  package private(set) var irregularity: Irregularity?
  private let first: Double
  private let growth: Double
  private let smallest: Double
  private var largest: Double
  private var good: Double?
  private var bad: Double?
  private var isFinal = false
  private var invalidInARow = 0

  /// The maximum number of trials: more than a search needs if half of them agree.
  private static let trialsMax = 80
  /// The invalid trials in a row that the search tolerates: a busy machine may cause some.
  private static let againMax = 5

  /// - Parameter growth: The factor from one short trial to the next until a trial is bad.
  package init(_ goal: SearchGoal, first: Double, largest: Double, growth: Double = 2) {
    precondition(first > 0 && largest > 0, "loads are above 0 (are \(first), \(largest))")
    precondition(growth > 1, "loads grow (by \(growth))")
    self.growth = growth
    classifier = LoadClassifier(goal)
    self.first = min(first, largest)
    self.largest = largest
    smallest = first / 1_024
  }

  private var goal: SearchGoal { classifier.goal }

  // MARK: What is known

  private func verdict(_ load: Double) -> LoadClassifier.Verdict {
    classifier.verdict(trials.filter { $0.load == load && $0.invalid == nil })
  }

  private var loads: [Double] { Set(trials.map(\.load)).sorted() }

  package var upperBound: Double? { loads.first { verdict($0) == .upper } }

  /// The largest carried load below the upper bound; larger carried loads are not trusted.
  package var lowerBound: Double? {
    let below = upperBound ?? .infinity
    return loads.last { $0 < below && verdict($0) == .lower }
  }

  package var conditionalThroughput: Double? {
    lowerBound.map { load in
      classifier.conditionalThroughput(
        load, trials.filter { $0.load == load && $0.invalid == nil })
    }
  }

  // MARK: Steps

  package var next: Step {
    if irregularity != nil { return .done }
    if !isFinal { return .measure(load: screening, seconds: goal.initialSeconds) }
    guard let load = contested else { return .done }
    return .measure(load: load, seconds: goal.finalSeconds)
  }

  package mutating func add(_ trial: TrialOutcome) {
    trials.append(trial)
    if trial.invalid != nil {
      invalidInARow += 1
      if invalidInARow > Self.againMax { giveWay(from: trial.load) }
    } else {
      invalidInARow = 0
      if !isFinal { screened(trial) }
    }
    if trials.count >= Self.trialsMax, irregularity == nil, next != .done {
      irregularity = .tooManyTrials
    }
    noteEnd()
  }

  /// Limits the search to loads below `load`, which the generator cannot offer.
  private mutating func giveWay(from load: Double) {
    invalidInARow = 0
    largest = min(largest, load * 0.9)
    if let carried = lowerBound ?? good, carried >= largest {
      isFinal = true
      largest = carried
    }
    if largest < smallest { irregularity = .nothingSustained }
  }

  // MARK: Short trials

  private var screening: Double {
    switch (good, bad) {
    case (nil, nil): min(first, largest)
    case (let good?, nil): min(good * growth, largest)
    case (nil, let bad?): bad / growth
    case (let good?, let bad?): min((good * bad).squareRoot(), largest)
    }
  }

  private mutating func screened(_ trial: TrialOutcome) {
    if classifier.isHigh(trial) {
      bad = min(bad ?? .infinity, trial.load)
      if let found = good, found >= trial.load { good = nil }
    } else {
      good = max(good ?? 0, trial.load)
    }
    if let good, bad == nil, good >= largest { isFinal = true }
    if let good, let bad, bad / good <= 1 + goal.width { isFinal = true }
    if good == nil, let bad, bad / growth < smallest { irregularity = .nothingSustained }
  }

  // MARK: Full trials

  /// The load to judge next by full trials; nil if the bounds stand or cannot be found.
  private var contested: Double? {
    switch (lowerBound, upperBound) {
    case (nil, nil): return undecided(good) ?? undecided(bad) ?? good ?? first
    case (let lower?, nil):
      if let bad = undecided(bad), bad > lower, bad <= largest { return bad }
      if lower >= largest { return nil }
      return min(lower * step, largest)
    case (nil, let upper?):
      if let good = undecided(good), good < upper { return good }
      let load = upper / step
      return load < smallest ? nil : load
    case (let lower?, let upper?):
      if upper / lower <= 1 + goal.width * 1.000_001 { return nil }
      // Finishes a load between the bounds that full trials have begun to judge.
      if let open = loads.first(where: { $0 > lower && $0 < upper && isOpen($0) }) { return open }
      return (lower * upper).squareRoot()
    }
  }

  /// Returns whether full trials at the load have begun without a decision.
  private func isOpen(_ load: Double) -> Bool {
    verdict(load) == .undecided
      && trials.contains { $0.load == load && $0.invalid == nil && classifier.isFull($0) }
  }

  private func undecided(_ load: Double?) -> Double? {
    load.flatMap { verdict($0) == .undecided ? $0 : nil }
  }

  /// The ratio of the next load to a bound: 1 + width, squared for each decided load but the first.
  private var step: Double {
    let outside = max(0, loads.count { verdict($0) != .undecided } - 1)
    var step = 1 + goal.width
    for _ in 0..<min(outside, 5) { step *= step }
    return step
  }

  private mutating func noteEnd() {
    guard irregularity == nil, isFinal, contested == nil else { return }
    if upperBound == nil { irregularity = .generatorLimit }
    if lowerBound == nil { irregularity = .nothingSustained }
  }
}
