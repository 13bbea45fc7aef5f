/// One key of a map: its name, purpose and notation.
package struct Field<Owner> {
  package let name: String
  /// One sentence for the author of a scenario.
  let doc: String
  let isRequired: Bool
  let keys: [String]
  let form: Form
  /// The evidence of the key's figure; nil if the key has none.
  private(set) var evidence: Evidence?
  private(set) var isShown: (Owner) -> Bool = { _ in true }
  let read: (YAMLNode, inout Owner, inout Reading) -> Void
  private let plain: (Owner, Scenario) -> Shown
  private let inner: (Owner, Scenario) -> [ModelParameter]
  private let isWhole: Bool
  /// Returns this key with the evidence beneath a node; nil if the node itself is the evidence.
  private let inside: ((YAMLNode) -> Field)?

  /// - Parameter then: passes the value on to keys that are read later.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package init<Value>(
    _ name: String, _ path: WritableKeyPath<Owner, Value>, _ shape: Shape<Value>,
    required: Bool = false, _ doc: String,
    then: @escaping (Owner, inout Reading) -> Void = { _, _ in }
  ) {
    self.name = name
    self.doc = doc
    isRequired = required
    keys = shape.keys
    form = shape.form
    isWhole = Value.self is any FixedWidthInteger.Type
    inside = nil
    read = { node, owner, reading in
      let node = Evidence.value(of: node, shape, &reading)
      if let value = shape.read(node, &reading) { owner[keyPath: path] = value }
      then(owner, &reading)
    }
    plain = { owner, scenario in shape.show(owner[keyPath: path], scenario) }
    inner = { owner, scenario in shape.parameters(owner[keyPath: path], scenario) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package init<Part>(_ key: Field<Part>, of path: WritableKeyPath<Owner, Part>) {
    name = key.name
    doc = key.doc
    isRequired = key.isRequired
    keys = key.keys
    form = key.form
    evidence = key.evidence
    isWhole = key.isWhole
    inside = { Field(key.bound(to: $0), of: path) }
    read = { node, owner, reading in key.read(node, &owner[keyPath: path], &reading) }
    plain = { owner, scenario in key.plain(owner[keyPath: path], scenario) }
    inner = { owner, scenario in key.inner(owner[keyPath: path], scenario) }
  }

  /// Creates a key for a nested map. A missing inner key keeps the owner's value.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package init<Value>(
    _ name: String, _ path: WritableKeyPath<Owner, Value>, _ object: ObjectShape<Value>,
    required: Bool = false, _ doc: String,
    then: @escaping (Owner, inout Reading) -> Void = { _, _ in }
  ) {
    self.name = name
    self.doc = doc
    isRequired = required
    keys = object.keys
    form = object.form
    isWhole = false
    inside = {
      Field(name, path, object.bound(to: $0), required: required, doc, then: then)
    }
    inner = { owner, scenario in object.parameters(owner[keyPath: path], scenario) }
    read = { node, owner, reading in
      if let value = object.read(node, into: owner[keyPath: path], &reading) {
        owner[keyPath: path] = value
      }
      then(owner, &reading)
    }
    plain = { owner, scenario in object.show(owner[keyPath: path], scenario) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func bound(to node: YAMLNode) -> Field {
    if let inside { return inside(node) }
    var field = self
    field.evidence = Evidence(node)
    return field
  }

  /// Returns a key that is left out where `test` does not hold.
  func shown(where test: @escaping (Owner) -> Bool) -> Field {
    var field = self
    field.isShown = test
    return field
  }

  func show(_ owner: Owner, _ scenario: Scenario) -> Shown {
    let shown = plain(owner, scenario)
    return evidence.map { .noted(shown, $0) } ?? shown
  }

  func parameters(_ owner: Owner, _ scenario: Scenario) -> [ModelParameter] {
    guard let evidence else { return inner(owner, scenario).map { $0.under(name) } }
    guard let value = plain(owner, scenario).scalar else {
      preconditionFailure("'\(name)' has evidence, and is not one word or number")
    }
    return [ModelParameter(name, doc, value, evidence, isWhole: isWhole)]
  }
}

/// A map with known keys. A key that is not written keeps the owner's value, the default.
package struct ObjectShape<Owner> {
  package private(set) var fields: [Field<Owner>]
  /// What to write instead of an unknown key that people expect, by the key.
  private let advice: [String: String]
  /// Rules between keys, checked only if each key is valid, so that a mistake is reported once.
  var check: (Owner, Origin, inout Reading) -> Void

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package init(
    fields: [Field<Owner>], advice: [String: String] = [:],
    check: @escaping (Owner, Origin, inout Reading) -> Void = { _, _, _ in }
  ) {
    self.fields = fields
    self.advice = advice
    self.check = check
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func bound(to node: YAMLNode) -> ObjectShape {
    var object = self
    object.fields = fields.map { field in
      node.value(of: field.name).map { field.bound(to: $0) } ?? field
    }
    return object
  }

  /// Reads a map into `owner`. Returns an owner for any map, however many mistakes were found, so
  /// that references to the map do not fail too.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package func read(
    _ node: YAMLNode, into owner: Owner, _ reading: inout Reading, besides others: [String] = []
  ) -> Owner? {
    guard case .map(let entries) = node.content else {
      reading.diagnose(node.origin, "there is \(node.kind); write \(allowed).")
      return nil
    }
    let diagnosticsBefore = reading.diagnostics.count
    var owner = owner
    for entry in entries where !others.contains(entry.key) {
      if !fields.contains(where: { $0.name == entry.key }) { noteUnknown(entry, &reading) }
    }
    for field in fields {
      if let entry = entries.first(where: { $0.key == field.name }) {
        reading.inside(key: field.name) { field.read(entry.value, &owner, &$0) }
      } else if field.isRequired {
        reading.diagnose(node.origin, "the key '\(field.name)' is missing: \(field.doc)")
      }
    }
    guard reading.diagnostics.count == diagnosticsBefore else { return owner }
    reading.written = entries.map { ($0.key, $0.value.origin) }
    check(owner, node.origin, &reading)
    return owner
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package func show(_ owner: Owner, _ scenario: Scenario) -> Shown {
    .map(fields.filter { $0.isShown(owner) }.map { ($0.name, $0.show(owner, scenario)) })
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func parameters(_ owner: Owner, _ scenario: Scenario) -> [ModelParameter] {
    fields.flatMap { $0.parameters(owner, scenario) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package func shape(defaults start: Owner) -> Shape<Owner> {
    Shape(
      allowed: allowed, keys: keys, form: form,
      read: { node, reading in self.read(node, into: start, &reading) },
      show: { owner, scenario in self.show(owner, scenario) },
      parameters: { owner, scenario in self.parameters(owner, scenario) })
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package var names: [String] { fields.map(\.name) }
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package var form: Form {
    .map(
      fields.map {
        Form.Key(
          name: $0.name, doc: $0.doc, isRequired: $0.isRequired, form: $0.form,
          evidence: $0.evidence?.text)
      })
  }
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package var allowed: String { "a map with \(names.joined(separator: ", "))" }
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  var keys: [String] {
    fields.flatMap { field in
      [field.name] + field.keys.map { $0.first == "[" ? field.name + $0 : "\(field.name).\($0)" }
    }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  private func noteUnknown(_ entry: YAMLNode.Entry, _ reading: inout Reading) {
    let place = reading.place.isEmpty ? "" : " in \(reading.place)"
    if let advice = advice[entry.key] {
      return reading.note(entry.keyOrigin, "'\(entry.key)'\(place): \(advice)")
    }
    // A known key in the wrong map is likelier than a misspelt key.
    let deeper = keys.first { $0.hasSuffix(".\(entry.key)") }
    let hint =
      deeper.map { " Did you mean '\($0)'?" } ?? Spelling.hint(for: entry.key, in: names)
    reading.note(
      entry.keyOrigin,
      "unknown key '\(entry.key)'\(place); known are \(names.joined(separator: ", ")).\(hint)")
  }
}

/// One alternative of a value that is either a word or a map with one key, such as `standard: off`
/// and `standard: { burst: { for: 20s } }`.
package struct Variant<Value> {
  let name: String
  var keys: [String] = []
  let form: Form
  /// Reads the map's one value; nil if the alternative is a word.
  var payload: ((YAMLNode, inout Reading) -> Value?)?
  let show: (Value, Scenario) -> Shown?
  let value: Value?

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func word(_ name: String, _ value: Value) -> Variant where Value: Equatable {
    Variant(
      name: name, form: .words([name]), show: { other, _ in other == value ? .scalar(name) : nil },
      value: value)
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func map<Payload>(
    _ name: String, _ shape: Shape<Payload>, _ embed: @escaping (Payload) -> Value,
    _ extract: @escaping (Value) -> Payload?
  ) -> Variant {
    Variant(
      name: name, keys: shape.keys.map { "\(name).\($0)" },
      form: .map([.init(name: name, doc: "", isRequired: true, form: shape.form)]),
      payload: { node, reading in shape.read(node, &reading).map(embed) },
      show: { value, scenario in
        extract(value).map { .map([(name, shape.show($0, scenario))]) }
      },
      value: nil)
  }
}

extension Shape {
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func oneOf(_ variants: [Variant<Value>]) -> Shape {
    let allowed = "one of " + variants.map(\.name).joined(separator: ", ")
    func variant(_ name: String, _ origin: Origin, _ reading: inout Reading) -> Variant<Value>? {
      if let found = variants.first(where: { $0.name == name }) { return found }
      let hint = Spelling.hint(for: name, in: variants.map(\.name))
      reading.diagnose(origin, "'\(name)' is unknown; write \(allowed).\(hint)")
      return nil
    }
    return Shape(
      allowed: allowed, keys: variants.flatMap(\.keys), form: .either(variants.map(\.form)),
      read: { node, reading in
        switch node.content {
        case .scalar(let text):
          guard let found = variant(text, node.origin, &reading) else { return nil }
          if found.value == nil {
            reading.diagnose(node.origin, "'\(text)' needs values; write { \(text): { … } }.")
          }
          return found.value
        case .map(let entries):
          guard entries.count == 1, let entry = entries.first else {
            reading.diagnose(node.origin, "there are \(entries.count) keys; write \(allowed).")
            return nil
          }
          guard let found = variant(entry.key, entry.keyOrigin, &reading) else { return nil }
          guard let payload = found.payload else {
            reading.diagnose(entry.keyOrigin, "'\(entry.key)' takes no values; write it alone.")
            return nil
          }
          return reading.inside(key: entry.key) { payload(entry.value, &$0) }
        case .list:
          reading.diagnose(node.origin, "there is a list; write \(allowed).")
          return nil
        }
      },
      show: { value, scenario in
        for variant in variants {
          if let shown = variant.show(value, scenario) { return shown }
        }
        preconditionFailure("no alternative of \(allowed) can write \(value)")
      })
  }
}
