internal import Core

/// The kind of a scenario's question, which the first sentence of the report answers.
package enum AnswerKind: String, CaseIterable, Sendable, Codable {
  case capacity, freshness, wake, storm, cohorts
}

/// The answer to a scenario's question, with which report, summary and output begin.
package struct Answer {
  let record: RunRecord
  let facts: Facts

  package init(_ record: RunRecord, _ facts: Facts) {
    self.record = record
    self.facts = facts
  }

  package init(_ record: RunRecord) { self.init(record, Facts(record)) }

  package var sentence: Sentence? {
    guard let answer = planned ?? asked else { return nil }
    switch record.verdict {
    case .loss: return "Data was lost; do not use these figures. " + answer
    case .invalid:
      let limit: Sentence =
        switch record.limit {
        case .generator: "the generator was the limit"
        case .others: "other processes used the CPU"
        case .collector: "the collector ran out of file descriptors"
        }
      return "Invalid, \(limit): " + answer
    case .interrupted: return "Interrupted: " + answer
    case .notVerified, .sloMissed, .pass: return answer
    }
  }

  private var asked: Sentence? { sentence(of: record.scenario.answers ?? .capacity) }

  package func sentence(of kind: AnswerKind) -> Sentence? {
    switch kind {
    case .capacity: capacity
    case .freshness: freshness
    case .wake: wake
    case .storm: storm
    case .cohorts: cohorts
    }
  }

  private var isLive: Bool { record.latency.response.count > 0 || record.latency.attempt.count > 0 }

  // MARK: Capacity

  private var capacity: Sentence? {
    guard let offered = facts.piece("offered.batchesPerSecond", .quantity) else { return nil }
    guard isLive, let served = facts.piece("throughput.batchesPerSecond", .quantity) else {
      guard let phones = facts.piece("scenario.phones", .count) else { return nil }
      if let target = facts.piece("target.name", .text) {
        return "\(target) received no request."
      }
      let peak = facts.piece("offered.batchesPerSecondMax", .quantity).map {
        ", \($0) in the busiest minute" as Sentence
      }
      return """
        \(phones) phones send \(offered) batches per simulated second\(peak ?? "").
        """
    }
    let p99 = facts.piece("latency.response.p99", .time).map {
      ", p99 \($0)" as Sentence
    }
    let lost =
      record.isUnverified
      ? ", lost fixes not verified"
      : facts.piece("ledger.fixes.lost", .count).map { ", \($0) fixes lost" as Sentence }
    let response = record.latency.response.isLate ? nil : p99
    if let target = facts.piece("target.name", .text) {
      return """
        \(target): throughput \(served) requests/s of \(offered) offered\(response ?? "").
        """
    }
    return """
      Throughput \(served) batches/s of \(offered) offered\(response ?? "")\(lost ?? "").\
      \(stale ?? "")
      """
  }

  /// A sentence such as " Most common cause of stale time: …"
  private var stale: Sentence? {
    guard let most = record.stale.ranked.first,
      let share = facts.piece("stale.\(most.key)", .shareOfAll)
    else { return nil }
    return " Most common cause of stale time: \(StaleCause.words(most.key)), \(share)."
  }

  // MARK: Freshness

  private var freshness: Sentence? {
    guard let share = facts.piece("freshness.reachable.share", .percent),
      let within = facts.piece("freshness.withinSeconds", .minutes)
    else { return nil }
    let causes = record.stale.ranked.prefix(3).compactMap { cause, _ in
      facts.piece("stale.\(cause)", .shareOfAll).map {
        "\(StaleCause.words(cause)) \($0)" as Sentence
      }
    }
    let listed: Sentence = causes.isEmpty ? "" : "; causes of stale time: \(causes.joined(", "))"
    return """
      Reachable phones were fresh (position at most \(within) old) for \(share) of their time\
      \(listed).
      """
  }

  // MARK: Wake

  private var wake: Sentence? {
    guard record.wake.requested > 0 else { return "No silent push was requested." }
    if let unanswerable = record.wake.unanswerable, unanswerable.requested == record.wake.requested,
      let requested = facts.piece("wake.requested", .count)
    {
      return """
        None of \(requested) silent pushes can bring back its phone: the policies of these cohorts \
        ignore pushes.
        """
    }
    guard let answered = facts.piece("wake.answered.value", .percent),
      let within = facts.piece("wake.withinSeconds", .minutes)
    else { return "No silent push was requested early enough to count." }
    var interval: Sentence?
    let isModelled = record.ensemble?.figures[StudyFigure.answered.key] != nil
    let key = isModelled ? "ensemble.figures.answered" : "wake.answered"
    if let low = facts.piece("\(key).low", .percent),
      let high = facts.piece("\(key).high", .percent)
    {
      interval = " [\(low) – \(high)]"
    }
    let ofSilent: Sentence =
      facts.piece("wake.allSilent.answered.value", .percent).map { "\($0) of all silent phones" }
      ?? "share of all silent phones not known"
    let uplift = facts.piece("wake.uplift.value", .points).map {
      ", uplift \($0) points" as Sentence
    }
    return """
      A silent push brings back \(answered)\(interval ?? "") of reachable silent phones within \
      \(within) (\(ofSilent))\(uplift ?? "")\(misses ?? "")\(others ?? "").
      """
  }

  private var others: Sentence? {
    guard record.wake.unanswerable != nil,
      let others = facts.piece("wake.unanswerable.requested", .count),
      let requested = facts.piece("wake.requested", .count)
    else { return nil }
    return "; \(others) of \(requested) pushes went to phones whose policy ignores pushes"
  }

  private var misses: Sentence? {
    let kept: Set<String> = ["caused", "late", "raced", "pending"]
    let answerable = record.wake.unanswerable?.othersOutcomes
    let key = answerable == nil ? "wake.outcomes" : "wake.unanswerable.othersOutcomes"
    let ranked = (answerable ?? record.wake.outcomes).ranked.filter { !kept.contains($0.key) }
    let parts = ranked.prefix(3).compactMap { outcome, _ in
      facts.piece("\(key).\(outcome)", .shareOfEnded)
        .map { "\(outcome.replacing("-", with: " ")) \($0)" as Sentence }
    }
    return parts.isEmpty ? nil : "; most of the rest: " + parts.joined(", ")
  }

  // MARK: Storm

  private var storm: Sentence? {
    let storms = record.storm ?? []
    guard let worst = storms.indices.max(by: { height(storms[$0]) < height(storms[$1]) }) else {
      return "No outage ended in the measured time."
    }
    let key = "storm.\(worst)"
    let storm = storms[worst]
    guard let peak = facts.piece("\(key).amplification", .quantity) else {
      return "Nothing was uploaded before the outage to compare a storm with."
    }
    let drain = facts.piece("\(key).drainSeconds", .seconds)
    let back: Sentence =
      drain.map { "returned to normal after \($0)" } ?? "did not return to normal in the run"
    let rejected = facts.piece("\(key).rejected", .word)
    let attempts = facts.piece("\(key).attemptsPerBatch", .quantity)
    let which: Sentence =
      storms.count > 1
      ? "After the worst of the outages uploads" : "When \(Self.lost(storm)) came back, uploads"
    return """
      \(which) peaked at \(peak) × the normal rate and \(back); \(rejected ?? "no") uploads were \
      rejected\(attempts.map { ", \($0) attempts a batch" as Sentence } ?? "").
      """
  }

  private func height(_ storm: StormFigures) -> Double { storm.amplification ?? 0 }

  private static func lost(_ storm: StormFigures) -> String {
    switch storm.kind {
    case "server-outage": "the backend"
    default: "the network"
    }
  }

  // MARK: Cohorts

  private var cohorts: Sentence? {
    let cohorts = record.freshness.cohorts ?? []
    guard let within = facts.piece("freshness.withinSeconds", .minutes) else { return nil }
    let fresh = cohorts.indices.compactMap { i -> Sentence? in
      guard let name = facts.piece("freshness.cohorts.\(i).name", .text),
        let share = facts.piece("freshness.cohorts.\(i).share", .percent)
      else { return nil }
      return "\(name) \(share)"
    }
    guard !fresh.isEmpty else { return nil }
    let woken = (record.wake.cohorts ?? []).indices.compactMap { i -> Sentence? in
      guard let name = facts.piece("wake.cohorts.\(i).name", .text),
        let answered = facts.piece("wake.cohorts.\(i).answered.value", .percent),
        let caused = facts.piece("wake.cohorts.\(i).caused.value", .percent)
      else { return nil }
      return "\(name) \(answered) (\(caused))"
    }
    let wakes: Sentence =
      woken.isEmpty
      ? "" : "; silent pushes answered (because of the push): " + woken.joined(", ")
    return """
      Share of reachable phones’ time with a position at most \(within) old: \(fresh.joined(", "))\
      \(wakes).
      """
  }
}
