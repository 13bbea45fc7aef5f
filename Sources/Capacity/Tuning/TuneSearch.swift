package import Core

/// Searches the best of several candidates by evaluations that its owner simulates. All candidates
/// of a rung use the same phones, so that their differences have paired intervals.
package struct TuneSearch: Sendable {
  package struct Step: Equatable, Sendable {
    package var candidates: [Int]
    package var rung: Int
  }

  package struct Estimate: Equatable, Sendable {
    package var rung: Int
    package var figures: [Ratio]

    package var values: [Double] { figures.map(\.value) }
  }

  package let question: TuneQuestion
  package let schedule: TuneSchedule
  package private(set) var estimates: [Int: Estimate] = [:]
  package private(set) var phoneDays = 0.0
  private let figures: Int
  private let seed: UInt64
  private var wanted: Step?
  /// The resampled evaluations of the last finished rung.
  private var paired: PairedBootstrap?
  private var pairedCandidates: [Int] = []

  /// - Parameter seed: The seed of the resampling for confidence intervals.
  package init(_ question: TuneQuestion, _ schedule: TuneSchedule, figures: Int, seed: UInt64) {
    self.question = question
    self.schedule = schedule
    self.figures = figures
    self.seed = seed
    wanted = Step(candidates: Array(0..<schedule.candidates), rung: 0)
  }

  /// The evaluations to make next; nil when the search is over.
  package var step: Step? { wanted }

  /// Takes the evaluations for `step`. A candidate without an evaluation leaves the search.
  package mutating func take(_ found: [Int: TuneEvaluation]) {
    guard let step = wanted else { return }
    wanted = nil
    let candidates = step.candidates.filter { found[$0] != nil }
    phoneDays += Double(candidates.count) * schedule.rungs[step.rung].phoneDays
    let bootstrap = PairedBootstrap(
      tables: candidates.map { found[$0]?.rows ?? [] }, columns: 2 * figures, seed: seed)
    var known: [Int] = []
    for (place, candidate) in candidates.enumerated() {
      let ratios = (0..<figures).compactMap { bootstrap.ratio(place, Self.statistic($0)) }
      // A candidate leaves the search if one of its figures has no value.
      guard ratios.count == figures else { continue }
      estimates[candidate] = Estimate(rung: step.rung, figures: ratios)
      known.append(candidate)
    }
    (paired, pairedCandidates) = (bootstrap, candidates)
    let next = step.rung + 1
    guard next < schedule.rungs.count, !known.isEmpty else { return }
    let kept = survivors(of: known, schedule.rungs[next].candidates)
    wanted = Step(candidates: kept.sorted(), rung: next)
  }

  package static func statistic(_ figure: Int) -> @Sendable ([Double]) -> Double? {
    { sums in sums[2 * figure + 1] > 0 ? sums[2 * figure] / sums[2 * figure + 1] : nil }
  }

  /// Returns the paired difference on the last finished rung; nil if that rung lacks a candidate.
  package func difference(_ figure: Int, of one: Int, from other: Int) -> Ratio? {
    guard let paired, let a = pairedCandidates.firstIndex(of: one),
      let b = pairedCandidates.firstIndex(of: other)
    else { return nil }
    return paired.difference(a, from: b, Self.statistic(figure))
  }

  // MARK: Selection

  /// Returns the candidates of the next rung. Takes turns between candidates that keep all bounds,
  /// the Pareto layers, and candidates that may keep the bounds, to try both sides of a bound.
  private func survivors(of candidates: [Int], _ count: Int) -> [Int] {
    let values = candidates.map { estimates[$0]?.values ?? [] }
    let layers = question.layers(values).map { $0.map { candidates[$0] } }
    let front = layers.first ?? []
    let hopeful = candidates.filter { one in !front.contains { isSurelyBetter($0, than: one) } }
    let ranked = ranked(hopeful)
    let keeping = ranked.filter { question.excess(of: estimates[$0]?.values ?? []) == 0 }
    let layered = layers.flatMap { spread($0) }.filter { hopeful.contains($0) }
    var kept: [Int] = []
    for place in ranked.indices {
      for turn in [keeping, layered, ranked] where place < turn.count && kept.count < count {
        if !kept.contains(turn[place]) { kept.append(turn[place]) }
      }
    }
    return kept
  }

  private func isSurelyBetter(_ one: Int, than other: Int) -> Bool {
    guard one != other, let a = estimates[one], let b = estimates[other],
      question.dominates(a.values, b.values)
    else { return false }
    return question.ways.allSatisfy { way in
      guard let gain = difference(way.figure, of: one, from: other) else { return false }
      return way.direction == .maximize ? gain.low > 0 : gain.high < 0
    }
  }

  /// Sorts by the distance beyond the bounds, which intervals may reduce, then by the first goal.
  private func ranked(_ candidates: [Int]) -> [Int] {
    let goal = question.goals[0]
    let sign = goal.direction == .maximize ? -1.0 : 1
    let keys = candidates.map { candidate -> (Double, Double, Int) in
      guard let estimate = estimates[candidate] else { return (.infinity, 0, candidate) }
      // Counts the better end of an interval, which with few phones may include the bound.
      let hopeful = question.bounds.reduce(0) { sum, bound in
        let ratio = estimate.figures[bound.figure]
        return sum + bound.excess(of: bound.isUpper ? ratio.low : ratio.high)
      }
      return (hopeful, sign * estimate.figures[goal.figure].value, candidate)
    }
    return keys.sorted { $0 < $1 }.map(\.2)
  }

  /// Orders a layer by its ends, then the middles of the widest gaps: a few candidates span it.
  private func spread(_ layer: [Int]) -> [Int] {
    let goal = question.goals[0].figure
    let sorted = layer.sorted {
      (estimates[$0]?.values[goal] ?? 0, $0) < (estimates[$1]?.values[goal] ?? 0, $1)
    }
    guard sorted.count > 2 else { return sorted.reversed() }
    var chosen = [sorted.count - 1, 0]
    while chosen.count < sorted.count {
      let ends = chosen.sorted()
      let gaps = zip(ends, ends.dropFirst()).map { ($1 - $0, -$0) }
      guard let widest = gaps.max(by: { $0 < $1 }), widest.0 > 1 else { break }
      chosen.append(-widest.1 + widest.0 / 2)
    }
    return chosen.map { sorted[$0] }
  }

  // MARK: Results

  package var lastRung: Int? { estimates.values.map(\.rung).max() }

  package var finalists: [Int] {
    guard let last = lastRung else { return [] }
    return estimates.filter { $0.value.rung == last }.map(\.key).sorted()
  }

  /// The finalists that no other finalist dominates, ascending.
  package var front: [Int] {
    let finalists = finalists
    let layers = question.layers(finalists.map { estimates[$0]?.values ?? [] })
    return layers.first.map { $0.map { finalists[$0] } } ?? []
  }

  /// The best finalist by the first goal among finalists whose intervals keep all bounds, or else
  /// whose values do, or else that are least beyond the bounds. nil if nothing was evaluated.
  package var winner: Int? {
    let goal = question.goals[0]
    let sign = goal.direction == .maximize ? -1.0 : 1
    let keys = finalists.compactMap { candidate -> (Double, Double, Double, Int)? in
      guard let estimate = estimates[candidate] else { return nil }
      let excess = question.excess(of: estimate.values)
      let unsure = question.bounds.contains { bound in
        let ratio = estimate.figures[bound.figure]
        return bound.excess(of: bound.isUpper ? ratio.high : ratio.low) > 0
      }
      return (excess, unsure ? 1 : 0, sign * estimate.figures[goal.figure].value, candidate)
    }
    return keys.min { $0 < $1 }?.3
  }
}
