internal import Capacity
internal import Core
package import Figures

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

extension JUnitSuite {
  /// The cases of a run or a plan: the verdict, each SLO, and each check of a plan's capacity.
  /// - Parameters:
  ///   - command: The command of the run, such as "load".
  ///   - undecided: The SLOs with too few samples for a judgement.
  package init(_ record: RunRecord, _ command: String, undecided: [UndecidedLevel] = []) {
    let group = "\(command).\(record.scenario.name)"
    let verdict = ([record.verdict.rawValue] + record.reasons).joined(separator: "\n")
    self.init(
      "flotilla \(command) \(record.scenario.name)", seconds: record.timing.wallSeconds,
      [Case(group, Self.verdict, Self.outcome(record.verdict), verdict)]
        + record.slo.map { level in
          let (outcome, remark) = Self.judgement(record, level)
          return Case(group, level.name, outcome, level.bounded + remark)
        }
        + undecided.map { Case(group, $0.level.name, .skipped, $0.why) }
        + (record.plan?.capacity?.checks ?? []).map {
          let outcome = record.verdict == .interrupted ? .skipped : $0.outcome
          return Case(group, $0.name, outcome, "\($0.actual), required: \($0.limit)")
        })
  }

  static let verdict = "verdict"

  private static func outcome(_ verdict: Verdict) -> Outcome {
    switch verdict {
    case .pass: .passed
    case .interrupted: .error
    case .loss, .invalid, .notVerified, .sloMissed: .failed
    }
  }

  private static func judgement(
    _ record: RunRecord, _ level: ServiceLevelResult
  ) -> (Outcome, remark: String) {
    if record.verdict == .interrupted { return (.skipped, " before the run was interrupted") }
    return switch record.judged(level) {
    case .met: (.passed, "")
    case .failed: (.failed, "")
    case .notJudged: (.skipped, ", not judged: the load generator was late")
    }
  }
}

extension ServiceLevelResult {
  /// The value and the bound, such as "61.2 ms (SLO ≤ 50 ms)".
  fileprivate var bounded: String {
    "\(actual.map(amount) ?? "not measured") (SLO \(isCeiling ? "≤" : "≥") \(amount(limit)))"
  }
}

extension CapacityRecord.Check {
  fileprivate var outcome: JUnitSuite.Outcome {
    switch holds {
    case true?: .passed
    case false?: .failed
    case nil: .skipped
    }
  }
}
