internal import Core
internal import Figures
internal import Scenarios
internal import Targets

struct ServiceLevelJudge {
  var levels: ServiceLevels
  private let hasWireFaults: Bool
  /// Whether the store was compared with the acknowledged batches.
  private let isProven: Bool

  /// The levels of a target if the scenario sets none.
  private static let standard = (failed: 0.01, stored: 0.99)

  /// - Parameter isProven: false if the store could not be compared with the acknowledged batches;
  ///   the service level `lost` then fails.
  init(_ scenario: Scenario, isProven: Bool = true) {
    self.isProven = isProven
    levels = scenario.slo
    hasWireFaults = scenario.faults.contains(where: \.kind.isOfWire)
  }

  func results(_ record: RunRecord) -> [ServiceLevelResult] {
    var results: [ServiceLevelResult] = []
    func atMost(_ name: String, _ limit: Double?, _ actual: Double?, unit: String = "share") {
      if let limit { results.append(.atMost(limit, actual, name: name, unit: unit)) }
    }
    func atLeast(_ name: String, _ limit: Double?, _ actual: Double?) {
      if let limit { results.append(.atLeast(limit, actual, name: name, unit: "share")) }
    }
    let (fixes, target) = (record.ledger.fixes, record.target)
    atMost(
      "responseP99", levels.responseP99.map { Double($0.microseconds) },
      record.latency.response.p99.map(Double.init), unit: "µs")
    // Without a read-back, a target's losses are unknown.
    if target == nil || target?.readback != nil {
      let lost = isProven && record.knowsLosses ? Double(fixes.lost) : nil
      atMost("lost", levels.lost.map(Double.init), lost, unit: "fixes")
    }
    let share = fixes.generated > 0 ? Double(fixes.undelivered) / Double(fixes.generated) : 0
    atMost("undelivered", levels.undelivered, share)
    if let target {
      let limit = levels.failed ?? (hasWireFaults ? nil : Self.standard.failed)
      atMost("failed", limit, target.failedShare)
      atLeast("stored", levels.stored ?? Self.standard.stored, target.fixes.storedShare)
    }
    if let level = levels.freshness {
      atLeast("freshness", level.share, population(level.of, record).share)
    }
    if let level = levels.located {
      atLeast("located", level.share, population(level.of, record).located)
    }
    atLeast("answered", levels.answered, record.wake.answered?.value)
    return results
  }

  /// Removes levels with too few samples unless the user set them. Returns a remark on each open
  /// level, and the removed levels.
  func setOpenAside(
    _ record: inout RunRecord, asked: Set<String>, measured seconds: Double
  ) -> (remarks: [String], undecided: [UndecidedLevel]) {
    var open: [String: String] = [:]
    open["responseP99"] = openLatency(record, measured: seconds)
    for level in record.slo where level.actual == nil {
      switch level.name {
      case "answered":
        let pushes = Figure.grouped(record.wake.requested)
        open[level.name] = """
          answered is unknown: none of the \(pushes) pushes could be judged. Their phones ignore \
          pushes, or the run ended too soon after them (--duration).
          """
      case "freshness", "located":
        open[level.name] = """
          \(level.name) is unknown: no time of such phones was measured. Use a longer \
          --duration.
          """
      default: break
      }
    }
    let undecided = record.slo.compactMap { level in
      asked.contains(level.name) ? nil : open[level.name].map { UndecidedLevel(level, $0) }
    }
    record.slo.removeAll { level in undecided.contains { $0.level.name == level.name } }
    return (open.keys.sorted().compactMap { open[$0] }, undecided)
  }

  /// Returns a remark with the run length that the p99 needs; nil if the result is already clear.
  private func openLatency(_ record: RunRecord, measured seconds: Double) -> String? {
    let response = record.latency.response
    let needed = Histogram.samplesNeeded(for: 0.99)
    guard let limit = levels.responseP99, response.count < needed else { return nil }
    let median = response.p50.map(Double.init)
    guard response.count == 0 || median.map({ $0 <= Double(limit.microseconds) }) == true else {
      return nil
    }
    let begin = "responseP99 is unknown: p99 needs \(needed) uploads, and"
    guard response.count > 0 else { return "\(begin) none was measured." }
    let wanted = seconds * Double(needed) / Double(response.count) * Self.margin
    let duration = TargetFigures.Primed.span(record.phases.ramp + wanted)
    return "\(begin) \(response.count) were measured. Use --duration \(duration), or "
      + "more phones."
  }

  /// The factor by which the recommended run length allows for uneven uploads.
  private static let margin = 1.2

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

extension TargetFigures {
  fileprivate var failedShare: Double? {
    let asked = answers.filter { RequestKind(rawValue: $0.request)?.isRead != true }
    let all = asked.reduce(0) { $0 + $1.count }
    let failed = asked.filter { ["failed", "unknown"].contains($0.meaning) }
    return all > 0 ? Double(failed.reduce(0) { $0 + $1.count }) / Double(all) : nil
  }
}

extension TargetFigures.Fixes {
  fileprivate var storedShare: Double? {
    let unsent = droppedBy[TargetQueue.superseded] ?? 0
    let sent = stored + refused + failed + unknown + dropped - unsent
    return sent > 0 ? Double(stored) / Double(sent) : nil
  }
}
