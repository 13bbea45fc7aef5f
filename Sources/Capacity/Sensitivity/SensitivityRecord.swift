package import Figures
internal import Scenarios

/// What the answers of a scenario hang on, as a file: `sensitivity.json`.
///
/// Two studies of one scenario, seed and design give equal bytes but for `command`, `machine` and
/// `timing`, whichever run was finished first.
package struct SensitivityRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = SensitivityRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  /// The seed that all runs share, so that a difference is the parameters' doing.
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var runs = Runs()
  package var refused = Refused()
  /// The figures of the model that were varied, in the order of `scenario show`.
  package var parameters: [Parameter] = []
  /// Those that were not, with the reason.
  package var held: [Held] = []
  /// The headline figures that were asked for, in the order in which they were.
  package var figures: [Figure] = []

  package init() {}

  package struct Runs: Equatable, Sendable, Codable {
    /// The number of stars that were asked for.
    package var stars = 0
    /// The number of points of the Latin hypercube that were asked for.
    package var points = 0
    /// The number of all runs: these, the scenario as it is written, and the other seeds.
    package var planned = 0
    /// The number of runs that were finished.
    package var done = 0
    /// The number of points of the hypercube whose run was finished.
    package var pointsDone = 0
    /// The number of runs in which something was lost; a flaw of the program.
    package var losses = 0
    package init() {}
  }

  package struct Refused: Equatable, Sendable, Codable {
    /// The number of points of the hypercube that were moved.
    package var points = 0
    /// The number of bases of stars that were moved.
    package var bases = 0
    /// The number of steps that were shortened.
    package var steps = 0
    /// The number of steps for which there was no room at all; they have no effect.
    package var blocked = 0
    /// The parameters that were moved, and how often, over points and bases.
    package var moved: [String: Int] = [:]
    package init() {}
  }

  /// A figure of the model that was varied.
  package struct Parameter: Equatable, Sendable, Codable {
    /// The path as `--set` takes it.
    package var path: String
    /// The sentence that the schema has for it.
    package var doc: String
    /// The scenario's own value.
    package var value: String
    /// The least plausible value.
    package var low: String
    /// The greatest plausible value.
    package var high: String
    /// How its range was walked.
    package var scale: VariedParameter.Scale
    /// How well it is known.
    package var confidence: String
    /// What it comes from.
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

  /// Why a figure of the model was not varied.
  package enum Reason: String, CaseIterable, Sendable, Codable {
    /// A word, a switch or a list without a range.
    case choice
    /// Its least and greatest plausible values are equal.
    case noRange = "no-range"
    /// The scenario's value is outside the range.
    case outside
    case notAsked = "not-asked"
  }

  /// A figure of the model that kept its value.
  package struct Held: Equatable, Sendable, Codable {
    /// The path as `--set` takes it; of a choice, the key in the profiles of its kind.
    package var path: String
    package var reason: Reason

    package init(path: String, reason: Reason) {
      self.path = path
      self.reason = reason
    }
  }

  /// A headline figure: its value, how far chance and the model move it, and what moves it.
  package struct Figure: Equatable, Sendable, Codable {
    /// The figure.
    package var name: StudyFigure
    package var unit: String
    /// Its value in the scenario as written; null if unknown.
    @Nullable package var value: Double?
    /// The 95 % interval of that value, from resampled phones.
    @Nullable package var sampled: Ratio?
    /// How far the model's parameters move it; null of fewer than 20 points.
    @Nullable package var model: Model?
    /// What came out at each point of the hypercube, in its order; null: not finished.
    package var points: [Double?] = []
    /// What another seed changes: the mean of absolute differences at the bases of the stars.
    @Nullable package var otherSeed: Double?
    /// What each parameter does to it, the greatest μ* first; parameters without a finished
    /// step are left out.
    package var effects: [Effect] = []

    package init(_ name: StudyFigure) {
      self.name = name
      unit = name == .batches ? "batches-per-phone-day" : name.unit.rawValue
    }
  }

  /// What 90 of 100 sets of parameters, drawn evenly from their ranges, make of a figure.
  package struct Model: Equatable, Sendable, Codable {
    /// The number of points that it rests on.
    package var points: Int
    /// The 5th percentile.
    package var low: Double
    /// The median.
    package var median: Double
    /// The 95th percentile.
    package var high: Double

    /// With fewer points the tails of 5 % are unknown.
    package static let pointsMin = 20
    /// With fewer the ends rest on a point or two, which a report notes.
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

  /// What one parameter does to a figure, over its whole range, in the figure's unit.
  package struct Effect: Equatable, Sendable, Codable {
    /// The parameter's place in `parameters`.
    package var parameter: Int
    /// The number of steps that it rests on.
    package var steps: Int
    /// μ*, the mean of the absolute effects.
    package var meanAbsolute: Double
    /// μ, the mean of the effects with their signs.
    package var mean: Double
    /// σ, their standard deviation; null of one step.
    @Nullable package var deviation: Double?
    /// The effect that lowers the figure most.
    package var least: Double
    /// The effect that raises it most.
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

    /// How the figure goes as the parameter rises.
    package enum Direction: Sendable { case up, down, both, none }

    /// One way where three quarters of the effects' size are of one sign.
    package var direction: Direction {
      guard meanAbsolute > 0 else { return .none }
      return abs(mean) < meanAbsolute / 2 ? .both : mean > 0 ? .up : .down
    }
  }

  /// Whether the study was stopped before all runs were done.
  package var isInterrupted: Bool { runs.done < runs.planned }

  /// The number of figures of the model, varied or not.
  package var known: Int { parameters.count + held.count }

  /// The mismatch of effects and parameters; nil if there is none.
  package var damage: String? {
    let isWhole = figures.allSatisfy { figure in
      figure.effects.allSatisfy { parameters.indices.contains($0.parameter) }
    }
    return isWhole ? nil : "its effects name parameters that it does not have"
  }
}
