internal import Measure

/// Every claim and every recorded statistic, group by group.
package enum Calibration {
  /// Lists all groups in the order in which a full calibration runs them.
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

  /// Runs the groups that make the wanted rows.
  ///
  /// - Parameters:
  ///   - wanted: ids; empty: all.
  ///   - progress: told of each group before it runs; false stops there.
  package static func run(
    _ bench: CalibrationBench, rows wanted: [String] = [],
    progress: (_ group: String, _ number: Int, _ of: Int) -> Bool = { _, _, _ in true }
  ) throws -> CalibrationTable {
    let chosen = groups.filter { group in
      wanted.isEmpty || group.rows.contains { wanted.contains($0) }
    }
    var rows: [CalibrationRow] = []
    for (number, group) in chosen.enumerated() {
      guard progress(group.name, number + 1, chosen.count) else { break }
      rows += try group.measure(bench)
    }
    if !wanted.isEmpty { rows.removeAll { !wanted.contains($0.id) } }
    return .sorted(rows)
  }

  /// Lists the ids of all rows, group by group: what `--rows` accepts.
  package static var ids: [String] { groups.flatMap(\.rows) }
}
