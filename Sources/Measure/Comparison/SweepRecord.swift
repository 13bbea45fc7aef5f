/// A scenario lived with many settings, as a file: `sweep.json`.
///
/// Two sweeps of one scenario, grid and seed give equal bytes but for `command`, `machine` and
/// `timing`, whichever point was finished first.
package struct SweepRecord: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = SweepRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  /// Its text has the first point's settings in it.
  package var scenario = RunRecord.ScenarioFacts()
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

  package struct Axis: Equatable, Sendable, Codable {
    /// A path as `--set` takes it.
    package var key: String
    package var values: [String]
    /// Where the values lie, in the base unit of their kind; null: words.
    @Nullable package var places: [Double]?
    package var isGeometric: Bool

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
    package var verdict: Verdict
    package var world: String
    package var behaviour: String
    @Nullable package var fresh: Ratio?
    @Nullable package var battery: Ratio?

    package init(values: [String?], verdict: Verdict, world: String, behaviour: String) {
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }
  }

  package struct Point: Equatable, Sendable, Codable {
    /// Its place in the grid.
    package var number: Int
    /// A value for each axis.
    package var values: [String]
    package var verdict: Verdict
    package var world: String
    package var behaviour: String
    /// Place in `baselines`; null: that run was not finished.
    @Nullable package var baseline: Int?
    /// Phones in each population.
    package var phones: [String: Int] = [:]
    /// Pushes in all.
    package var requested = 0
    /// Of the pushes that reachable phones were sent.
    @Nullable package var answered: Ratio?
    @Nullable package var uplift: Ratio?
    /// Figures of reachable phones, by `SweepFigure`; what cannot be said is null. `removed` and
    /// those made of it are against the baseline, on the same phones.
    package var figures: [String: Ratio?] = [:]
    /// Freshness less the freshest point's; on the same phones where both had the same lives.
    @Nullable package var lessFreshest: Ratio?
    /// Cannot be told from the freshest.
    package var isFreshest = false

    package init(
      number: Int, values: [String], verdict: Verdict, world: String, behaviour: String
    ) {
      self.number = number
      self.values = values
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
    }

    package subscript(_ figure: SweepFigure) -> Ratio? {
      switch figure {
      case .answered: answered
      case .uplift: uplift
      case .freshness, .battery, .pushes, .removed, .extraJoules, .removedPerPush,
        .removedPerJoule:
        figures[figure.rawValue] ?? nil
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
