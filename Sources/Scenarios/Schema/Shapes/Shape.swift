internal import Core

/// The YAML notation of a value, for reading, showing and explaining it. Code that is generic over
/// some ninety value types is compiled once, without specializations, for a shorter build.
package struct Shape<Value> {
  /// The allowed values, in words that can follow "write" in a diagnostic.
  package let allowed: String
  /// The dotted paths of the keys inside the value, in order; empty for a scalar.
  var keys: [String]
  package let form: Form
  /// Reads the value. If it has mistakes, notes them and returns nil.
  package let read: (YAMLNode, inout Reading) -> Value?
  package let show: (Value, Scenario) -> Shown
  var parameters: (Value, Scenario) -> [ModelParameter]

  package init(
    allowed: String, keys: [String] = [], form: Form,
    read: @escaping (YAMLNode, inout Reading) -> Value?,
    show: @escaping (Value, Scenario) -> Shown,
    parameters: @escaping (Value, Scenario) -> [ModelParameter] = { _, _ in [] }
  ) {
    self.allowed = allowed
    self.keys = keys
    self.form = form
    self.read = read
    self.show = show
    self.parameters = parameters
  }
}

package enum Shown {
  case scalar(String)
  case list([Shown])
  case map([(key: String, value: Shown)])
  indirect case noted(Shown, Evidence)

  /// The text of a word or number; nil for anything else.
  var scalar: String? {
    switch self {
    case .scalar(let text): text
    case .noted(let value, _): value.scalar
    case .list, .map: nil
    }
  }

  /// Returns the values that differ from `other`, which has the same keys; nil if none differs.
  func differing(from other: Shown) -> Shown? {
    guard case .map(let own) = self, case .map(let others) = other else {
      return scalar != nil && scalar == other.scalar ? nil : self
    }
    let different = zip(own, others).compactMap { pair -> (key: String, value: Shown)? in
      pair.0.value.differing(from: pair.1.value).map { (pair.0.key, $0) }
    }
    return different.isEmpty ? nil : .map(different)
  }
}

/// The state and diagnostics of a reader while it descends the tree. Keys are read in the order of
/// declaration, so that a key may use an earlier key's value, such as the city's clock.
package struct Reading {
  /// The mistakes in the order in which they were found.
  package internal(set) var diagnostics: [Diagnostic] = []
  private var path: [String] = []

  var library: FileLibrary
  /// The policies in use so far, to which cohorts refer by index.
  var policies: [Policy] = []
  /// The profiles in use so far, and those that the scenario defines.
  var osProfiles: [Named<OSFile>] = []
  var significantChangeProfiles: [Named<SignificantChangeProfile>] = []
  var energyProfiles: [Named<EnergyProfile>] = []
  var sensorProfiles: [Named<SensorProfile>] = []
  /// The recordings in use so far, to which replays refer by index.
  var recordings: [Recording] = []
  var clock = CivilClock(utcOffset: .zero)
  var start = SimInstant(microseconds: 0)
  var cohorts: [String] = []
  /// The origins of duration and ramp; nil if no scenario is read.
  var phaseFit: PhaseFit?
  var mix = PhoneMix()

  /// The origin of the word or number that is being read.
  var origin = Origin.whole("")
  /// The keys of the map whose rules are being checked, with the origin of each key.
  var written: [(key: String, origin: Origin)] = []

  init(library: FileLibrary) { self.library = library }

  package init() { self.init(library: FileLibrary(folders: [])) }

  /// Returns where to report a broken rule between `keys`, which is the first key that the command
  /// line changed, or else the first written key; nil if no key is written.
  package func origin(ofRuleBetween keys: String...) -> Origin? {
    let places = keys.compactMap { key in written.first { $0.key == key }?.origin }
    return places.first { !$0.isFile } ?? places.first
  }

  var place: String { path.joined() }

  package mutating func note(_ origin: Origin, _ text: String) {
    diagnostics.append(Diagnostic(origin: origin, text: text))
  }

  package mutating func diagnose(_ origin: Origin, _ what: String) {
    note(origin, path.isEmpty ? what : "\(place): \(what)")
  }

  /// Reads a key's value. Diagnostics meanwhile name the key.
  package mutating func inside<T>(key: String, _ body: (inout Reading) -> T) -> T {
    path.append(path.isEmpty ? key : ".\(key)")
    defer { path.removeLast() }
    return body(&self)
  }

  /// - Parameter name: the item's name in diagnostics, such as its index.
  package mutating func inside<T>(item name: String, _ body: (inout Reading) -> T) -> T {
    path.append("[\(name)]")
    defer { path.removeLast() }
    return body(&self)
  }
}

/// A mistake in one scalar's text, such as "'10' has no unit".
package struct ValueError: Error {
  let text: String
  let hint: String

  package init(_ text: String, hint: String = "") {
    self.text = text
    self.hint = hint
  }
}

extension Shape {
  /// Returns the shape of one word or number; `words` lists all allowed words if they are few.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func scalar(
    _ allowed: String, canBeEmpty: Bool = false, words: [String] = [],
    parse: @escaping (String, Reading) throws(ValueError) -> Value,
    show: @escaping (Value, Scenario) -> String
  ) -> Shape {
    Shape(
      allowed: allowed, form: words.isEmpty ? .scalar(allowed: allowed) : .words(words),
      read: { node, reading in
        guard case .scalar(let text) = node.content, canBeEmpty || !text.isEmpty else {
          reading.diagnose(node.origin, "there is \(node.kind); write \(allowed).")
          return nil
        }
        reading.origin = node.origin
        do throws(ValueError) {
          return try parse(text, reading)
        } catch {
          reading.diagnose(node.origin, "\(error.text); write \(allowed).\(error.hint)")
          return nil
        }
      },
      show: { .scalar(show($0, $1)) })
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package func mapped<Other>(
    _ wrap: @escaping (Value) -> Other, _ unwrap: @escaping (Other) -> Value
  ) -> Shape<Other> {
    Shape<Other>(
      allowed: allowed, keys: keys, form: form,
      read: { node, reading in read(node, &reading).map(wrap) },
      show: { value, scenario in show(unwrap(value), scenario) })
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func list<Item>(of item: Shape<Item>, count: ClosedRange<Int>) -> Shape<[Item]>
  where Value == [Item] {
    let allowed =
      count.lowerBound == count.upperBound
      ? "a list of \(count.lowerBound)" : "a list of \(count.lowerBound) to \(count.upperBound)"
    return Shape(
      allowed: "\(allowed): \(item.allowed)",
      keys: item.keys.map { "[0].\($0)" }, form: .list(of: item.form, count: count),
      read: { node, reading in
        guard case .list(let nodes) = node.content, count.contains(nodes.count) else {
          var found = node.kind
          if case .list(let nodes) = node.content { found = "a list of \(nodes.count)" }
          reading.diagnose(node.origin, "there is \(found); write \(allowed): \(item.allowed).")
          return nil
        }
        var items: [Item] = []
        for (index, node) in nodes.enumerated() {
          let name = item.form.name(of: node) ?? "\(index)"
          if let read = reading.inside(item: name, { item.read(node, &$0) }) { items.append(read) }
        }
        return items.count == nodes.count ? items : nil
      },
      show: { items, scenario in .list(items.map { item.show($0, scenario) }) },
      parameters: { items, scenario in
        // The path of a named item already begins with the item's name.
        items.enumerated().flatMap { index, value in
          item.parameters(value, scenario).map {
            $0.path.first == "[" ? $0 : $0.under("[\(index)]")
          }
        }
      })
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func optional<Wrapped>(_ shape: Shape<Wrapped>) -> Shape<Wrapped?>
  where Value == Wrapped? {
    Shape(
      allowed: "\(shape.allowed), or none",
      keys: shape.keys, form: .either([.words(["none"]), shape.form]),
      read: { node, reading in
        if case .scalar("none") = node.content { return .some(nil) }
        return shape.read(node, &reading).map { .some($0) }
      },
      show: { value, scenario in value.map { shape.show($0, scenario) } ?? .scalar("none") },
      parameters: { value, scenario in value.map { shape.parameters($0, scenario) } ?? [] })
  }
}
