/// A scenario lived with many settings, as a file: `sweep.json`.
///
/// Two sweeps of one scenario, grid and seed give equal bytes but for `command`, `machine` and
/// `timing`, whichever point was finished first.
package struct SweepRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = SweepRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  /// Its text has the first point's settings in it.
  package var scenario = RunRecord.ScenarioFacts()
  /// The scenario's seed, which also keys the resamples of the intervals.
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  /// Seconds: the age up to which a phone counts as fresh.
  package var freshWithinSeconds = 0.0
  /// The last changes fastest.
  package var axes: [Axis] = []
  /// Points that the grid has; an interrupted sweep has fewer in `points`.
  package var planned = 0
  /// The same lives without pushes: one for each combination of the settings that are no pushes'.
  package var baselines: [Baseline] = []
  /// In the grid's order.
  package var points: [Point] = []
  /// Place in `points`: of those as fresh as the freshest, the one whose pushes remove most.
  @Nullable package var best: Int?
  /// Place in `points`.
  @Nullable package var freshest: Int?

  package init() {}

  /// One setting that the sweep varies, with all its values.
  package struct Axis: Equatable, Sendable, Codable {
    /// A path as `--set` takes it.
    package var key: String
    /// The setting's values as the scenario writes them, in the order of the grid.
    package var values: [String]
    /// Where the values lie, in the base unit of their kind; null: words.
    @Nullable package var places: [Double]?
    /// Whether neighbouring values have a constant ratio, so that a logarithmic scale suits
    /// them.
    package var isGeometric: Bool

    /// Makes an axis; `places` must be nil or have one number for each value.
    package init(key: String, values: [String], places: [Double]?, isGeometric: Bool) {
      self.key = key
      self.values = values
      self.places = places
      self.isGeometric = isGeometric
    }
  }

  /// A run with `push.scheduler` none.
  package struct Baseline: Equatable, Sendable, Codable {
    /// A value for each axis; null: it does not matter to who is not pushed.
    package var values: [String?]
    /// The verdict of the run without pushes.
    package var verdict: Verdict
    /// The digest of the world that its phones lived in.
    package var world: String
    /// The digest of what its phones did.
    package var behaviour: String
    /// The share of reachable phones' time with an age within `freshWithinSeconds`, 0 … 1.
    @Nullable package var fresh: Ratio?
    /// What tracking costs a reachable phone, in percent of a battery per phone-day.
    @Nullable package var battery: Ratio?

    /// Makes a baseline without figures, from a run's settings, verdict and digests.
    package init(values: [String?], verdict: Verdict, world: String, behaviour: String) {
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }
  }

  /// What came out at one combination of the axes' values.
  package struct Point: Equatable, Sendable, Codable {
    /// Its place in the grid.
    package var number: Int
    /// A value for each axis.
    package var values: [String]
    /// The verdict of the point's own run.
    package var verdict: Verdict
    /// The digest of the world that its phones lived in.
    package var world: String
    /// The digest of what its phones did.
    package var behaviour: String
    /// Place in `baselines`; null: that run was not finished.
    @Nullable package var baseline: Int?
    /// Phones in each population.
    package var phones: [String: Int] = [:]
    /// Pushes in all.
    package var requested = 0
    /// Of the pushes that reachable phones were sent.
    @Nullable package var answered: Ratio?
    /// Is answered(W) with the pushes less answered(W) when they are withheld; null where unknown.
    @Nullable package var uplift: Ratio?
    /// Figures of reachable phones, by the keys of `StudyFigure.swept`; null: it cannot be said.
    /// `removed` and those made of it are against the baseline, on the same phones.
    package var figures: [String: Ratio?] = [:]
    /// Freshness less the freshest point's; on the same phones where both had the same lives.
    @Nullable package var lessFreshest: Ratio?
    /// Cannot be told from the freshest.
    package var isFreshest = false

    /// Makes a point without figures, from its place in the grid, settings, verdict and digests.
    package init(
      number: Int, values: [String], verdict: Verdict, world: String, behaviour: String
    ) {
      self.number = number
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }

    /// Finds a figure with its 95 % interval; nil where it cannot be given.
    package subscript(_ figure: StudyFigure) -> Ratio? {
      switch figure {
      case .answered: answered
      case .uplift: uplift
      case _: figures[figure.key] ?? nil
      }
    }
  }

  /// Every point met the same people, movements and permissions as its baseline.
  package var isPaired: Bool {
    points.allSatisfy { point in point.baseline.map { baselines[$0].world == point.world } ?? true }
  }

  /// Names the freshest points and the best of them; called when all figures are there.
  package mutating func judge() {
    best = nil
    for (i, point) in points.enumerated() where point.isFreshest {
      guard let removed = point[.removedPerPush]?.value else { continue }
      let leader = best.flatMap { points[$0][.removedPerPush]?.value }
      if leader.map({ removed > $0 }) ?? true { best = i }
    }
  }

  /// Says that axes, points, baselines and places do not fit together; nil when they do.
  package var damage: String? { isWhole ? nil : "its points do not fit its axes" }

  /// Renderers may rely on the record's places.
  private var isWhole: Bool {
    axes.allSatisfy { ($0.places?.count ?? $0.values.count) == $0.values.count }
      && points.allSatisfy { $0.values.count == axes.count }
      && baselines.allSatisfy { $0.values.count == axes.count }
      && points.allSatisfy { $0.baseline.map(baselines.indices.contains) ?? true }
      && [best, freshest].allSatisfy { $0.map(points.indices.contains) ?? true }
  }
}
