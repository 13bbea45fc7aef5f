/// Searches the policy whose simulation is nearest to a log. Tries every kind of service with the
/// log's figures, then varies one figure at a time. The owner of the search simulates candidates.
package struct FitSearch: Sendable {
  package struct Trial: Equatable, Sendable, Codable {
    package var candidate: FitCandidate
    /// The mean distance of the simulation from the log, 0 ... 1, lower is better.
    package var loss: Double
  }

  package private(set) var trials: [Trial] = []
  package let budget: Int

  private var waiting: [FitCandidate]
  private var best: Trial?
  private var round = 0
  private var move = 0
  private var hasImproved = false

  /// The step of each round: a factor for times and distances, and a summand for shares.
  private static let rounds: [(factor: Double, part: Double)] = [
    (2, 0.04), (1.4, 0.02), (1.15, 0.01),
  ]
  /// The least gain in loss that counts as an improvement; a smaller gain is noise.
  private static let gainMin = 0.001

  /// - Parameter budget: The maximum number of candidates, at least one.
  package init(from start: FitStart, budget: Int) {
    self.budget = max(1, budget)
    waiting = Self.firsts(start)
  }

  private static func firsts(_ start: FitStart) -> [FitCandidate] {
    func candidate(
      _ service: FitCandidate.Service, _ seconds: Double, _ meters: Double?
    ) -> FitCandidate {
      FitCandidate(
        service, seconds: seconds, meters: meters, sendSeconds: start.sendSeconds,
        maxFixes: start.maxFixes)
    }
    var firsts = [
      candidate(.continuous, start.seconds, nil), candidate(.moving, start.seconds, nil),
    ]
    if let meters = start.meters {
      firsts += [
        candidate(.moving, 86_400, meters),
        candidate(.continuous, max(300, start.seconds), meters),
      ]
    }
    firsts += [candidate(.bursts, start.seconds, nil), candidate(.wakes, start.seconds, nil)]
    return firsts
  }

  package var nearest: Trial? { best }

  package var isDone: Bool {
    var copy = self
    return copy.next() == nil
  }

  package mutating func next() -> FitCandidate? {
    guard trials.count < budget else { return nil }
    while true {
      if let candidate = waiting.first {
        waiting.removeFirst()
        if trials.contains(where: { $0.candidate == candidate }) { continue }
        return candidate
      }
      guard let best, round < Self.rounds.count else { return nil }
      let moves = Self.moves(of: best.candidate, Self.rounds[round])
      if move < moves.count {
        waiting = [moves[move]]
        move += 1
        continue
      }
      move = 0
      if !hasImproved { round += 1 }
      hasImproved = false
    }
  }

  package mutating func note(_ candidate: FitCandidate, loss: Double) {
    let trial = Trial(candidate: candidate, loss: loss)
    trials.append(trial)
    guard let before = best else {
      best = trial
      return
    }
    guard loss < before.loss - Self.gainMin else { return }
    best = trial
    hasImproved = true
  }

  private static func moves(
    of candidate: FitCandidate, _ step: (factor: Double, part: Double)
  ) -> [FitCandidate] {
    var moves: [FitCandidate] = []
    func add(_ change: (inout FitCandidate) -> Void) {
      var moved = candidate
      change(&moved)
      moved.bound()
      if moved != candidate { moves.append(moved) }
    }
    for factor in [step.factor, 1 / step.factor] {
      add { $0.seconds *= factor }
      add { $0.meters = $0.meters.map { $0 * factor } }
      add { $0.sendSeconds *= factor }
    }
    // Tries other accuracies, and a policy with or without a distance, in the first round only.
    if step.factor == rounds[0].factor {
      for accuracy in FitCandidate.Accuracy.allCases { add { $0.accuracy = accuracy } }
      add { $0.meters = $0.meters == nil ? 100 : nil }
    }
    for part in [step.part, -step.part] {
      add { $0.offline += part }
      add { $0.switchedOff += part }
    }
    return moves
  }
}
