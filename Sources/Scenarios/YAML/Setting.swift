/// One `path=value` of the command line, which changes the tree before the tree is read, so that
/// mistakes are explained as in a file.
///
/// In `fleet.phones=20000` or `fleet.cohorts[0].share=50%`, the value is YAML, and an item is named
/// by its index or its `name`. A key beneath a profile's name, as in
/// `fleet.cohorts[0].os.watchdog=5s`, turns the name into the map `{ base: ios17, watchdog: 5s }`.
/// An item that is missing from its list, as in `profiles.os[ios17].watchdog=5s`, is added with the
/// base of the same name, and applies wherever that profile is used.
struct Setting {
  private enum Step {
    case key(String)
    case item(String)
  }

  private let steps: [Step]
  private let value: YAMLNode
  private let origin: Origin

  init(_ change: ScenarioChange) throws(ScenarioError) {
    let text = change.text
    let origin = change.origin
    func refuse(_ why: String) -> ScenarioError {
      ScenarioError([Diagnostic(origin: origin, text: why)])
    }
    guard let equals = text.firstIndex(of: "=") else {
      throw refuse("has no '='; write path=value, such as fleet.phones=20000.")
    }
    guard let steps = Self.steps(of: text[..<equals]) else {
      throw refuse("'\(text[..<equals])' is not a path; write keys such as fleet.cohorts[0].share.")
    }
    let written = String(text[text.index(after: equals)...])
    guard written.utf8.count <= SourceFile.bytesMax else { throw refuse("is too long.") }
    self.origin = origin
    self.steps = steps
    value = try Self.value(written, at: origin)
  }

  private static func value(_ written: String, at origin: Origin) throws(ScenarioError) -> YAMLNode
  {
    // YAML would read a glob such as *.gpx as an alias, and [::1]:7070 as a list.
    if written.hasPrefix("*") || written.hasPrefix("[") && written.contains("]:") {
      return YAMLNode(origin: origin, content: .scalar(written))
    }
    var parser = YAMLParser(written) { _, _ in origin }
    guard let value = try parser.document() else {
      throw ScenarioError([
        Diagnostic(origin: origin, text: "has no value after '='.")
      ])
    }
    if !parser.diagnostics.isEmpty { throw ScenarioError(parser.diagnostics) }
    return value
  }

  /// Returns a diagnostic if the setting changes a profile that no cohort has; nil otherwise.
  func diagnostic(in scenario: Scenario) -> Diagnostic? {
    guard steps.count > 2, case .key("profiles") = steps[0], case .key(let kind) = steps[1],
      case .item(let name) = steps[2], Int(name) == nil
    else { return nil }
    let used = scenario.profileNames(kind)
    // An override has the name of its base with a star.
    if used.contains(where: { $0 == name || $0.hasPrefix("\(name)*") }) { return nil }
    return Diagnostic(
      origin: origin,
      text: "no cohort has the profile '\(name)'; those in use are \(used.joined(separator: ", "))."
    )
  }

  func apply(to root: inout YAMLNode) throws(ScenarioError) {
    try place(at: steps[...], in: &root, ScenarioSchema.scenario.form)
  }

  /// - Parameter form: the form of the node; nil if unknown.
  private func place(
    at steps: ArraySlice<Step>, in node: inout YAMLNode, _ form: Form?
  ) throws(ScenarioError) {
    guard let step = steps.first else {
      node = value
      return
    }
    switch step {
    case .key(let key):
      try place(key: key, then: steps.dropFirst(), in: &node, form)
    case .item(let name):
      guard case .list(var items) = node.content else {
        throw fault("[\(name)] does not fit here: there is \(node.kind), not a list.")
      }
      let index = try index(of: name, in: &items, form?.item)
      try place(at: steps.dropFirst(), in: &items[index], form?.item)
      node.content = .list(items)
    }
  }

  private func place(
    key: String, then steps: ArraySlice<Step>, in node: inout YAMLNode, _ form: Form?
  ) throws(ScenarioError) {
    if case .scalar = node.content, form?.hasBase == true {
      let base = YAMLNode.Entry(key: "base", keyOrigin: node.origin, value: node)
      node = YAMLNode(origin: node.origin, content: .map([base]))
    }
    guard case .map(var entries) = node.content else {
      throw fault("'\(key)' does not fit here: there is \(node.kind), not a map of keys.")
    }
    let inner = form?.value(of: key)
    if let index = entries.firstIndex(where: { $0.key == key }) {
      try place(at: steps, in: &entries[index].value, inner)
    } else {
      var made = YAMLNode(origin: origin, content: .map([]))
      if case .item? = steps.first, inner?.item?.hasBase == true { made.content = .list([]) }
      try place(at: steps, in: &made, inner)
      entries.append(.init(key: key, keyOrigin: origin, value: made))
    }
    node.content = .map(entries)
  }

  private func index(
    of name: String, in items: inout [YAMLNode], _ form: Form?
  ) throws(ScenarioError) -> Int {
    if let index = Int(name) {
      guard items.indices.contains(index) else {
        throw fault("[\(index)] does not exist: the list has \(items.count) items, from 0.")
      }
      return index
    }
    let names = items.map { item -> String in
      guard case .scalar(let text)? = item.value(of: "name")?.content else { return "" }
      return text
    }
    if let index = names.firstIndex(of: name) { return index }
    guard form?.hasBase == true else {
      throw fault("no item is named '\(name)'.\(Spelling.hint(for: name, in: names))")
    }
    let itself = YAMLNode(origin: origin, content: .scalar(name))
    items.append(
      YAMLNode(
        origin: origin,
        content: .map(
          ["name", "base"].map { .init(key: $0, keyOrigin: origin, value: itself) })))
    return items.count - 1
  }

  private static func steps(of path: Substring) -> [Step]? {
    var steps: [Step] = []
    for part in path.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      guard let key = pieces.first, !key.isEmpty else { return nil }
      steps.append(.key(String(key)))
      for piece in pieces.dropFirst() {
        guard piece.last == "]", piece.count > 1 else { return nil }
        steps.append(.item(String(piece.dropLast())))
      }
    }
    // The nesting of a file has the same limit, which keeps recursion within the stack.
    return steps.count <= YAMLParser.depthMax ? steps : nil
  }

  private func fault(_ text: String) -> ScenarioError {
    ScenarioError([Diagnostic(origin: origin, text: text)])
  }
}
