/// A kind of item that cohorts name, with its notation, the source of its defaults, and the list in
/// which a reader collects the items in use.
///
///     os: ios17                                    one of the scenario's own, else a file
///     os: { base: ios17, backgroundTaskBudget: 60s }     an override; it becomes `ios17*`
struct Kind<Item: Equatable> {
  let files: FileKind
  let object: ObjectShape<Item>
  /// Returns the shape with the evidence for an item, if it is not that of `object`.
  var evident: (Item) -> ObjectShape<Item>? = { _ in nil }
  /// The defaults of a file without `base`.
  let standard: Item
  var builtIn: [Item] = []
  let name: WritableKeyPath<Item, String>
  let list: WritableKeyPath<Reading, [Item]>

  /// Returns the shape of a name or `{ base: NAME, … }`, which is read as an index in `list`.
  func reference(name show: @escaping (Int, Scenario) -> String) -> Shape<Int> {
    Shape(
      allowed: "the name of a \(files.noun), or { base: NAME, … } with the keys that differ",
      keys: ["base"] + object.keys,
      form: .reference(allowed: "the name of a \(files.noun)", object.form),
      read: { node, reading in
        switch node.content {
        case .scalar(let name): reading.index(of: name, self, at: node.origin)
        case .map, .list: reading.override(node, self)
        }
      },
      show: { index, scenario in .scalar(show(index, scenario)) })
  }

  var definition: Shape<Item> {
    Shape(
      allowed: object.allowed, keys: ["base"] + object.keys, form: .based(object.form),
      read: { node, reading in
        guard let read = reading.item(from: node, self) else { return nil }
        let itsName = read[keyPath: name]
        if node.value(of: "name") == nil {
          reading.diagnose(node.origin, "the key 'name' is missing: cohorts refer to it.")
        }
        if reading[keyPath: list].contains(where: { $0[keyPath: name] == itsName }) {
          reading.diagnose(
            node.origin, "two \(files.noun) entries have the name '\(itsName)'; rename one.")
        }
        reading[keyPath: list].append(read)
        return read
      },
      show: { value, scenario in (evident(value) ?? object).show(value, scenario) },
      parameters: { value, scenario in
        (evident(value) ?? object).parameters(value, scenario).map {
          $0.under("[\(value[keyPath: name])]")
        }
      })
  }
}

extension Reading {
  /// Returns the index of a named item from the scenario, else a file, else the built-in items.
  mutating func index<Item>(of name: String, _ kind: Kind<Item>, at origin: Origin) -> Int? {
    if let index = self[keyPath: kind.list].firstIndex(where: { $0[keyPath: kind.name] == name }) {
      return index
    }
    guard let item = file(named: name, kind, at: origin) else { return nil }
    self[keyPath: kind.list].append(item)
    return self[keyPath: kind.list].count - 1
  }

  /// Adds a cohort's override as a separate item with the base's name and a star.
  fileprivate mutating func override<Item>(_ node: YAMLNode, _ kind: Kind<Item>) -> Int? {
    guard var item = item(from: node, kind) else { return nil }
    if node.value(of: "name") == nil {
      let stem = item[keyPath: kind.name] + "*"
      var name = stem
      var number = 2
      while let other = self[keyPath: kind.list].first(where: { $0[keyPath: kind.name] == name }) {
        item[keyPath: kind.name] = name
        if other == item { break }
        name = "\(stem)\(number)"
        number += 1
      }
      item[keyPath: kind.name] = name
    }
    let name = item[keyPath: kind.name]
    if let index = self[keyPath: kind.list].firstIndex(where: { $0[keyPath: kind.name] == name }) {
      if self[keyPath: kind.list][index] != item {
        diagnose(
          node.origin, "a different \(kind.files.noun) is named '\(name)' already; rename it.")
      }
      return index
    }
    self[keyPath: kind.list].append(item)
    return self[keyPath: kind.list].count - 1
  }

  mutating func item<Item>(from node: YAMLNode, _ kind: Kind<Item>) -> Item? {
    var base = kind.standard
    if let reference = node.value(of: "base") {
      guard case .scalar(let name) = reference.content else {
        inside(key: "base") {
          $0.diagnose(
            reference.origin, "there is \(reference.kind); write the name of a \(kind.files.noun).")
        }
        return nil
      }
      let own = self[keyPath: kind.list].first { $0[keyPath: kind.name] == name }
      guard
        let found = own
          ?? inside(key: "base", { $0.file(named: name, kind, at: reference.origin) })
      else { return nil }
      base = found
    }
    return kind.object.read(node, into: base, &self, besides: ["base"])
  }

  private mutating func file<Item>(
    named name: String, _ kind: Kind<Item>, at origin: Origin
  ) -> Item? {
    guard let path = library.path(of: name, kind.files) else {
      if let item = kind.builtIn.first(where: { $0[keyPath: kind.name] == name }) { return item }
      noteUnknown(name, kind, at: origin)
      return nil
    }
    // A base may have a base itself; the depth limit also ends a cycle.
    guard library.depth < FileLibrary.depthMax else {
      diagnose(
        origin, "'base' refers to other files more than \(FileLibrary.depthMax) levels deep.")
      return nil
    }
    return file(at: path, named: name, kind)
  }

  private mutating func noteUnknown<Item>(_ name: String, _ kind: Kind<Item>, at origin: Origin) {
    let items = self[keyPath: kind.list] + kind.builtIn
    let known = Set(library.names(of: kind.files) + items.map { $0[keyPath: kind.name] }).sorted()
    let hint = Spelling.hint(for: name, in: known)
    let places = library.places(of: kind.files).joined(separator: " and ")
    diagnose(
      origin,
      "unknown \(kind.files.noun) '\(name)'.\(hint) Known: \(known.joined(separator: ", ")); "
        + "looked in \(places).")
  }

  mutating func file<Item>(at path: String, named name: String, _ kind: Kind<Item>) -> Item? {
    do throws(ScenarioError) {
      guard let node = try Self.tree(of: path, &diagnostics) else {
        note(.whole(path), "is empty; write a \(kind.files.noun).")
        return nil
      }
      return content(node, named: name, kind)
    } catch {
      diagnostics += error.diagnostics.filter { !diagnostics.contains($0) }
      return nil
    }
  }

  private mutating func content<Item>(
    _ node: YAMLNode, named name: String, _ kind: Kind<Item>
  ) -> Item? {
    var inner = Reading(library: library.deeper)
    let read = inner.item(from: node, kind)
    // A broken file that two cohorts name is reported once.
    diagnostics += inner.diagnostics.filter { !diagnostics.contains($0) }
    guard var item = read else { return nil }
    if let written = node.value(of: "name"), item[keyPath: kind.name] != name {
      note(
        written.origin,
        "the name is '\(item[keyPath: kind.name])' but the file is '\(name).yaml'.")
    }
    item[keyPath: kind.name] = name
    return item
  }

  package static func tree(of path: String, _ diagnostics: inout [Diagnostic]) throws(ScenarioError)
    -> YAMLNode?
  {
    try tree(text: try SourceFile.read(path).text, from: path, &diagnostics)
  }

  /// Parses a text as if in the file `path`. Throws the first mistake that prevents a tree.
  package static func tree(
    text: String, from path: String, _ diagnostics: inout [Diagnostic]
  ) throws(ScenarioError) -> YAMLNode? {
    var parser = YAMLParser(text) { .file(path, line: $0, column: $1) }
    let root = try parser.document()
    diagnostics += parser.diagnostics
    return root
  }
}
