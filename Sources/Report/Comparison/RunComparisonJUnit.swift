internal import Figures

extension RunComparison {
  /// JUnit XML for a build server: a suite for each run, a case for each figure and service level.
  /// Insignificant changes pass, and missing figures are skipped.
  package var junit: String {
    JUnitSuite.xml(runs.indices.dropFirst().map(suite), name: "flotilla report")
  }

  private func suite(_ place: Int) -> JUnitSuite {
    let verdict = "\(runs[0].verdict.rawValue) → \(runs[place].verdict.rawValue)"
    let isWorse = regressions(ofRun: place).contains { $0.hasPrefix("verdict ") }
    var cases = [JUnitSuite.Case("run", "verdict", isWorse ? .failed : .passed, verdict)]
    for row in rows {
      let values = "\(row.texts[0]) → \(row.texts[place])"
      guard let change = row.changes[place - 1] else {
        cases.append(.init("figure", row.figure.rawValue, .skipped, values))
        continue
      }
      cases.append(
        .init(
          "figure", row.figure.rawValue, change.isRegression ? .failed : .passed,
          "\(values), \(RunComparisonWords.quotient(change))"))
    }
    cases += promises.filter { $0.run == place }.map(\.result).map {
      .init("slo", $0.name, $0.pass ? .passed : .failed, $0.sentence)
    }
    return JUnitSuite(
      "\(runs[place].scenario): \(runs[place].path) against \(runs[0].path)", cases)
  }
}
