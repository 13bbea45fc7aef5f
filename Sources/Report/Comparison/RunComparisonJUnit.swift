internal import Figures

/// A comparison as JUnit's XML, for a build server: a suite for each run that is set against the
/// first, a case for each figure and each promise. What may be no change has passed; what one of
/// the two does not say is skipped.
package func runComparisonJUnit(_ record: RunComparison) -> String {
  var suites: [String] = []
  for place in 1..<record.runs.count {
    let run = record.runs[place]
    let name = "\(run.scenario): \(run.path) against \(record.runs[0].path)"
    let cases =
      verdictCase(record, place) + figureCases(record, place)
      + promiseCases(record, place)
    let failed = cases.filter(\.isFailure).count
    let skipped = cases.filter(\.isSkipped).count
    suites.append(
      """
        <testsuite name="\(escaped(name))" tests="\(cases.count)" failures="\(failed)" \
      errors="0" skipped="\(skipped)">
      \(cases.map(\.text).joined(separator: "\n"))
        </testsuite>
      """)
  }
  return """
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="flotilla report">
    \(suites.joined(separator: "\n"))
    </testsuites>

    """
}

private struct Case {
  var group: String
  var name: String
  var failure: String?
  var note = ""
  var isSkipped = false

  var isFailure: Bool { failure != nil }

  var text: String {
    let head = "    <testcase classname=\"flotilla.\(escaped(group))\" name=\"\(escaped(name))\">"
    let body =
      if let failure {
        "<failure message=\"\(escaped(failure))\">\(escaped(note))</failure>"
      } else if isSkipped {
        "<skipped message=\"\(escaped(note))\"/>"
      } else {
        "<system-out>\(escaped(note))</system-out>"
      }
    return "\(head)\(body)</testcase>"
  }
}

private func verdictCase(_ record: RunComparison, _ place: Int) -> [Case] {
  let (before, now) = (record.runs[0].verdict, record.runs[place].verdict)
  let note = "\(before.rawValue) → \(now.rawValue)"
  let isWorse = record.regressions(ofRun: place).contains { $0.hasPrefix("verdict ") }
  return [Case(group: "run", name: "verdict", failure: isWorse ? note : nil, note: note)]
}

private func figureCases(_ record: RunComparison, _ place: Int) -> [Case] {
  record.rows.map { row in
    let values = "\(row.texts[0]) → \(row.texts[place])"
    guard let change = row.changes[place - 1] else {
      return Case(
        group: "figure", name: row.figure.rawValue, failure: nil, note: values, isSkipped: true)
    }
    let note = "\(values), \(RunComparisonWords.quotient(change))"
    return Case(
      group: "figure", name: row.figure.rawValue, failure: change.isRegression ? note : nil,
      note: note)
  }
}

private func promiseCases(_ record: RunComparison, _ place: Int) -> [Case] {
  record.promises.filter { $0.run == place }.map { promise in
    let sentence = promise.result.sentence
    return Case(
      group: "promise", name: promise.result.name, failure: promise.result.pass ? nil : sentence,
      note: sentence)
  }
}

/// What is safe in HTML is safe in XML.
private func escaped(_ text: String) -> String { HTML.text(text).markup }
