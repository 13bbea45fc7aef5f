internal import Core
package import Scenarios

package enum Calibration {
  package static var groups: [CalibrationGroup] {
    [
      MovementRows.group, AppClaims.hybridSendsMore, WakeClaims.significantChange,
      EnergyClaims.shares,
      EnergyClaims.significantChange, EnergyClaims.accuracy, EnergyClaims.endurance,
      EnergyClaims.order, EnergyClaims.sending, AppClaims.pauseTrap,
      WakeClaims.regions, AppClaims.dutyCycle, PushClaims.rules, PushClaims.coverage,
      NoiseClaims.atRest,
      SensorClaims.group, RecordedComparison.group,
    ]
  }

  /// - Parameter wanted: The ids of the rows and claims to run; all if empty.
  /// - Parameter progress: Called before each simulation, from several threads; false stops.
  /// - Throws: All errors of the claim files, or the error of a scenario.
  package static func run(
    _ bench: CalibrationBench, rows wanted: [String] = [],
    progress: @Sendable (_ what: String, _ number: Int, _ of: Int) -> Bool = { _, _, _ in true }
  ) throws -> CalibrationTable {
    let chosen = groups.filter { group in
      wanted.isEmpty || group.rows.contains { wanted.contains($0) }
    }
    let claims = try bench.library.claims().filter { wanted.isEmpty || wanted.contains($0.id) }
    let ids = Set(claims.map(\.id))
    let run = ClaimRun(
      measures: ClaimRegistry.measures.filter { ids.contains($0.id) }, bench: bench)
    let count = chosen.count + run.jobCount
    var rows: [CalibrationRow] = []
    for (number, group) in chosen.enumerated() {
      guard progress(group.name, number + 1, count) else { return .sorted(rows) }
      rows += try group.measure(bench)
    }
    if !wanted.isEmpty { rows.removeAll { !wanted.contains($0.id) } }
    let values = try run.values { what, number, _ in
      progress(what, chosen.count + number, count)
    }
    let evidence = try ClaimEvidence.read(bench.library)
    return .sorted(rows, judge(claims, run.measures, values), evidence)
  }

  private static func judge(
    _ claims: [RegisteredClaim], _ measures: [ClaimMeasure],
    _ values: [[(name: String, measured: Ratio?, phones: Band?)]?]
  ) -> [JudgedClaim] {
    claims.compactMap { claim in
      guard let number = measures.firstIndex(where: { $0.id == claim.id }) else {
        return JudgedClaim(claim, notJudged: ClaimRegistry.reason(claim.id))
      }
      return values[number].map { cases in
        JudgedClaim(claim, cases.map { ($0.name, $0.measured) }, phones: cases.map(\.phones))
      }
    }
  }

  /// Returns the ids that `--rows` accepts. Throws all errors of the claim files.
  package static func ids(_ library: ScenarioLibrary) throws(ScenarioError) -> [String] {
    groups.flatMap(\.rows) + (try library.claims().map(\.id))
  }
}
