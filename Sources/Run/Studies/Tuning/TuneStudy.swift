package import Capacity
internal import Core
package import Figures
internal import Scenarios
internal import Uploads

/// Searches for the best settings of a policy and of pushes in virtual time, from many candidates
/// with few phones and hours to few candidates with all. Several runs at once.
///
/// All candidates of a rung have the same seed and phones. Draws are keyed by purpose, so people
/// behave the same under each candidate (common random numbers).
package struct TuneStudy: Study {
  package let grid: TuneGrid
  package let figures: [StudyFigure]
  package let question: TuneQuestion
  package let schedule: TuneSchedule
  package let plan: RunPlan
  /// The original settings at sets of the model's parameters.
  package let ensemble: Ensemble?

  package static let confirmingSeeds = 2

  /// - Parameter plan: the scenario as written; `plan.threads` is the number of parallel runs.
  /// - Parameter goals: at least one; the first decides the winner.
  /// - Parameter ensemble: the ensemble of `plan`, at whose sets the front is simulated last.
  package init(
    _ plan: RunPlan, _ grid: TuneGrid, goals: [(StudyFigure, TuneQuestion.Direction)],
    bounds: [TuneBoundText], ensemble: Ensemble? = nil
  ) {
    (self.plan, self.ensemble) = (plan, ensemble)
    self.grid = grid
    var figures: [StudyFigure] = []
    for figure in goals.map(\.0) + bounds.map(\.figure) where !figures.contains(figure) {
      figures.append(figure)
    }
    func place(_ figure: StudyFigure) -> Int { figures.firstIndex(of: figure) ?? 0 }
    question = TuneQuestion(
      goals: goals.map { .init(figure: place($0.0), direction: $0.1) },
      bounds: bounds.map {
        .init(figure: place($0.figure), limit: $0.limit, isUpper: $0.isUpper)
      })
    self.figures = figures
    let scenario = plan.scenario
    schedule = TuneSchedule(
      candidates: grid.candidates.count, phones: scenario.fleet.phones,
      seconds: scenario.duration.seconds, warmStart: scenario.warmStart.seconds)
  }

  package var confirmationPhoneDays: Double {
    2 * Double(Self.confirmingSeeds) * schedule.rungs[schedule.rungs.count - 1].phoneDays
  }

  /// The maximum number of phone-days of the ensembles, whose front has all finalists.
  package var ensemblePhoneDays: Double {
    let finalists = schedule.rungs[schedule.rungs.count - 1].candidates
    return Double(finalists + 1) * (ensemble?.phoneSeconds ?? 0) / 86_400
  }

  package var phoneSeconds: Double {
    (schedule.phoneDays + confirmationPhoneDays + ensemblePhoneDays) * 86_400
  }

  package func record(_ runs: StudyRuns) -> TuneRecord? {
    var search = TuneSearch(
      question, schedule, figures: figures.count, seed: plan.scenario.seed)
    while let step = search.step, !runs.shouldStop() {
      let rung = schedule.rungs[step.rung]
      let lived = live(
        step.candidates.map { scenario(grid.candidates[$0].scenario, rung) },
        "rung \(step.rung + 1) of \(schedule.rungs.count), \(step.candidates.count) candidates × "
          + "\(rung.phones) phones", runs)
      // A stopped rung counts only if it is the first, because a later rung would compare
      // candidates with unequal runs.
      if lived.count < step.candidates.count, step.rung > 0 { break }
      var found: [Int: TuneEvaluation] = [:]
      for (place, rows) in lived { found[step.candidates[place]] = TuneEvaluation(rows: rows) }
      search.take(found)
      if lived.count < step.candidates.count { break }
    }
    guard let winner = search.winner else { return nil }
    var record = TuneRecord(plan)
    record.describe(self, search)
    if search.step == nil, !runs.shouldStop() {
      record.confirmation = confirmation(winner, runs)
      if record.confirmation != nil { record.cost.confirmation = confirmationPhoneDays }
    }
    record.isInterrupted = record.confirmation == nil && runs.shouldStop()
    if !record.isInterrupted { vary(&record, winner, runs) }
    return record
  }

  private func scenario(_ scenario: Scenario, _ rung: TuneSchedule.Rung) -> Scenario {
    var scenario = scenario
    scenario.fleet.phones = rung.phones
    let duration = SimDuration(seconds: rung.seconds)
    if duration < scenario.duration {
      // A shortened run spends at most a quarter of its time on the ramp.
      scenario.phases.ramp = min(scenario.phases.ramp, .microseconds(duration.microseconds / 4))
      scenario.duration = duration
    }
    return scenario
  }

  /// Simulates scenarios concurrently.
  ///
  /// - Returns: the rows of each finished scenario, by its index.
  private func live(
    _ scenarios: [Scenario], _ step: String, _ runs: StudyRuns
  ) -> [Int: [Double]] {
    runs.run(scenarios.count, step: { _ in step }) { number, life in
      var plan = plan
      // The warm start of a run is used only once, so caching has no benefit.
      (plan.scenario, plan.cache) = (scenarios[number], nil)
      return life.outcome(of: plan).flatMap(rows)
    }
  }

  /// Returns the two sums of each figure, block by block; nil if nothing was compared.
  private func rows(_ outcome: RunOutcome) -> [Double]? {
    guard let table = outcome.compared else { return nil }
    let columns = ComparedTally.columns
    let blocks = (table.rows[.installed]?.count ?? 0) / columns
    var rows: [Double] = []
    rows.reserveCapacity(blocks * figures.count * 2)
    for block in 0..<blocks {
      for figure in figures {
        guard let all = table.rows[figure.population],
          let parts = ComparedTally.parts(
            figure, of: all[(block * columns)..<((block + 1) * columns)])
        else { return nil }
        rows += [parts.part, parts.whole]
      }
    }
    return rows
  }

  // MARK: Phones outside the search

  private func confirmation(
    _ winner: Int, _ runs: StudyRuns
  ) -> TuneRecord.Confirmation? {
    let last = schedule.rungs[schedule.rungs.count - 1]
    var confirmation = TuneRecord.Confirmation()
    confirmation.seeds = (1...Self.confirmingSeeds).map {
      // The shift keeps seeds small enough for every JSON parser.
      Draw.mix(plan.scenario.seed &+ UInt64($0)) >> 32
    }
    confirmation.phones = last.phones * Self.confirmingSeeds
    var scenarios: [Scenario] = []
    for written in [grid.candidates[winner].scenario, grid.asWritten] {
      for seed in confirmation.seeds {
        scenarios.append(scenario(written, last))
        scenarios[scenarios.count - 1].seed = seed
      }
    }
    let lived = live(
      scenarios, "confirming the winner with \(Self.confirmingSeeds) other seeds", runs)
    guard lived.count == scenarios.count else { return nil }
    let tables = [0, 1].map { one in
      (0..<Self.confirmingSeeds).flatMap { lived[one * Self.confirmingSeeds + $0] ?? [] }
    }
    let bootstrap = PairedBootstrap(
      tables: tables, columns: 2 * figures.count, seed: plan.scenario.seed)
    for figure in figures.indices {
      let statistic = TuneSearch.statistic(figure)
      guard let mine = bootstrap.ratio(0, statistic), let before = bootstrap.ratio(1, statistic),
        let gain = bootstrap.difference(0, from: 1, statistic)
      else { return nil }
      confirmation.winner.append(mine)
      confirmation.asWritten.append(before)
      confirmation.difference.append(gain)
    }
    confirmation.bounds = question.bounds.map { .init(confirmation.winner[$0.figure], $0) }
    return confirmation
  }

  // MARK: Sets of the model's parameters

  /// Simulates the original settings, the winner and the front at the ensemble's sets.
  private func vary(_ record: inout TuneRecord, _ winner: Int, _ runs: StudyRuns) {
    guard let ensemble else { return }
    let places = [winner] + record.front.filter { $0 != winner }
    // Candidates are valid, so this fails only if files of the scenario were removed meanwhile.
    let others = try? places.map { place in
      var plan = plan
      plan.scenario = grid.candidates[place].scenario
      return try ensemble.another(plan)
    }
    guard let others else { return }
    let ensembles = [ensemble] + others
    let values = runs.values(of: ensembles)
    let figures = ensembles.indices.map { one in
      EnsembleFigures(
        sets: ensemble.sets, phones: ensembles[one].phones, values[one],
        from: one == 1 ? values[0] : nil)
    }
    guard figures[0] != nil else { return }
    record.ensemble = figures[0]
    for (place, own) in zip(places, figures.dropFirst()) { record.candidates[place].ensemble = own }
    record.better = self.figures.indices.map { figure in
      let key = self.figures[figure].searchedKey
      let isMore = question.ways.contains { $0.figure == figure && $0.direction == .maximize }
      return values[1].count { set, mine in
        guard let mine = mine[key], let other = values[0][set]?[key] else { return false }
        return isMore ? mine > other : mine < other
      }
    }
  }
}

extension TuneRecord {
  fileprivate mutating func describe(_ study: TuneStudy, _ search: TuneSearch) {
    policy = study.grid.asWritten.policies[0].name
    axes = study.grid.axes.map { Axis(key: $0.key, values: $0.values) }
    figures = study.figures.map(\.key)
    (question, schedule) = (study.question, study.schedule)
    (cost.search, cost.grid) = (search.phoneDays, study.schedule.gridPhoneDays)
    candidates = study.grid.candidates.enumerated().map { number, candidate in
      var one = Candidate(values: candidate.values)
      one.rung = search.estimates[number]?.rung
      one.figures = search.estimates[number]?.figures ?? []
      return one
    }
    front = search.front
    winner = search.winner
    guard let winner else { return }
    margins = search.finalists.filter { $0 != winner }.compactMap { other in
      search.difference(question.goals[0].figure, of: winner, from: other).map {
        Margin(candidate: other, goal: $0)
      }
    }
  }
}
