package import Core
package import Scenarios

package struct JudgedClaim: Sendable, Equatable {
  package struct Value: Sendable, Equatable {
    package let name: String
    /// The value over all seeds with its 95 % interval; nil without cases.
    package let measured: Ratio?
    /// The 5th and 95th percentile over single phones; nil if the figure is not of one phone.
    package let phones: Band?
    package let verdict: CalibrationRow.Verdict
  }

  package let claim: RegisteredClaim
  package let values: [Value]
  /// The reason why the claim is not judged or could not be measured; otherwise empty.
  package let reason: String

  /// - Parameter phones: The spread of each value over phones; empty if not known.
  init(
    _ claim: RegisteredClaim, _ values: [(name: String, measured: Ratio?)], phones: [Band?] = []
  ) {
    self.claim = claim
    self.values = values.enumerated().map { place, value in
      Value(
        name: value.name, measured: value.measured,
        phones: claim.observation.of == .onePhone && place < phones.count ? phones[place] : nil,
        verdict: claim.band.verdict(value.measured))
    }
    reason = values.contains { $0.measured == nil } ? "no such event occurred" : ""
  }

  init(_ claim: RegisteredClaim, notJudged reason: String) {
    self.claim = claim
    values = []
    self.reason = reason
  }

  /// The worst verdict of the values; `skipped` without values.
  package var verdict: CalibrationRow.Verdict {
    let verdicts = values.map(\.verdict)
    if verdicts.isEmpty || verdicts.contains(.skipped) { return .skipped }
    if verdicts.contains(.short) { return .short }
    return verdicts.contains(.edge) ? .edge : .pass
  }
}
