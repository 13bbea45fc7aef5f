internal import Core
internal import Foundation
internal import Scenarios

/// The history of calibration results in `scenarios/claims/history.csv`, wrong values included.
package enum ClaimHistory {
  package static let header = "date,commit,seeds,id,kind,value,low,high,verdict"

  package struct Run: Sendable {
    /// The day of the run, such as `2026-11-22`.
    package let date: String
    /// The commit, with `+` if files differ from the commit.
    package let commit: String
    package let seeds: CalibrationBench.Seeds
  }

  static func records(_ table: CalibrationTable, _ run: Run) -> [ClaimFinding] {
    let claims = table.claims.flatMap { judged -> [ClaimFinding] in
      let kind = judged.claim.kind.rawValue
      if judged.values.isEmpty { return [ClaimFinding(run, judged.claim.id, kind, nil, .skipped)] }
      return judged.values.map {
        ClaimFinding(run, $0.id(of: judged.claim), kind, $0.measured, $0.verdict)
      }
    }
    return claims
      + table.rows.map { ClaimFinding(run, $0.id, $0.kind.rawValue, $0.measured, $0.verdict) }
  }

  /// Returns the lines to append for a table, preceded by the header if the file is empty.
  package static func text(_ table: CalibrationTable, _ run: Run, after file: String) -> String {
    let lines = (file.isEmpty ? [header] : []) + records(table, run).map(\.line)
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns a line for each row whose verdict or value differs from the seeds' last entry.
  package static func drift(_ table: CalibrationTable, _ run: Run, since file: String) -> [String] {
    var last: [String: ClaimFinding] = [:]
    for line in file.split(whereSeparator: \.isNewline) {
      guard let record = ClaimFinding(line), record.seeds == run.seeds.rawValue else { continue }
      last[record.id] = record
    }
    return records(table, run).compactMap { now in
      guard let then = last[now.id], now.verdict != then.verdict || now.isOutside(then) else {
        return nil
      }
      func text(_ record: ClaimFinding) -> String {
        record.value.isEmpty ? record.verdict : "\(record.value) \(record.verdict)"
      }
      return "\(now.id): \(text(then)) at \(then.commit) (\(then.date)), now \(text(now))"
    }
  }
}

extension ClaimFinding {
  fileprivate init(
    _ run: ClaimHistory.Run, _ id: String, _ kind: String, _ measured: Ratio?,
    _ verdict: CalibrationRow.Verdict
  ) {
    self.init(
      date: run.date, commit: run.commit, seeds: run.seeds.rawValue, id: id, kind: kind,
      value: measured.map { Figure.plain($0.value) } ?? "",
      low: measured.map { Figure.plain($0.low) } ?? "",
      high: measured.map { Figure.plain($0.high) } ?? "", verdict: verdict.rawValue)
  }

  fileprivate func isOutside(_ other: Self) -> Bool {
    guard let value = Double(value), let low = Double(other.low), let high = Double(other.high)
    else { return false }
    return value < low || value > high
  }
}
