package import Core

/// How a run ended, worst first.
package enum Verdict: String, CaseIterable, Sendable, Codable, Comparable {
  /// Acknowledged data is missing, or a ledger does not balance.
  case loss
  /// The generator or other processes, not the collector, determined the figures.
  case invalid
  case interrupted
  /// The requested check that everything acknowledged is stored was impossible.
  case notVerified = "not-verified"
  case sloMissed = "slo-missed"
  case pass

  package static func < (a: Self, b: Self) -> Bool {
    allCases.prefix { $0 != b }.contains(a)
  }
}

package struct ServiceLevelResult: Equatable, Sendable, Codable {
  /// "responseP99", "lost", "freshness", as in the scenario.
  package var name: String
  package var limit: Double
  /// The measured value; null if unknown, in which case the level does not pass.
  @Nullable package var actual: Double?
  package var pass: Bool
  /// "µs", "fixes", "share".
  package var unit: String

  package enum Judged: String, Sendable {
    case met, failed
    case notJudged = "not judged"

    package var isMet: Bool? { self == .notJudged ? nil : self == .met }
  }

  /// Returns the judgement. A response of a late generator includes its lag, so it is not judged.
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

  /// "responseP99 is 61.2 ms, the SLO is 50 ms."
  package var sentence: String {
    let found = actual.map { "is \(amount($0))" } ?? "could not be measured"
    return "\(name) \(found), the SLO is \(amount(limit))."
  }
}

package struct Judgement: Equatable, Sendable {
  /// The prefix of reasons why storage of acknowledged data could not be verified.
  package static let unverified = "Not verified: "

  package var verdict: Verdict
  /// The verdict's reasons first, then lesser violations; empty for a clean pass.
  package var reasons: [String]

  /// Takes the sentences about each verdict; those in `missed` are of limits that are mandatory.
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
