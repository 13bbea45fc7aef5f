internal import Core
internal import Figures

extension RunComparison {
  /// JUnit XML for a build server: a suite for each run, a case for each figure and service level.
  /// Insignificant changes pass, and missing figures are skipped. HTML escapes are safe in XML.
  package var junit: String {
    let suites: [HTML] = runs.indices.dropFirst().map(suite)
    let document: HTML = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="flotilla report">
      \(suites)</testsuites>

      """
    return document.markup
  }

  private func suite(_ place: Int) -> HTML {
    var cases: [HTML] = []
    var (failed, skipped) = (0, 0)
    func add(_ group: String, _ name: String, _ outcome: HTML) {
      cases.append(
        """
            <testcase classname="flotilla.\(group)" name="\(name)">\(outcome)</testcase>

        """)
    }
    func add(_ group: String, _ name: String, _ note: String, failure: String?) {
      failed += failure == nil ? 0 : 1
      let out: HTML = "<system-out>\(note)</system-out>"
      add(group, name, failure.map { "<failure message=\"\($0)\">\(note)</failure>" } ?? out)
    }
    let verdict = "\(runs[0].verdict.rawValue) → \(runs[place].verdict.rawValue)"
    let isWorse = regressions(ofRun: place).contains { $0.hasPrefix("verdict ") }
    add("run", "verdict", verdict, failure: isWorse ? verdict : nil)
    for row in rows {
      let values = "\(row.texts[0]) → \(row.texts[place])"
      if let change = row.changes[place - 1] {
        let note = "\(values), \(RunComparisonWords.quotient(change))"
        add("figure", row.figure.rawValue, note, failure: change.isRegression ? note : nil)
      } else {
        skipped += 1
        add("figure", row.figure.rawValue, "<skipped message=\"\(values)\"/>")
      }
    }
    for result in promises.filter({ $0.run == place }).map(\.result) {
      add("slo", result.name, result.sentence, failure: result.pass ? nil : result.sentence)
    }
    let name = "\(runs[place].scenario): \(runs[place].path) against \(runs[0].path)"
    return """
        <testsuite name="\(name)" tests="\(cases.count)" failures="\(failed)" errors="0" \
      skipped="\(skipped)">
      \(cases)  </testsuite>

      """
  }
}
