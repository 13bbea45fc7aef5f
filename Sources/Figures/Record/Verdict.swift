package import Core

/// How a run ended, worst first.
package enum Verdict: String, CaseIterable, Sendable, Codable, Comparable {
  /// Acknowledged data is missing, or a ledger does not balance.
  case loss
  /// The generator or other processes, not the collector, determined the figures.
  case invalid
  case interrupted
  /// The run was asked to check that everything acknowledged is stored, and could not.
  case notVerified = "not-verified"
  case sloMissed = "slo-missed"
  case pass

  package static func < (a: Self, b: Self) -> Bool {
    allCases.prefix { $0 != b }.contains(a)
  }
}

package struct ServiceLevelResult: Equatable, Sendable, Codable {
  /// The name as in the scenario, such as "responseP99", "lost" or "freshness".
  package var name: String
  package var limit: Double
  /// The measured value; null if unknown, in which case the level does not pass.
  @Nullable package var actual: Double?
  package var pass: Bool
  /// The unit, such as "µs", "fixes" or "share".
  package var unit: String

  package enum Judged: String, Sendable {
    case met, failed
    case notJudged = "not judged"

    package var isMet: Bool? { self == .notJudged ? nil : self == .met }
  }

  /// Returns the judgement. A late generator's response includes its lag and is not judged.
  package func judged(isLate: Bool) -> Judged {
    name == "responseP99" && isLate ? .notJudged : pass ? .met : .failed
  }

  package func amount(_ value: Double) -> String {
    switch unit {
    case "µs": Figure.time(value)
    case "share": Figure.percent(value)
    default: "\(Figure.quantity(value)) \(unit)"
    }
  }

  /// Returns the result for an upper limit; it does not pass without a value.
  package static func atMost(
    _ limit: Double, _ actual: Double?, name: String, unit: String
  ) -> Self {
    let pass = actual.map { $0 <= limit } ?? false
    return Self(name: name, limit: limit, actual: actual, pass: pass, unit: unit)
  }

  package static func atLeast(
    _ limit: Double, _ actual: Double?, name: String, unit: String
  ) -> Self {
    let pass = actual.map { $0 >= limit } ?? false
    return Self(name: name, limit: limit, actual: actual, pass: pass, unit: unit)
  }

  /// A sentence such as "responseP99 is 61.2 ms, the SLO is 50 ms."
  package var sentence: String {
    let found = actual.map { "is \(amount($0))" } ?? "could not be measured"
    return "\(name) \(found), the SLO is \(amount(limit))."
  }
}

/// An SLO with too few samples for a judgement, which is left out of the record's levels.
package struct UndecidedLevel: Equatable, Sendable {
  package let level: ServiceLevelResult
  /// The sentence with the reason, and what to do.
  package let why: String

  package init(_ level: ServiceLevelResult, _ why: String) { (self.level, self.why) = (level, why) }
}

package struct Judgement: Equatable, Sendable {
  /// The prefix of reasons why storage of acknowledged data could not be verified.
  package static let unverified = "Not verified: "

  package var verdict: Verdict
  /// The reasons of the verdict, then lesser violations; empty for a clean pass.
  package var reasons: [String]

  /// Takes the sentences for each kind of verdict. `missed` has mandatory limits beside the SLOs.
  package init(
    losses: [String], invalid: [String], interrupted: [String], unverified: [String] = [],
    missed: [String] = [], slo: [ServiceLevelResult]
  ) {
    let missed = missed + slo.filter { !$0.pass }.map(\.sentence)
    let steps: [(Verdict, [String])] = [
      (.loss, losses), (.invalid, invalid), (.interrupted, interrupted),
      (.notVerified, unverified), (.sloMissed, missed),
    ]
    verdict = steps.first { !$0.1.isEmpty }?.0 ?? .pass
    reasons = steps.flatMap(\.1)
  }
}

extension RunRecord {
  package func judged(_ level: ServiceLevelResult) -> ServiceLevelResult.Judged {
    level.judged(isLate: verdict == .invalid || latency.response.isLate)
  }

  /// Whether storage of all acknowledged data could not be verified, whatever the verdict.
  package var isUnverified: Bool {
    verdict == .notVerified || reasons.contains { $0.hasPrefix(Judgement.unverified) }
  }
}
