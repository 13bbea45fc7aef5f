package enum Origin: Hashable, Sendable, CustomStringConvertible {
  case file(String, line: Int, column: Int)
  case whole(String)
  case setting(String)
  case option(String)

  var isFile: Bool {
    switch self {
    case .file, .whole: true
    case .setting, .option: false
    }
  }

  package var description: String {
    switch self {
    case .file(let name, let line, let column): "\(name):\(line):\(column)"
    case .whole(let name): name
    case .setting(let text): "--set \(text)"
    case .option(let text): text
    }
  }
}

extension Origin {
  fileprivate func rank(in files: [String]) -> [Int] {
    switch self {
    case .whole: [0, 0, 0, 0]
    case .file(let name, let line, let column): [1, files.firstIndex(of: name) ?? 0, line, column]
    case .setting, .option: [2, 0, 0, 0]
    }
  }
}

package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package let origin: Origin
  package let text: String

  package init(origin: Origin, text: String) {
    self.origin = origin
    self.text = text
  }

  package var description: String { "\(origin): \(text)" }
}

/// All mistakes for which a scenario cannot be run.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one entry, in the order of the files, then of the command line.
  package let diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) {
    precondition(!diagnostics.isEmpty, "a fault without a mistake is a success")
    var files: [String] = []
    for case .file(let name, _, _) in diagnostics.map(\.origin) where !files.contains(name) {
      files.append(name)
    }
    self.diagnostics = diagnostics.enumerated().map { ($1, $1.origin.rank(in: files) + [$0]) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
