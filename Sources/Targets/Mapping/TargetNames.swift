package import Scenarios

/// The names that a target defines for identities and for values kept from a registration.
package struct TargetNames: Sendable {
  package enum Part: Sendable {
    /// A literal text; `isNamed` says whether the text comes from one of the target's names.
    case literal(String, isNamed: Bool)
    case source(ValueSource, ValueReference)
  }

  private enum Meaning: Sendable {
    case pattern(ValueText)
    case literal(String)
    case source(ValueSource)
  }

  package struct Column: Hashable, Sendable {
    /// The path of the file, relative to the target's file.
    package let file: String
    package let title: String
    /// Whether the column is secret, so that no output may show its values.
    package let isSecret: Bool
  }

  private var meanings: [(name: String, meaning: Meaning)] = []
  private var secrets: [String] = []
  package private(set) var columns: [Column] = []
  package private(set) var kept: [String] = []

  /// - Parameter kept: the names of values from the answer to a registration.
  /// - Parameter secret: returns a secret's text, or `***` for output and checks.
  package init<Fault: Error>(
    _ identities: [TableEntry<IdentitySource>], kept: [String],
    secret: (SecretSource) throws(Fault) -> String
  ) throws(Fault) {
    self.kept = kept
    for entry in identities {
      switch entry.value {
      case .pattern(let text): meanings.append((entry.name, .pattern(text)))
      case .secret(let source):
        let text = try secret(source)
        secrets.append(text)
        meanings.append((entry.name, .literal(text)))
      case .column(let file, let title, let isSecret):
        let column = Column(file: file, title: title, isSecret: isSecret)
        let index = columns.firstIndex(of: column) ?? columns.count
        if index == columns.count { columns.append(column) }
        meanings.append((entry.name, .source(.column(UInt16(index)))))
      }
    }
    for (index, name) in kept.enumerated() {
      meanings.append((name, .source(.kept(UInt16(index)))))
    }
  }

  /// The text that replaces a secret in output and checks.
  package static let mask = "***"

  /// Returns the texts that no output may show, including kept values, which may be keys.
  package func secrets(of context: UploadContext) -> [String] {
    secrets + context.kept
      + zip(columns, context.columns).filter { $0.0.isSecret }.map(\.1)
  }

  /// Returns whether a name of the target is used twice, or is also a built-in name.
  func isTakenTwice(_ name: String) -> Bool { all.count { $0 == name } > 1 }

  package var all: [String] { ValueSource.builtIn.map(\.name) + meanings.map(\.name) }

  package func diagnostic(of text: ValueText) -> Diagnostic? {
    for case .value(let reference) in text.parts where reference.source == nil {
      guard !meanings.contains(where: { $0.name == reference.name }) else { continue }
      let own = meanings.map(\.name)
      let known = own.isEmpty ? "none" : own.joined(separator: ", ")
      return Diagnostic(
        origin: text.origin,
        text: "unknown value '\(reference.name)'; values of the target: \(known); built-in values: "
          + "\(ValueSource.builtIn.map(\.name).joined(separator: ", "))."
          + Spelling.hint(for: reference.name, in: all))
    }
    return nil
  }

  /// Returns a name written as `$name` within a longer text, where only `{name}` works; nil for
  /// none. After a slash, `$name` is accepted as a part of a path, such as OData's `/$count`.
  func nameWithoutBraces(in text: ValueText) -> String? {
    text.isWhole ? nil : Self.nameWithoutBraces(in: text.written, of: all)
  }

  static func nameWithoutBraces(in written: String, of names: [String]) -> String? {
    let parts = written.split(separator: "$", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      let before = parts[index - 1]
      // `$$` is an escaped dollar sign.
      if before.last == "/" || before.isEmpty && index > 1 { continue }
      let name = String(parts[index].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      if names.contains(name) { return name }
    }
    return nil
  }

  package func resolved(_ text: ValueText) -> [Part] {
    var parts: [Part] = []
    for part in text.parts { add(part, isNamed: false, to: &parts) }
    return parts
  }

  private func add(_ part: ValueText.Part, isNamed: Bool, to parts: inout [Part]) {
    switch part {
    case .text(let text): add(literal: text, isNamed: isNamed, to: &parts)
    case .value(let reference):
      if let source = reference.source {
        parts.append(.source(source, reference))
        return
      }
      switch meanings.first(where: { $0.name == reference.name })?.meaning {
      // A pattern contains only built-in names, so the recursion ends.
      case .pattern(let pattern)?:
        for part in pattern.parts { add(part, isNamed: true, to: &parts) }
      case .literal(let text)?: add(literal: text, isNamed: true, to: &parts)
      case .source(let source)?: parts.append(.source(source, reference))
      case nil: break
      }
    }
  }

  private func add(literal text: String, isNamed: Bool, to parts: inout [Part]) {
    if case .literal(let last, isNamed)? = parts.last {
      parts[parts.count - 1] = .literal(last + text, isNamed: isNamed)
    } else {
      parts.append(.literal(text, isNamed: isNamed))
    }
  }

  func isOneSource(_ text: ValueText) -> Bool {
    guard text.isWhole, case .value(let reference)? = text.parts.first else { return false }
    if reference.source != nil { return true }
    if case .source? = meanings.first(where: { $0.name == reference.name })?.meaning {
      return true
    }
    return false
  }
}
