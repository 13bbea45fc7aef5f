internal import Measure
internal import Records
internal import Scenarios
internal import SimulationCore

/// Judges a record by the scenario's promises.
struct ServiceLevelJudge {
  var levels: ServiceLevels

  init(_ levels: ServiceLevels) { self.levels = levels }

  func results(_ record: RunRecord) -> [ServiceLevelResult] {
    var results: [ServiceLevelResult] = []
    if let limit = levels.responseP99 {
      results.append(
        .atMost(
          Double(limit.microseconds), record.latency.response.p99.map(Double.init),
          name: "responseP99", unit: "µs"))
    }
    if let limit = levels.lost {
      results.append(
        .atMost(
          Double(limit), Double(record.ledger.fixes.lost), name: "lost", unit: "fixes"))
    }
    if let limit = levels.undelivered {
      let fixes = record.ledger.fixes
      let share = fixes.generated > 0 ? Double(fixes.undelivered) / Double(fixes.generated) : 0
      results.append(.atMost(limit, share, name: "undelivered", unit: "share"))
    }
    if let level = levels.freshness {
      results.append(
        .atLeast(
          level.share, population(level.of, record).share, name: "freshness", unit: "share"))
    }
    if let level = levels.located {
      results.append(
        .atLeast(
          level.share, population(level.of, record).located, name: "located", unit: "share"))
    }
    if let limit = levels.answered {
      results.append(
        .atLeast(limit, record.wake.answered?.value, name: "answered", unit: "share"))
    }
    return results
  }

  private func population(
    _ of: Population, _ record: RunRecord
  ) -> RunRecord.Freshness.Population {
    switch of {
    case .installed: record.freshness.installed
    case .reachable: record.freshness.reachable
    case .moving: record.freshness.moving
    }
  }
}
