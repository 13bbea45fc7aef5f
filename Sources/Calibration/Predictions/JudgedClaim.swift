package import Figures
package import Scenarios

/// A registered claim beside what the simulation shows.
package struct JudgedClaim: Sendable, Equatable {
  /// One value that the claim is judged by.
  package struct Value: Sendable, Equatable {
    /// Tells it from the claim's others; empty where there is one.
    package let name: String
    /// Is the value over all seeds with its 95 % interval; nil: nothing like it happened.
    package let measured: Ratio?
    /// Judges the value against the claim's band.
    package let verdict: CalibrationRow.Verdict
  }

  /// Is the claim as it was registered.
  package let claim: RegisteredClaim
  /// Holds one value or more; empty where the claim is not judged.
  package let values: [Value]
  /// Says why the claim is not judged, or why no value could be measured; empty where it is.
  package let reason: String

  init(_ claim: RegisteredClaim, _ values: [(name: String, measured: Ratio?)]) {
    let band = Band(claim.band.lowerBound, claim.band.upperBound)
    self.claim = claim
    self.values = values.map {
      Value(name: $0.name, measured: $0.measured, verdict: band.verdict($0.measured))
    }
    reason = values.contains { $0.measured == nil } ? "nothing like it happened to a phone" : ""
  }

  init(_ claim: RegisteredClaim, notJudged reason: String) {
    self.claim = claim
    values = []
    self.reason = reason
  }

  /// Judges the claim by the worst of its values: each must lie in the band. A claim without a
  /// value is `skipped`.
  package var verdict: CalibrationRow.Verdict {
    let verdicts = values.map(\.verdict)
    if verdicts.isEmpty || verdicts.contains(.skipped) { return .skipped }
    if verdicts.contains(.short) { return .short }
    return verdicts.contains(.edge) ? .edge : .pass
  }
}

/// How many claims hold, of one kind and area or of all.
package struct ClaimCount: Sendable, Equatable {
  /// Counts the claims, judged or not.
  package var made = 0
  /// Counts those whose interval lies in the band.
  package var held = 0
  /// Counts those whose value lies in the band and whose interval leaves it.
  package var edge = 0
  /// Counts those whose value lies outside.
  package var short = 0
  /// Counts those that the model cannot be asked about.
  package var notJudged = 0

  init(_ claims: [JudgedClaim]) {
    for claim in claims {
      made += 1
      switch claim.verdict {
      case .pass: held += 1
      case .edge: edge += 1
      case .short: short += 1
      case .skipped: notJudged += 1
      }
    }
  }
}
