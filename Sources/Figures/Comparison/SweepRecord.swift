package import Core

/// The results of a sweep, stored as `sweep.json`.
package struct SweepRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = SweepRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  /// The scenario's seed, which also seeds the resampling for the intervals.
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var freshWithinSeconds = 0.0
  /// The axes of the grid. The last axis changes fastest.
  package var axes: [Axis] = []
  /// The number of points of the grid; an interrupted sweep has fewer in `points`.
  package var planned = 0
  /// The runs without pushes: one for each combination of the settings that do not concern pushes.
  package var baselines: [Baseline] = []
  package var points: [Point] = []
  /// The index of the best point: the most stale time removed per push among the freshest points.
  @Nullable package var best: Int?
  @Nullable package var freshest: Int?

  package init() {}

  package struct Axis: Equatable, Sendable, Codable {
    /// The path of the setting, as in `--set`.
    package var key: String
    package var values: [String]
    /// The values as numbers in the base unit of their kind; null for words.
    @Nullable package var places: [Double]?
    /// Whether neighbouring values have a constant ratio, which suits a logarithmic scale.
    package var isGeometric: Bool

    package init(key: String, values: [String], places: [Double]?, isGeometric: Bool) {
      self.key = key
      self.values = values
      self.places = places
      self.isGeometric = isGeometric
    }
  }

  /// A run without pushes: its `push.scheduler` is none.
  package struct Baseline: Equatable, Sendable, Codable {
    /// A value for each axis; null where the axis has no effect without pushes.
    package var values: [String?]
    package var verdict: Verdict
    package var world: String
    package var behaviour: String
    /// The share of reachable phones' time with a newest fix within `freshWithinSeconds`, 0 … 1.
    @Nullable package var fresh: Ratio?
    /// The battery that tracking uses, in percent of a full one per reachable phone and day.
    @Nullable package var battery: Ratio?

    package init(values: [String?], verdict: Verdict, world: String, behaviour: String) {
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }
  }

  package struct Point: Equatable, Sendable, Codable {
    package var number: Int
    package var values: [String]
    package var verdict: Verdict
    package var world: String
    package var behaviour: String
    /// The index of the point's baseline in `baselines`; null if that run was not finished.
    @Nullable package var baseline: Int?
    package var phones: [String: Int] = [:]
    package var requested = 0
    @Nullable package var answered: Ratio?
    /// answered(W) with the pushes minus answered(W) when they are withheld; null where unknown.
    @Nullable package var uplift: Ratio?
    /// Figures of reachable phones by the keys of `StudyFigure.swept`; null where unknown.
    /// `removed` and the figures derived from `removed` compare the point with its baseline.
    package var figures: [String: Ratio?] = [:]
    /// The point's freshness minus the freshest point's, paired by phone if both worlds are equal.
    @Nullable package var lessFreshest: Ratio?
    /// Whether the point's freshness is statistically indistinguishable from the freshest point's.
    package var isFreshest = false
    /// Figures over sets of the model's parameters, with differences from the best point; omitted
    /// if not requested.
    package var ensemble: EnsembleFigures?

    package init(
      number: Int, values: [String], verdict: Verdict, world: String, behaviour: String
    ) {
      self.number = number
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }

    package subscript(_ figure: StudyFigure) -> Ratio? {
      switch figure {
      case .answered: answered
      case .uplift: uplift
      case _: figures[figure.key] ?? nil
      }
    }
  }

  /// Whether every point ran in the same world as its baseline.
  package var isPaired: Bool {
    points.allSatisfy { point in point.baseline.map { baselines[$0].world == point.world } ?? true }
  }

  /// Selects the best of the freshest points, after all figures are set.
  package mutating func judge() {
    best = nil
    for (i, point) in points.enumerated() where point.isFreshest {
      guard let removed = point[.removedPerPush]?.value else { continue }
      let leader = best.flatMap { points[$0][.removedPerPush]?.value }
      if leader.map({ removed > $0 }) ?? true { best = i }
    }
  }

  package var damage: String? {
    isWhole ? Facts(self).damage : "its points do not fit its axes"
  }

  /// Whether the invariants hold that renderers rely on.
  private var isWhole: Bool {
    !axes.isEmpty && axes.allSatisfy { ($0.places?.count ?? $0.values.count) == $0.values.count }
      && points.allSatisfy { $0.values.count == axes.count }
      && baselines.allSatisfy { $0.values.count == axes.count }
      && points.allSatisfy { $0.baseline.map(baselines.indices.contains) ?? true }
      && [best, freshest].allSatisfy { $0.map(points.indices.contains) ?? true }
  }
}
