/// How a run ended, worst first.
package enum Verdict: String, CaseIterable, Sendable, Codable, Comparable {
  /// Something acknowledged is gone, or a ledger does not add up.
  case loss
  /// The generator, or others that had the processors, set the figures and not the collector.
  case invalid
  case interrupted
  /// Whether everything acknowledged is stored could not be checked, although the run was asked to.
  case notVerified = "not-verified"
  case sloMissed = "slo-missed"
  case pass

  /// Worse is less.
  package static func < (a: Self, b: Self) -> Bool {
    allCases.prefix { $0 != b }.contains(a)
  }
}

/// One promise of the scenario and what became of it.
package struct ServiceLevelResult: Equatable, Sendable, Codable {
  /// "responseP99", "lost", "freshness", as in the scenario.
  package var name: String
  /// Is the bound that the scenario sets, in `unit`.
  package var limit: Double
  /// null: the run could not tell, which does not pass.
  @Nullable package var actual: Double?
  /// Is true where the promise was kept.
  package var pass: Bool
  /// Of `limit` and `actual`: "µs", "fixes", "share".
  package var unit: String

  /// A limit, or what was found, as people write it.
  package func amount(_ value: Double) -> String {
    switch unit {
    case "µs": Figure.time(value)
    case "share": Figure.percent(value)
    default: "\(Figure.quantity(value)) \(unit)"
    }
  }

  /// Judges a value that may not exceed a limit; without a value it does not pass.
  package static func atMost(
    _ limit: Double, _ actual: Double?, name: String, unit: String
  ) -> Self {
    let pass = actual.map { $0 <= limit } ?? false
    return Self(name: name, limit: limit, actual: actual, pass: pass, unit: unit)
  }

  /// Judges a value that must reach a limit; without a value it does not pass.
  package static func atLeast(
    _ limit: Double, _ actual: Double?, name: String, unit: String
  ) -> Self {
    let pass = actual.map { $0 >= limit } ?? false
    return Self(name: name, limit: limit, actual: actual, pass: pass, unit: unit)
  }

  /// "responseP99 is 61.2 ms, the scenario asks for 50 ms."
  package var sentence: String {
    let found = actual.map { "is \(amount($0))" } ?? "could not be measured"
    return "\(name) \(found), the scenario asks for \(amount(limit))."
  }
}

/// What a verdict is made of.
package struct Judgement: Equatable, Sendable {
  /// Begins each reason for which nobody knows whether all that was acknowledged is stored.
  package static let unverified = "Not verified: "

  /// Is the worst of what was found, or `pass`.
  package var verdict: Verdict
  /// Those of the verdict first, then of lesser violations; empty for a clean pass.
  package var reasons: [String]

  /// - Parameters: sentences of what was lost, of why the run is invalid, of how it was
  ///   interrupted, of what could not be verified, of what no run may miss, and the scenario's
  ///   promises.
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
  /// Whether nobody knows if all that was acknowledged is stored, whatever the verdict.
  package var isUnverified: Bool {
    verdict == .notVerified || reasons.contains { $0.hasPrefix(Judgement.unverified) }
  }
}
