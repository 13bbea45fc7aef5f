package import Core
package import Figures
internal import Scenarios

/// The results of a sensitivity study, stored as `sensitivity.json`.
package struct SensitivityRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = SensitivityRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  /// The seed that the runs share, so that parameters alone cause their differences.
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var runs = Runs()
  package var refused = Refused()
  package var parameters: [Parameter] = []
  package var held: [Held] = []
  package var figures: [Figure] = []

  package init() {}

  package struct Runs: Equatable, Sendable, Codable {
    package var stars = 0
    package var points = 0
    /// The number of all runs: stars, points, the scenario as written, and runs with other seeds.
    package var planned = 0
    package var done = 0
    package var pointsDone = 0
    package var losses = 0
  }

  package struct Refused: Equatable, Sendable, Codable {
    package var points = 0
    package var bases = 0
    package var steps = 0
    /// The number of steps without a valid scenario at any length, which yield no effect.
    package var blocked = 0
    package var moved: [String: Int] = [:]
  }

  package struct Parameter: Equatable, Sendable, Codable {
    package var path: String
    package var doc: String
    package var value: String
    package var low: String
    package var high: String
    package var scale: VariedParameter.Scale
    package var confidence: String
    package var source: String

    package init(path: String, value: String, low: String, high: String) {
      self.path = path
      self.value = value
      self.low = low
      self.high = high
      (doc, scale, confidence, source) = ("", .linear, "", "")
    }

    package init(_ varied: VariedParameter) {
      let parameter = varied.parameter
      self.init(
        path: parameter.path, value: parameter.value, low: parameter.low, high: parameter.high)
      doc = parameter.doc
      scale = varied.scale
      confidence = parameter.confidence.rawValue
      source = parameter.source
    }
  }

  package enum Reason: String, CaseIterable, Sendable, Codable {
    /// The parameter is a word, a switch or a list, which has no range.
    case choice
    /// The least plausible value equals the greatest.
    case noRange = "no-range"
    case outside
    case notAsked = "not-asked"
  }

  package struct Held: Equatable, Sendable, Codable {
    /// The path, as `--set` takes it; for a choice, the key in the profiles of its kind.
    package var path: String
    package var reason: Reason

    package init(path: String, reason: Reason) {
      self.path = path
      self.reason = reason
    }
  }

  package struct Figure: Equatable, Sendable, Codable {
    package var name: StudyFigure
    package var unit: String
    /// The figure's value in the scenario as written; null if unknown.
    @Nullable package var value: Double?
    /// The 95 % interval of `value`, from resampled phones.
    @Nullable package var sampled: Ratio?
    /// The variation due to the model's parameters; null with fewer than 20 points.
    @Nullable package var model: Model?
    package var points: [Double?] = []
    /// The effect of another seed: the mean absolute difference at the bases of the stars.
    @Nullable package var otherSeed: Double?
    /// The effects of the parameters with at least one finished step, greatest μ* first.
    package var effects: [Effect] = []

    package init(_ name: StudyFigure) {
      self.name = name
      unit = name == .batches ? "batches-per-phone-day" : name.unit.rawValue
    }
  }

  /// The 90 % range of a figure over parameter sets drawn evenly from their ranges.
  package struct Model: Equatable, Sendable, Codable {
    package var points: Int
    /// The 5th percentile.
    package var low: Double
    package var median: Double
    /// The 95th percentile.
    package var high: Double

    /// The fewest points for an interval: fewer leave the tails of 5 % unknown.
    package static let pointsMin = 20
    /// The fewest points without a warning in the report: with fewer, one or two decide each end.
    package static let pointsWanted = 64

    package init?(of values: [Double]) {
      let sorted = values.sorted()
      guard sorted.count >= Self.pointsMin, let low = sorted.sortedQuantile(0.05, .linear),
        let median = sorted.sortedQuantile(0.5, .linear),
        let high = sorted.sortedQuantile(0.95, .linear)
      else { return nil }
      points = sorted.count
      self.low = low
      self.median = median
      self.high = high
    }
  }

  package struct Effect: Equatable, Sendable, Codable {
    package var parameter: Int
    package var steps: Int
    /// μ*, the mean of the absolute effects.
    package var meanAbsolute: Double
    /// μ, the mean of the effects with their signs.
    package var mean: Double
    /// σ, the standard deviation of the effects; null for one step.
    @Nullable package var deviation: Double?
    package var least: Double
    package var most: Double

    package init?(parameter: Int, _ effects: ElementaryEffects) {
      guard let meanAbsolute = effects.meanAbsolute, let mean = effects.mean,
        let least = effects.values.min(), let most = effects.values.max()
      else { return nil }
      self.parameter = parameter
      steps = effects.values.count
      self.meanAbsolute = meanAbsolute
      self.mean = mean
      deviation = effects.deviation
      self.least = least
      self.most = most
    }

    package enum Direction: Sendable { case up, down, both, none }

    /// The direction of most effects, if one sign has at least 3/4 of the sum of absolute effects.
    package var direction: Direction {
      guard meanAbsolute > 0 else { return .none }
      return abs(mean) < meanAbsolute / 2 ? .both : mean > 0 ? .up : .down
    }
  }

  package var isInterrupted: Bool { runs.done < runs.planned }

  package var known: Int { parameters.count + held.count }

  /// The reason why the record is inconsistent, such as an unknown parameter; nil if it is not.
  package var damage: String? {
    let isWhole = figures.allSatisfy { figure in
      figure.effects.allSatisfy { parameters.indices.contains($0.parameter) }
    }
    return isWhole ? Facts(self).damage : "its effects refer to unknown parameters"
  }
}
