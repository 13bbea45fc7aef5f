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
///
/// The program's own profiles write it beside the value:
///
///     dwell: { value: 20s, low: 10s, high: 1min, read: "Apple, Location Awareness guide" }
package struct Evidence: Sendable {
  let confidence: Confidence
  /// As a scenario writes it; two words or switches are both plausible.
  let low: String
  let high: String
  let source: String
}

extension Evidence {
  /// Returns nil where the node has a value and nothing behind it.
  init?(_ node: YAMLNode) {
    guard let low = node.value(of: "low"), let high = node.value(of: "high"),
      case .scalar(let low) = low.content, case .scalar(let high) = high.content
    else { return nil }
    for confidence in Confidence.allCases {
      guard case .scalar(let source) = node.value(of: confidence.rawValue)?.content else {
        continue
      }
      self.confidence = confidence
      (self.low, self.high, self.source) = (low, high, source)
      return
    }
    return nil
  }

  /// `50m to 300m, assumed: no source`.
  var text: String { "\(low) to \(high), \(confidence.rawValue): \(source)" }

  /// Whether a value lies between the two; a word always does.
  func holds(_ value: String) -> Bool {
    func base(_ text: String) -> Double? {
      WrittenQuantity(text).map { $0.kind == .share ? $0.value / 100 : $0.value }
    }
    guard let value = base(value), let high = base(high) else { return true }
    return (base(low) ?? -.infinity) <= value && value <= high
  }

  static let keys = ["value", "low", "high"] + Confidence.allCases.map(\.rawValue)

  /// Returns the value of a figure that is written with its evidence, else the node itself.
  static func value<Value>(of node: YAMLNode, _ shape: Shape<Value>, _ reading: inout Reading)
    -> YAMLNode
  {
    guard case .map(let entries) = node.content, shape.form.isPlain,
      let value = node.value(of: "value")
    else { return node }
    for entry in entries where !keys.contains(entry.key) {
      reading.diagnose(
        entry.keyOrigin, "unknown key '\(entry.key)'; write \(keys.joined(separator: ", ")).")
    }
    for end in ["low", "high"] {
      if let end = node.value(of: end) { _ = shape.read(end, &reading) }
    }
    return value
  }
}

/// A figure of the model as one scenario has it, and what stands behind it.
package struct ModelParameter: Equatable, Sendable {
  /// As `--set` takes it, such as `profiles.os[ios17].regions.cushion`.
  package internal(set) var path: String
  /// The sentence that the schema has for the parameter.
  package let doc: String
  /// The value, and the least and the most that are plausible, as a scenario writes them.
  package let value: String
  /// The least plausible value, as a scenario writes it.
  package let low: String
  /// The greatest plausible value, as a scenario writes it.
  package let high: String
  /// How well the figure is known.
  package let confidence: Confidence
  /// The document or measurement that the figure comes from.
  package let source: String
  /// Whether the value lies between the two.
  package let isPlausible: Bool
  /// Whether it is a count, which has no parts.
  package let isWhole: Bool

  init(_ path: String, _ doc: String, _ value: String, _ evidence: Evidence, isWhole: Bool) {
    self.path = path
    self.doc = doc
    self.value = value
    self.isWhole = isWhole
    (low, high, source) = (evidence.low, evidence.high, evidence.source)
    confidence = evidence.confidence
    isPlausible = evidence.holds(value)
  }

  /// The same under a key, or under an item of a list.
  func under(_ key: String) -> ModelParameter {
    var copy = self
    copy.path = path.isEmpty ? key : path.first == "[" ? key + path : "\(key).\(path)"
    return copy
  }
}

extension Scenario {
  /// Every figure of the model that has evidence, in the order of `scenario show`: what a
  /// sensitivity analysis varies. Profiles count as often as the fleet has different ones.
  package var parameters: [ModelParameter] { ScenarioSchema.scenario.parameters(self, self) }
}
