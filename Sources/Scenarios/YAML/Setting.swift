/// One `path=value` of the command line, applied to the tree before it is read, so that a wrong key
/// or value gets the same explanation as in a file.
///
/// `fleet.phones=20000`, `fleet.cohorts[0].share=50%`, `fleet.cohorts[commuters].policy=hybrid`:
/// a list's item is named by its index or by its `name`. The value is YAML, so maps and lists
/// can be set whole.
struct Setting {
  private enum Step {
    case key(String)
    case item(String)
  }

  private let steps: [Step]
  private let value: YAMLNode
  private let origin: Origin

  init(_ change: ScenarioChange) throws(ScenarioFault) {
    let text = change.text
    let origin = change.origin
    func refuse(_ why: String) -> ScenarioFault {
      ScenarioFault([Mistake(origin: origin, text: why)])
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

  private static func value(_ written: String, at origin: Origin) throws(ScenarioFault) -> YAMLNode
  {
    // YAML would take a glob such as *.gpx for an alias, which has no meaning here.
    if written.hasPrefix("*") {
      return YAMLNode(origin: origin, content: .scalar(written))
    }
    var parser = YAMLParser(written) { _, _ in origin }
    guard let value = try parser.document() else {
      throw ScenarioFault([
        Mistake(origin: origin, text: "has no value after '='.")
      ])
    }
    if !parser.mistakes.isEmpty { throw ScenarioFault(parser.mistakes) }
    return value
  }

  func apply(to root: inout YAMLNode) throws(ScenarioFault) {
    try place(at: steps[...], in: &root)
  }

  private func place(at steps: ArraySlice<Step>, in node: inout YAMLNode) throws(ScenarioFault) {
    guard let step = steps.first else {
      node = value
      return
    }
    switch step {
    case .key(let key):
      guard case .map(var entries) = node.content else {
        throw fault("'\(key)' has no place here: there is \(node.kind), not a map of keys.")
      }
      if let index = entries.firstIndex(where: { $0.key == key }) {
        try place(at: steps.dropFirst(), in: &entries[index].value)
      } else {
        var made = YAMLNode(origin: origin, content: .map([]))
        try place(at: steps.dropFirst(), in: &made)
        entries.append(.init(key: key, keyOrigin: origin, value: made))
      }
      node.content = .map(entries)
    case .item(let name):
      guard case .list(var items) = node.content else {
        throw fault("[\(name)] has no place here: there is \(node.kind), not a list.")
      }
      let index = try index(of: name, in: items)
      try place(at: steps.dropFirst(), in: &items[index])
      node.content = .list(items)
    }
  }

  private func index(of name: String, in items: [YAMLNode]) throws(ScenarioFault) -> Int {
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
    guard let index = names.firstIndex(of: name) else {
      throw fault("no item is named '\(name)'.\(Spelling.hint(for: name, in: names))")
    }
    return index
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
    // As deep as a file may be nested, for the same reason.
    return steps.count <= YAMLParser.depthMax ? steps : nil
  }

  private func fault(_ text: String) -> ScenarioFault {
    ScenarioFault([Mistake(origin: origin, text: text)])
  }
}
