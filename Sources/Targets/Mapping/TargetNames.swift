package import Scenarios

/// What the names mean that a target gives itself: those of its identities, and of what phones keep
/// from the answer to their registration.
package struct TargetNames: Sendable {
  /// A piece of a text, after its names were looked up.
  package enum Part: Sendable {
    /// A text; `isNamed` where it is what a name stands for.
    case literal(String, isNamed: Bool)
    case source(ValueSource, ValueReference)
  }

  private enum Meaning: Sendable {
    case pattern(ValueText)
    case literal(String)
    case source(ValueSource)
  }

  /// One column of a file with identities.
  package struct Column: Hashable, Sendable {
    /// Is the file's path, relative to the target's.
    package let file: String
    /// Is the column's title in the file's first line.
    package let title: String
    /// Is true if no output may show it.
    package let isSecret: Bool
  }

  private var meanings: [(name: String, meaning: Meaning)] = []
  /// Holds the texts of the target's own secrets.
  private var secrets: [String] = []
  /// Holds the columns that `UploadContext.columns` has, in order.
  package private(set) var columns: [Column] = []
  /// Holds the names of what `UploadContext.kept` has, in order.
  package private(set) var kept: [String] = []

  /// Collects the names of a target.
  ///
  /// - Parameters:
  ///   - identities: the target's own, by name.
  ///   - kept: the names of what the answer to a registration gives.
  ///   - secret: the text of a secret; what is only shown or checked gives `***`.
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

  /// Stands for a secret where one is only shown or checked.
  package static let mask = "***"

  /// Returns what no output may show of what a phone sends: the target's secrets, those of its
  /// row in files, and what it keeps, which may be a key.
  package func secrets(of context: UploadContext) -> [String] {
    secrets + context.kept
      + zip(columns, context.columns).filter { $0.0.isSecret }.map(\.1)
  }

  /// Whether two things of the target have a name, or one has that of a value of every target.
  func isTakenTwice(_ name: String) -> Bool { all.count { $0 == name } > 1 }

  /// All names, those of every target first.
  package var all: [String] { ValueSource.builtIn.map(\.name) + meanings.map(\.name) }

  /// What is wrong with the names of a text; nil: nothing.
  package func diagnostic(of text: ValueText) -> Diagnostic? {
    for case .value(let reference) in text.parts where reference.source == nil {
      guard !meanings.contains(where: { $0.name == reference.name }) else { continue }
      let own = meanings.map(\.name)
      let known = own.isEmpty ? "the target names none of its own" : own.joined(separator: ", ")
      return Diagnostic(
        origin: text.origin,
        text: "unknown value '\(reference.name)'; its own are: \(known); those of every target: "
          + "\(ValueSource.builtIn.map(\.name).joined(separator: ", "))."
          + Spelling.hint(for: reference.name, in: all))
    }
    return nil
  }

  /// A name that stands in a text behind a dollar sign, where only braces have a meaning; nil: none
  /// does. Behind a slash it is a part of a path, such as OData's `/$count`.
  func nameWithoutBraces(in text: ValueText) -> String? {
    text.isWhole ? nil : Self.nameWithoutBraces(in: text.written, of: all)
  }

  /// The same of a text and of the names that are known.
  static func nameWithoutBraces(in written: String, of names: [String]) -> String? {
    let parts = written.split(separator: "$", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      let before = parts[index - 1]
      // Two dollar signs are one that is meant.
      if before.last == "/" || before.isEmpty && index > 1 { continue }
      let name = String(parts[index].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      if names.contains(name) { return name }
    }
    return nil
  }

  /// The pieces of a text with the names looked up; neighbouring literals are one. A name that is
  /// unknown is left out, as `diagnostic` says.
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
      // A pattern holds no names but those of every target, so this ends.
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

  /// Whether the text is one value that is not a pattern, so that it has a type of its own.
  func isOneSource(_ text: ValueText) -> Bool {
    guard text.isWhole, case .value(let reference)? = text.parts.first else { return false }
    if reference.source != nil { return true }
    if case .source? = meanings.first(where: { $0.name == reference.name })?.meaning {
      return true
    }
    return false
  }
}
