/// Where a piece of a scenario was written.
package enum Origin: Hashable, Sendable, CustomStringConvertible {
  /// Lines and columns count from 1, columns in characters.
  case file(String, line: Int, column: Int)
  /// A file as a whole, such as one that cannot be opened.
  case whole(String)
  /// A `--set path=value` of the command line.
  case setting(String)
  /// Another option of the command line and its value.
  case option(String)

  /// Is true for a place in a file, and false for one on the command line.
  var isFile: Bool {
    switch self {
    case .file, .whole: true
    case .setting, .option: false
    }
  }

  /// Is the place as messages print it: `FILE:LINE:COLUMN`, the file alone, or the option.
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
  /// Orders mistakes: whole files, then places in each file, then the command line.
  fileprivate func rank(in files: [String]) -> [Int] {
    switch self {
    case .whole: [0, 0, 0, 0]
    case .file(let name, let line, let column): [1, files.firstIndex(of: name) ?? 0, line, column]
    case .setting, .option: [2, 0, 0, 0]
    }
  }
}

/// One thing that is wrong in a scenario: where, what, and what to write instead.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  /// Is the place where the wrong text was written.
  package let origin: Origin
  /// Is the sentence that says what is wrong and what to write instead.
  package let text: String

  /// Makes a mistake from its place and its sentence.
  package init(origin: Origin, text: String) {
    self.origin = origin
    self.text = text
  }

  /// Is the place and the sentence on one line.
  package var description: String { "\(origin): \(text)" }
}

/// Why a scenario cannot be run: every mistake at once, in the order of the files.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Holds at least one entry, in the order of the files, then of the command line.
  package let diagnostics: [Diagnostic]

  /// Makes an error of at least one mistake.
  package init(_ diagnostics: [Diagnostic]) {
    precondition(!diagnostics.isEmpty, "a fault without a mistake is a success")
    var files: [String] = []
    for case .file(let name, _, _) in diagnostics.map(\.origin) where !files.contains(name) {
      files.append(name)
    }
    self.diagnostics = diagnostics.enumerated().map { ($1, $1.origin.rank(in: files) + [$0]) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  /// Joins all entries, one a line.
  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
