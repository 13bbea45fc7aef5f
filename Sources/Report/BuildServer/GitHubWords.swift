internal import Core

/// What GitHub Actions shows of a suite.
extension JUnitSuite {
  /// The limit of GitHub, which drops further annotations of a step without a word.
  private static let annotationsMax = 10

  private var faults: [Case] {
    let faults = cases.filter { [.failed, .error].contains($0.outcome) }
    // A verdict that only repeats the missed SLOs.
    let rest = faults.filter { $0.name != Self.verdict }
    return rest.isEmpty || !(faults.first?.note.hasPrefix("slo-missed") ?? false) ? faults : rest
  }

  /// Commands for standard output that mark each missed objective as an error.
  package var annotations: [String] {
    faults.prefix(Self.annotationsMax).map {
      "::error title=\(Self.property("\(name): \($0.name)"))::\(Self.data($0.note))"
    }
  }

  private static func data(_ text: String) -> String { escaped(text, "%\r\n") }

  private static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

  /// Works on scalars: "\r\n" is one character.
  private static func escaped(_ text: String, _ special: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      guard special.unicodeScalars.contains(scalar) else {
        return escaped.unicodeScalars.append(scalar)
      }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      escaped += "%" + (digits.count < 2 ? "0" : "") + digits
    }
  }

  /// Renders a table of the objectives and the closing lines of a run for the page of a step.
  package func summary(_ lines: [String]) -> String {
    let rows = cases.map { [$0.name, $0.note, $0.outcome.word] }
    let head = [["objective", "value", "outcome"], ["---", "---", "---"]]
    let table = (head + rows).map(ForeignText.inMarkdown(row:)).joined(separator: "\n")
    // Code in Markdown knows no escapes.
    let closing = Redaction.passwords(in: lines.joined(separator: "\n"))
      .replacing("```", with: "'''")
    let code = lines.isEmpty ? "" : "\n```text\n\(ForeignText.inTerminal(closing))\n```\n"
    return ForeignText.inMarkdown("### \(ForeignText.inLine(name))\n\n\(table)\n") + code + "\n"
  }
}

extension JUnitSuite.Outcome {
  fileprivate var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "**failed**"
    case .error: "**error**"
    case .skipped: "undecided"
    }
  }
}
