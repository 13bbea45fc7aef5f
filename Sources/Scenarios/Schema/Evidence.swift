internal import SimulationCore

/// How well a figure of the model is known: the letters of the rule book as words.
package enum Confidence: String, CaseIterable, Sendable {
  /// Its source was read (R).
  case read
  /// Known from an excerpt or at second hand (r).
  case excerpt
  /// From memory, not looked up (M).
  case recalled
  /// Worked out from figures that have a source (D).
  case derived
  /// Set so that a published claim or a recording is met, for which it therefore is no evidence.
  case fitted
  /// Assumed (A).
  case assumed
}

/// What stands behind a figure of the model: where it comes from, how sure that is, and the least
/// and the most that it could plausibly be.
package struct Evidence<Value> {
  let confidence: Confidence
  let low: Value
  let high: Value
  let source: String
  /// Whether a value lies between the two.
  let holds: (Value) -> Bool
}

extension Evidence where Value: Comparable {
  private init(_ confidence: Confidence, _ low: Value, _ high: Value, _ source: String) {
    self.init(
      confidence: confidence, low: low, high: high, source: source,
      holds: { low <= $0 && $0 <= high })
  }

  static func read(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.read, low, high, source)
  }
  static func excerpt(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.excerpt, low, high, source)
  }
  static func recalled(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.recalled, low, high, source)
  }
  static func derived(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.derived, low, high, source)
  }
  static func fitted(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.fitted, low, high, source)
  }
  static func assumed(_ low: Value, _ high: Value, _ source: String) -> Self {
    Self(.assumed, low, high, source)
  }
}

extension Evidence {
  /// Of what an app's author chooses: between these two, each of which is plausible.
  static func choice(
    _ one: Value, _ other: Value, _ confidence: Confidence, _ source: String
  ) -> Self {
    Self(confidence: confidence, low: one, high: other, source: source, holds: { _ in true })
  }
}

extension Evidence {
  /// Of what may be switched off: from none to `high`.
  static func noneOr<Wrapped: Comparable>(
    _ high: Wrapped, _ confidence: Confidence, _ source: String
  ) -> Self where Value == Wrapped? {
    Self(
      confidence: confidence, low: nil, high: high, source: source,
      holds: { $0.map { $0 <= high } ?? true })
  }
}

/// A figure of the model as one scenario has it, and what stands behind it.
package struct ModelParameter: Equatable, Sendable {
  /// As `--set` takes it, such as `profiles.os[ios17].regions.cushion`.
  package internal(set) var path: String
  /// Is the sentence that the schema has for the parameter.
  package let doc: String
  /// The value, and the least and the most that are plausible, as a scenario writes them.
  package let value: String
  /// Is the least plausible value, as a scenario writes it.
  package let low: String
  /// Is the greatest plausible value, as a scenario writes it.
  package let high: String
  /// Says how well the figure is known.
  package let confidence: Confidence
  /// Names the document or measurement that the figure comes from.
  package let source: String
  /// Whether the value lies between the two.
  package let isPlausible: Bool
  /// Whether it is a count, which has no parts.
  package let isWhole: Bool

  /// `50m to 300m, assumed: rule book 2.1`.
  package var evidence: String { "\(low) to \(high), \(confidence.rawValue): \(source)" }

  /// The same under a key, or under an item of a list.
  func under(_ key: String) -> ModelParameter {
    var copy = self
    copy.path = path.isEmpty ? key : path.first == "[" ? key + path : "\(key).\(path)"
    return copy
  }
}

extension ModelParameter {
  init<Value>(
    _ path: String, _ doc: String, _ show: (Value, Scenario) -> Shown, _ value: Value,
    _ evidence: Evidence<Value>, _ scenario: Scenario
  ) {
    func text(_ value: Value) -> String {
      guard case .scalar(let text) = show(value, scenario) else {
        preconditionFailure("'\(path)' has evidence, and is not one word or number")
      }
      return text
    }
    self.init(
      path: path, doc: doc, value: text(value), low: text(evidence.low), high: text(evidence.high),
      confidence: evidence.confidence, source: evidence.source, isPlausible: evidence.holds(value),
      isWhole: Value.self is any FixedWidthInteger.Type)
  }
}

extension Scenario {
  /// Every figure of the model that has evidence, in the order of `scenario show`: what a
  /// sensitivity analysis varies. Profiles count as often as the fleet has different ones.
  package var parameters: [ModelParameter] { ScenarioSchema.scenario.parameters(self, self) }
}
