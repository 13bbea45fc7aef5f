internal import Core

/// A suite of JUnit XML, for build servers.
package struct JUnitSuite: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    case passed, failed, skipped
    /// No result, because a program or the user ended the work.
    case error
  }

  package struct Case: Equatable, Sendable {
    /// The words after `flotilla.` in the name of the class.
    package let group: String
    package let name: String
    package let outcome: Outcome
    package let note: String

    package init(_ group: String, _ name: String, _ outcome: Outcome, _ note: String) {
      (self.group, self.name, self.outcome) = (group, name, outcome)
      self.note = Redaction.passwords(in: note)
    }
  }

  package var name: String
  /// The wall-clock time; nil if unknown.
  package var seconds: Double?
  package var cases: [Case]

  package init(_ name: String, seconds: Double? = nil, _ cases: [Case]) {
    (self.name, self.seconds, self.cases) = (name, seconds, cases)
  }

  package var isGreen: Bool { cases.allSatisfy { [.passed, .skipped].contains($0.outcome) } }

  // MARK: XML

  /// Returns the document. HTML escapes are safe in XML.
  package static func xml(_ suites: [JUnitSuite], name: String) -> String {
    let document: HTML = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(name)">
      \(suites.map(\.xml))</testsuites>

      """
    return document.markup
  }

  private var xml: HTML {
    func count(_ outcome: Outcome) -> Int { cases.count { $0.outcome == outcome } }
    let time: HTML = seconds.map { " time=\"\(Figure.plain($0))\"" } ?? ""
    return """
        <testsuite name="\(name)" tests="\(cases.count)" failures="\(count(.failed))" \
      errors="\(count(.error))" skipped="\(count(.skipped))"\(time)>
      \(cases.map(\.xml))  </testsuite>

      """
  }
}

extension JUnitSuite.Case {
  fileprivate var xml: HTML {
    let body: HTML =
      switch outcome {
      case .passed: "<system-out>\(note)</system-out>"
      case .failed: "<failure message=\"\(note)\">\(note)</failure>"
      case .error: "<error message=\"\(note)\">\(note)</error>"
      case .skipped: "<skipped message=\"\(note)\"/>"
      }
    return """
          <testcase classname="flotilla.\(group)" name="\(name)">\(body)</testcase>

      """
  }
}
