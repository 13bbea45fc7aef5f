package struct KeyEntry: Equatable, Sendable {
  /// The dotted path, such as `fleet.cohorts[].share`.
  package let path: String
  package let doc: String
  package let allowed: String
  /// The default; nil if the key is required, a map, or inside a list.
  package let standard: String?
  package let isRequired: Bool
  /// The plausible range, confidence and source of a model figure; nil for any other key.
  package let evidence: String?
}

extension ScenarioLibrary {
  /// Returns every key of a kind of file, as in `scenario show`, except keys of maps with a `base`.
  package static func keys(of kind: SchemaKind) -> [KeyEntry] {
    keys(of: form(of: kind), standard: shown(kind))
  }

  package static func keys(of form: Form, standard: Shown) -> [KeyEntry] {
    var writer = KeyWriter()
    writer.enter(form, standard, path: "")
    return writer.entries
  }

  private static func shown(_ kind: SchemaKind) -> Shown {
    let scenario = Scenario.standard(phones: 1_000)
    func values<Item>(_ kind: Kind<Item>) -> Shown { kind.object.show(kind.standard, scenario) }
    switch kind {
    case .scenario: return ScenarioSchema.scenario.show(scenario, scenario)
    case .policy: return values(.policy)
    case .os: return values(.os)
    case .significantChange: return values(.significantChange)
    case .energy: return values(.energy)
    case .sensors: return values(.sensors)
    case .people: return PeopleSchema.people.show(.standard, scenario)
    }
  }
}

private struct KeyWriter {
  var entries: [KeyEntry] = []

  mutating func enter(_ form: Form, _ shown: Shown?, path: String) {
    switch form {
    case .scalar, .words, .anything: break
    case .table(let value, _): enter(value, nil, path: path + ".NAME")
    case .either(let forms):
      for form in forms { enter(form, shown, path: path) }
    case .list(let item, _): enter(item, nil, path: path + "[]")
    case .map(let keys):
      if form.hasBase, !path.isEmpty { return }
      for key in keys { add(key, shown?.value(of: key.name), path) }
    }
  }

  private mutating func add(_ key: Form.Key, _ shown: Shown?, _ parent: String) {
    let path = parent.isEmpty ? key.name : "\(parent).\(key.name)"
    // A key that several alternatives share is listed once.
    guard !entries.contains(where: { $0.path == path }) else { return }
    entries.append(
      KeyEntry(
        path: path, doc: key.doc, allowed: key.form.allowed,
        standard: key.isRequired ? nil : shown?.line, isRequired: key.isRequired,
        evidence: key.evidence))
    enter(key.form, shown, path: path)
  }
}

extension Form {
  fileprivate var allowed: String {
    switch self {
    case .scalar(let allowed): allowed
    case .words(let words): words.joined(separator: ", ")
    case .table(_, let allowed), .anything(let allowed): allowed
    case .list(let item, let count):
      count.lowerBound == count.upperBound
        ? "a list of \(count.lowerBound)\(item.suffix)"
        : "a list of \(count.lowerBound) to \(count.upperBound)\(item.suffix)"
    case .map: hasBase ? "{ base: NAME, … } with the keys that differ" : ""
    case .either(let forms):
      forms.map { form in
        if case .map(let keys) = form, !form.hasBase {
          return "{ \(keys.map { "\($0.name): …" }.joined(separator: ", ")) }"
        }
        return form.allowed
      }.joined(separator: "; or ")
    }
  }

  private var suffix: String { allowed.isEmpty ? "" : ": \(allowed)" }
}

extension Shown {
  fileprivate func value(of key: String) -> Shown? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == key }?.value
  }

  fileprivate var line: String? {
    switch self {
    case .scalar, .noted: return scalar
    case .map: return nil
    case .list(let items):
      let words = items.compactMap(\.scalar)
      return words.count == items.count ? "[\(words.joined(separator: ", "))]" : nil
    }
  }
}
