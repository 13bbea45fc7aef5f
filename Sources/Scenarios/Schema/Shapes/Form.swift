/// The form of a value's text, for editors. All other checks of a value are in its shape.
package indirect enum Form {
  case scalar(allowed: String)
  case words([String])
  case list(of: Form, count: ClosedRange<Int>)
  case map([Key])
  case either([Form])
  case table(of: Form, allowed: String)
  case anything(allowed: String)

  package struct Key {
    let name: String
    let doc: String
    let isRequired: Bool
    let form: Form
    var evidence: String?
  }

  static func reference(allowed: String, _ object: Form) -> Form {
    .either([.scalar(allowed: allowed), based(object)])
  }

  /// Returns the map with a `base`, whose values apply to omitted keys, so that no key is required.
  static func based(_ object: Form) -> Form {
    guard case .map(let keys) = object else { return object }
    let base = Key(
      name: "base", doc: "Name of the base, whose values apply to omitted keys.", isRequired: false,
      form: .scalar(allowed: "a name"))
    return .map(
      [base]
        + keys.map {
          Key(
            name: $0.name, doc: $0.doc, isRequired: false, form: $0.form, evidence: $0.evidence)
        })
  }

  /// Returns the form of a key's value; nil if this form has no such key.
  func value(of key: String) -> Form? {
    switch self {
    case .map(let keys): keys.first { $0.name == key }?.form
    case .either(let forms): forms.lazy.compactMap { $0.value(of: key) }.first
    case .table(let value, _): value
    case .scalar, .words, .list, .anything: nil
    }
  }

  var item: Form? {
    switch self {
    case .list(let item, _): item
    case .either(let forms): forms.lazy.compactMap(\.item).first
    case .scalar, .words, .map, .table, .anything: nil
    }
  }

  /// Whether only a word or number is allowed here.
  var isPlain: Bool {
    switch self {
    case .scalar, .words: true
    case .either(let forms): forms.allSatisfy(\.isPlain)
    case .list, .map, .table, .anything: false
    }
  }

  var hasBase: Bool { value(of: "base") != nil }

  /// Returns the name of an item if the list's items may have a `base`; nil otherwise.
  func name(of item: YAMLNode) -> String? {
    guard hasBase, case .scalar(let name)? = item.value(of: "name")?.content else { return nil }
    return name
  }
}

private indirect enum JSON {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([JSON])
  case object([(String, JSON)])

  /// Returns the JSON text, with keys in the order of declaration, as in `scenario show`.
  func text(indent: String = "") -> String {
    let deeper = indent + "  "
    switch self {
    case .text(let text): return Self.quoted(text)
    case .number(let number): return "\(number)"
    case .flag(let flag): return flag ? "true" : "false"
    case .list(let items):
      return "[" + items.map { $0.text(indent: deeper) }.joined(separator: ", ") + "]"
    case .object(let entries):
      if entries.isEmpty { return "{}" }
      let lines = entries.map {
        "\(deeper)\(Self.quoted($0.0)): \($0.1.text(indent: deeper))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Form {
  /// Returns the form as JSON Schema (draft 2020-12), for YAML editors.
  package func jsonSchema(title: String) -> String {
    var entries: [(String, JSON)] = [
      ("$schema", .text("https://json-schema.org/draft/2020-12/schema")), ("title", .text(title)),
    ]
    if case .object(let own) = json() { entries += own }
    return JSON.object(entries).text()
  }

  private func json() -> JSON {
    switch self {
    case .scalar(let allowed):
      let types = ["string", "number", "boolean"].map(JSON.text)
      return .object([("type", .list(types)), ("description", .text(allowed))])
    case .words(let words):
      return .object([("enum", .list(words.map(Self.word)))])
    case .list(let item, let count):
      return .object([
        ("type", .text("array")), ("items", item.json()),
        ("minItems", .number(count.lowerBound)), ("maxItems", .number(count.upperBound)),
      ])
    case .map(let keys):
      var entries: [(String, JSON)] = [
        ("type", .text("object")),
        ("properties", .object(keys.map { ($0.name, $0.form.json($0)) })),
        ("additionalProperties", .flag(false)),
      ]
      let required = keys.filter(\.isRequired).map { JSON.text($0.name) }
      if !required.isEmpty { entries.append(("required", .list(required))) }
      return .object(entries)
    case .table(let value, let allowed):
      return .object([
        ("type", .text("object")), ("additionalProperties", value.json()),
        ("description", .text(allowed)),
      ])
    case .anything(let allowed):
      return .object([("description", .text(allowed))])
    case .either(let forms):
      return .object([("anyOf", .list(forms.map { $0.json() }))])
    }
  }

  private func json(_ key: Key) -> JSON {
    guard case .object(let entries) = json() else { return json() }
    var text = key.doc
    if case .scalar(let allowed) = self { text += " Write \(allowed)." }
    if let evidence = key.evidence { text += " Plausible: \(evidence)." }
    let own = entries.filter { $0.0 != "description" }
    return .object(
      [("description", .text(text))]
        + (key.evidence == nil ? own : [("anyOf", .list([.object(own), Self.figure(own)]))]))
  }

  private static func figure(_ value: [(String, JSON)]) -> JSON {
    let keys = Evidence.keys.map { key in
      (
        key,
        Confidence(rawValue: key) == nil ? JSON.object(value) : .object([("type", .text("string"))])
      )
    }
    return .object([
      ("type", .text("object")), ("properties", .object(keys)),
      ("additionalProperties", .flag(false)), ("required", .list([.text("value")])),
    ])
  }

  /// Returns the JSON value of a word, since YAML reads `true` and `false` as flags.
  private static func word(_ word: String) -> JSON {
    switch word {
    case "true": .flag(true)
    case "false": .flag(false)
    default: .text(word)
    }
  }
}

extension ScenarioLibrary {
  package enum SchemaKind: String, CaseIterable, Sendable {
    case scenario, policy, os
    case significantChange = "significant-change"
    case energy, sensors, people
  }

  package static func jsonSchema(of kind: SchemaKind) -> String {
    form(of: kind).jsonSchema(title: "Flotilla \(kind.rawValue)")
  }

  static func form(of kind: SchemaKind) -> Form {
    switch kind {
    case .scenario: ScenarioSchema.scenario.form
    case .policy: Form.based(PolicySchema.policy.form)
    case .os: Form.based(ProfileSchema.os.form)
    case .significantChange: Form.based(ProfileSchema.significantChange.form)
    case .energy: Form.based(ProfileSchema.energy.form)
    case .sensors: Form.based(ProfileSchema.sensors.form)
    case .people: Form.based(PeopleSchema.people.form)
    }
  }
}
