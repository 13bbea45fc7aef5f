internal import Capacity
internal import Core
package import Figures

extension JUnitSuite {
  /// The cases of a run or a plan: the verdict, each SLO, and each check of a plan's capacity.
  /// - Parameters:
  ///   - command: The command of the run, such as "load".
  ///   - undecided: The SLOs with too few samples for a judgement.
  package init(_ record: RunRecord, _ command: String, undecided: [UndecidedLevel] = []) {
    let group = "\(command).\(record.scenario.name)"
    let verdict = ([record.verdict.rawValue] + record.reasons).joined(separator: "\n")
    self.init(
      "flotilla \(command) \(record.scenario.name)", seconds: record.timing.wallSeconds,
      [Case(group, Self.verdict, Self.outcome(record.verdict), verdict)]
        + record.slo.map { level in
          let (outcome, remark) = Self.judgement(record, level)
          return Case(group, level.name, outcome, level.bounded + remark)
        }
        + undecided.map { Case(group, $0.level.name, .skipped, $0.why) }
        + (record.plan?.capacity?.checks ?? []).map {
          let outcome = record.verdict == .interrupted ? .skipped : $0.outcome
          return Case(group, $0.name, outcome, "\($0.actual), required: \($0.limit)")
        })
  }

  static let verdict = "verdict"

  private static func outcome(_ verdict: Verdict) -> Outcome {
    switch verdict {
    case .pass: .passed
    case .interrupted: .error
    case .loss, .invalid, .notVerified, .sloMissed: .failed
    }
  }

  private static func judgement(
    _ record: RunRecord, _ level: ServiceLevelResult
  ) -> (Outcome, remark: String) {
    if record.verdict == .interrupted { return (.skipped, " before the run was interrupted") }
    return switch record.judged(level) {
    case .met: (.passed, "")
    case .failed: (.failed, "")
    case .notJudged: (.skipped, ", not judged: the load generator was late")
    }
  }
}

extension ServiceLevelResult {
  /// The value and the bound, such as "61.2 ms (SLO ≤ 50 ms)".
  fileprivate var bounded: String {
    "\(actual.map(amount) ?? "not measured") (SLO \(isCeiling ? "≤" : "≥") \(amount(limit)))"
  }
}

extension CapacityRecord.Check {
  fileprivate var outcome: JUnitSuite.Outcome {
    switch holds {
    case true?: .passed
    case false?: .failed
    case nil: .skipped
    }
  }
}
