/// How well a figure of the model is known.
package enum Confidence: String, CaseIterable, Sendable {
  /// The source was read (R).
  case read
  /// The figure is known from an excerpt or at second hand (r).
  case excerpt
  /// The figure is from memory and was not checked (M).
  case recalled
  case derived
  /// The figure was set to match a claim or a recording, which therefore cannot confirm the figure.
  case fitted
  case assumed
}

/// The evidence for a figure of the model, written beside the value: `dwell: { value: 20s, low:
/// 10s, high: 1min, read: "Apple, Location Awareness guide" }`.
package struct Evidence: Sendable {
  let confidence: Confidence
  /// The lower end of the plausible range in scenario notation, or one of two plausible words.
  let low: String
  let high: String
  let source: String
}

extension Evidence {
  /// Creates the evidence of a node; nil if the node is a value without evidence.
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

  var text: String { "\(low) to \(high), \(confidence.rawValue): \(source)" }

  func holds(_ value: String) -> Bool {
    func base(_ text: String) -> Double? {
      WrittenQuantity(text).map { $0.kind == .share ? $0.value / 100 : $0.value }
    }
    guard let value = base(value), let high = base(high) else { return true }
    return (base(low) ?? -.infinity) <= value && value <= high
  }

  static let keys = ["value", "low", "high"] + Confidence.allCases.map(\.rawValue)

  /// Returns the node of a figure's value if the figure is written with evidence, else `node`.
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

package struct ModelParameter: Equatable, Sendable {
  /// The path for `--set`, such as `profiles.os[ios17].regions.cushion`.
  package internal(set) var path: String
  package let doc: String
  package let value: String
  package let low: String
  package let high: String
  package let confidence: Confidence
  package let source: String
  package let isPlausible: Bool
  /// Whether the value is a whole number, which cannot be divided.
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

  func under(_ key: String) -> ModelParameter {
    var copy = self
    copy.path = path.isEmpty ? key : path.first == "[" ? key + path : "\(key).\(path)"
    return copy
  }
}

extension Scenario {
  /// Every model figure with evidence, in the order of `scenario show`; a profile occurs once.
  package var parameters: [ModelParameter] { ScenarioSchema.scenario.parameters(self, self) }
}
