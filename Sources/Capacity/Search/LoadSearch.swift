/// Finds the load that a server sustains: says which trial to do next, and hears what came of it.
///
///     growing, short trials ─▶ bisection of the logarithm, short ─▶ full trials at both ends
///          ▲ the first bad load ends it          ▲ until the ends are a width apart
///
/// A bound that full trials contradict moves, in steps that double. Which loads are bounds is said
/// by full trials alone. Pure: no clock, no socket, no chance.
package struct LoadSearch: Equatable, Sendable {
  /// Is what to do next: another trial, or nothing.
  package enum Step: Equatable, Sendable {
    case measure(load: Double, seconds: Double)
    case done
  }

  /// Why a search ended without both bounds.
  package enum Irregularity: String, Equatable, Sendable, Codable {
    /// The largest load that can be offered is carried: there is no upper bound.
    case generatorLimit = "generator-limit"
    /// Not even the smallest load is carried.
    case nothingSustained = "nothing-sustained"
    case tooManyTrials = "too-many-trials"
  }

  /// Judges the trials by the goal of the search.
  package let classifier: LoadClassifier
  /// Holds the trials so far, in the order in which they were added.
  package private(set) var trials: [TrialOutcome] = []
  /// Says why the search ended without both bounds; nil: it goes on, or has both.
  package private(set) var irregularity: Irregularity?
  private let first: Double
  private let growth: Double
  private let smallest: Double
  private var largest: Double
  /// The ends of the short trials' search.
  private var good: Double?
  private var bad: Double?
  private var isFinal = false
  /// Invalid trials in a row at the load that is tried.
  private var invalidInARow = 0

  /// More than any search needs whose trials agree half of the time.
  private static let trialsMax = 80
  /// An invalid trial is done again so often before the generator's limit is believed: loads up to
  /// the largest were offered before, and a machine may do something else for a while.
  private static let againMax = 5

  /// - Parameters:
  ///   - largest: more cannot be offered.
  ///   - growth: from one short trial to the next until one is bad; small where `first` is near.
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

  /// The smallest load that is not carried.
  package var upperBound: Double? { loads.first { verdict($0) == .upper } }

  /// The largest load below the upper bound that is carried: where larger ones are carried as well
  /// the server is not to be trusted with them.
  package var lowerBound: Double? {
    let below = upperBound ?? .infinity
    return loads.last { $0 < below && verdict($0) == .lower }
  }

  /// What gets through at the lower bound, batches a second.
  package var conditionalThroughput: Double? {
    lowerBound.map { load in
      classifier.conditionalThroughput(
        load, trials.filter { $0.load == load && $0.invalid == nil })
    }
  }

  // MARK: Steps

  /// Returns the next trial to run, its load in batches a second, or that the search is over.
  package var next: Step {
    if irregularity != nil { return .done }
    if !isFinal { return .measure(load: screening, seconds: goal.initialSeconds) }
    guard let load = contested else { return .done }
    return .measure(load: load, seconds: goal.finalSeconds)
  }

  /// Takes the outcome of a trial, usually that of `next`, and moves the search on.
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

  /// The generator cannot offer this load: all is searched below it.
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

  /// The load whose verdict is wanted next; nil: the bounds stand.
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
      // A load between them that is being judged goes on.
      if let open = loads.first(where: { $0 > lower && $0 < upper && isOpen($0) }) { return open }
      return (lower * upper).squareRoot()
    }
  }

  /// Full trials have begun at it and have not decided.
  private func isOpen(_ load: Double) -> Bool {
    verdict(load) == .undecided
      && trials.contains { $0.load == load && $0.invalid == nil && classifier.isFull($0) }
  }

  private func undecided(_ load: Double?) -> Double? {
    load.flatMap { verdict($0) == .undecided ? $0 : nil }
  }

  /// How far the next load lies beyond a bound: a width, then twice, then four times as much.
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
