internal import SimulationCore

/// How a value is written in YAML: the one description from which it is read, shown and explained.
///
/// A scenario's keys are declared once, as shapes put together (`ScenarioSchema`, `FleetSchema`,
/// …). What is wrong with a text, which words are allowed and how the value looks with its
/// defaults filled in all come from here.
///
/// Shapes are put together once a process and read a file each: what is generic over the values of
/// some ninety types is compiled once, not for each of them (half of this room's build was that).
package struct Shape<Value> {
  /// What may be written; completes the sentence "… ; write …".
  package let allowed: String
  /// The keys inside, dotted, in order; empty for a scalar.
  var keys: [String]
  /// What an editor may know of it.
  package let form: Form
  /// Reads the value, or notes the mistakes and returns nil.
  package let read: (YAMLNode, inout Reading) -> Value?
  /// The value as it would be written.
  package let show: (Value, Scenario) -> Shown
  /// The figures of the model in it, and their paths.
  var parameters: (Value, Scenario) -> [ModelParameter]

  /// Makes a shape from what may be written, and from the two ways between text and value.
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

/// A value on its way back to YAML text.
package enum Shown {
  case scalar(String)
  case list([Shown])
  case map([(key: String, value: Shown)])
  /// A value, and what stands behind it.
  indirect case noted(Shown, Evidence)

  /// The text of a word or number; nil: it is something else.
  var scalar: String? {
    switch self {
    case .scalar(let text): text
    case .noted(let value, _): value.scalar
    case .list, .map: nil
    }
  }

  /// What of it is not the same in `other`, which has the same keys; nil: nothing.
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

/// What a reader knows and has found while it walks down the tree.
///
/// Keys are read in the order in which they are declared, not written, so that a later one may
/// refer to an earlier: an instant to the city's clock, a fault to the cohorts.
package struct Reading {
  /// Holds what is wrong, in the order in which it was found.
  package internal(set) var diagnostics: [Diagnostic] = []
  /// Where the reader is, such as `fleet.cohorts[0]`.
  private var path: [String] = []

  var library: FileLibrary
  /// The policies in use so far; a cohort's index points here.
  var policies: [Policy] = []
  /// The profiles in use so far, and the scenario's own.
  var osProfiles: [Named<OSFile>] = []
  var significantChangeProfiles: [Named<SignificantChangeProfile>] = []
  var energyProfiles: [Named<EnergyProfile>] = []
  var sensorProfiles: [Named<SensorProfile>] = []
  /// The recordings in use so far; a replay's indices point here.
  var recordings: [Recording] = []
  var clock = CivilClock(utcOffset: .zero)
  var start = SimInstant(microseconds: 0)
  var cohorts: [String] = []
  /// Where duration and ramp were written; nil: what is read is no scenario.
  var phaseFit: PhaseFit?
  /// What the fleet's phones are like; a cohort says what differs.
  var mix = PhoneMix()

  /// Holds the keys of the map whose rules are being asked, and where each was written.
  var written: [(key: String, origin: Origin)] = []

  init(library: FileLibrary) { self.library = library }

  /// Makes a reader of files that name no policy and no profile.
  package init() { self.init(library: FileLibrary(folders: [])) }

  /// Returns where a rule between keys of one map was broken: where the command line changed one of
  /// them, there, else where the first of them is written; nil where none of them is.
  package func origin(ofRuleBetween keys: String...) -> Origin? {
    let places = keys.compactMap { key in written.first { $0.key == key }?.origin }
    return places.first { !$0.isFile } ?? places.first
  }

  var place: String { path.joined() }

  /// Notes a sentence about a place in a file.
  package mutating func note(_ origin: Origin, _ text: String) {
    diagnostics.append(Diagnostic(origin: origin, text: text))
  }

  /// Notes what is wrong with the value at the current place.
  package mutating func diagnose(_ origin: Origin, _ what: String) {
    note(origin, path.isEmpty ? what : "\(place): \(what)")
  }

  /// Reads what stands under a key, which mistakes then name.
  package mutating func inside<T>(key: String, _ body: (inout Reading) -> T) -> T {
    path.append(path.isEmpty ? key : ".\(key)")
    defer { path.removeLast() }
    return body(&self)
  }

  /// - Parameter name: how a list's item is called, such as its index.
  package mutating func inside<T>(item name: String, _ body: (inout Reading) -> T) -> T {
    path.append("[\(name)]")
    defer { path.removeLast() }
    return body(&self)
  }
}

/// What is wrong with one scalar's text, such as "'10' has no unit".
package struct ValueError: Error {
  let text: String
  /// " Did you mean …?", or nothing.
  let hint: String

  /// Makes an error from what is wrong and, with a space before it, what may have been meant.
  package init(_ text: String, hint: String = "") {
    self.text = text
    self.hint = hint
  }
}

extension Shape {
  /// A value written as one word or number.
  ///
  /// - Parameter words: all that may be written, where they are few.
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
        do throws(ValueError) {
          return try parse(text, reading)
        } catch {
          reading.diagnose(node.origin, "\(error.text); write \(allowed).\(error.hint)")
          return nil
        }
      },
      show: { .scalar(show($0, $1)) })
  }

  /// The same text for another type.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package func mapped<Other>(
    _ wrap: @escaping (Value) -> Other, _ unwrap: @escaping (Other) -> Value
  ) -> Shape<Other> {
    Shape<Other>(
      allowed: allowed, keys: keys, form: form,
      read: { node, reading in read(node, &reading).map(wrap) },
      show: { value, scenario in show(unwrap(value), scenario) })
  }

  /// A list whose items share a shape.
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
        // Items with names say them themselves.
        items.enumerated().flatMap { index, value in
          item.parameters(value, scenario).map {
            $0.path.first == "[" ? $0 : $0.under("[\(index)]")
          }
        }
      })
  }

  /// A value that can be switched off with the word `none`.
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
      show: { value, scenario in value.map { shape.show($0, scenario) } ?? .scalar("none") })
  }
}
