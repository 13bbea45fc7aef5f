package import Figures

/// What a log says, what was fitted to it and how far the two lie apart, as a file: `fit.json`.
///
/// Two fits of one log, seed and options give equal bytes but for `command`, `machine` and
/// `timing`.
package struct FitRecord: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = FitRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  /// What the scenario, the policy and the profile are called.
  package var name = ""
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  /// What the log is.
  package var log = Log()
  /// What the log says of its own; null of a log without two fixes of one phone.
  @Nullable package var start: FitStart?
  /// Every candidate that was simulated, in order.
  package var trials: [FitSearch.Trial] = []
  /// The nearest; null where nothing was simulated.
  @Nullable package var fitted: FitCandidate?
  /// How phones report their accuracy; null where the log does not say.
  @Nullable package var sensors: SensorEstimate?
  /// The number of phones of the simulation.
  package var simulatedPhones = 0
  /// The number of fixes of the simulation in the time of the log.
  package var simulatedFixes = 0
  /// Every figure, in the order of `FitFigure`.
  package var figures: [Figure] = []
  /// The number of fixes of the log by hour of the week, from Monday 0 h.
  package var logHours: [Double] = []
  /// Empty if nothing was simulated.
  package var simulatedHours: [Double] = []
  /// Whether Ctrl-C ended the search before it was done.
  package var isInterrupted = false

  package init() {}

  package struct Log: Equatable, Sendable, Codable {
    /// The files, as they were given.
    package var files: [String] = []
    /// The columns that it has.
    package var columns: [LogColumn] = []
    package var counts = LogCounts()
    /// Clauses on the interpretation of ambiguous rows and columns; null if there are none.
    @Nullable package var notes: [String]?
    package var phones = 0
    package var fixes = 0
    /// When the time that is looked at begins, on the place's clock.
    package var from = ""
    /// When it ends.
    package var until = ""
    /// How long it lasts, in seconds.
    package var seconds = 0.0
    /// The place's offset to UTC.
    package var utcOffset = "+00:00"
    /// The number of phones that were fitted to.
    package var fittedPhones = 0
    /// The number of phones that judge; 0: the log has one phone alone, and nothing is held out.
    package var heldPhones = 0
    /// Where its fixes seem to come from; null without accuracies.
    @Nullable package var sources: SourceMix?
    /// What a battery loses in an hour while it falls, in points of a hundred; null where the
    /// log does not say.
    @Nullable package var batteryPerHour: Double?
    /// The number of phones by the newest version of their app, the most first.
    package var versions: [Version] = []
    package init() {}
  }

  /// The number of phones of one version of the app.
  package struct Version: Equatable, Sendable, Codable {
    /// The version as the log has it.
    package var name: String
    /// The number of phones that have it in their newest row.
    package var phones: Int
  }

  /// A figure of the log, of its simulation, and the distance between the two.
  package struct Figure: Equatable, Sendable, Codable {
    /// The figure.
    package var figure: FitFigure
    /// How the distance is measured.
    package var measure: DistanceMeasure
    /// What the log has; null: `missing` says why.
    @Nullable package var log: Values?
    /// What the simulation has.
    @Nullable package var simulated: Values?
    /// How far the half that was fitted to lies from the simulation.
    @Nullable package var fittedDistance: Double?
    /// How far the half that was held out lies from the simulation: the distance that judges.
    @Nullable package var heldDistance: Double?
    /// How far the two halves lie from each other: no model can be held to less.
    @Nullable package var floor: Double?
    /// Why there is no distance; null where there is one.
    @Nullable package var missing: String?

    package init(_ figure: FitFigure) {
      self.figure = figure
      measure = figure.measure
    }
  }

  package struct Values: Equatable, Sendable, Codable {
    /// The number of values.
    package var count: Int
    /// The 10th percentile.
    @Nullable package var p10: Double?
    /// The median.
    @Nullable package var p50: Double?
    /// The 90th percentile.
    @Nullable package var p90: Double?
    /// The share of values greater than a value, from the least to the greatest, thinned.
    package var survival: [Point] = []

    /// A point of a curve.
    package struct Point: Equatable, Sendable, Codable {
      /// The value.
      package var at: Double
      /// The share of values that are greater, 0 ... 1.
      package var share: Double
    }

    static let pointsMax = 120

    /// nil with too few values.
    package init?(_ sample: LogSample, _ figure: FitFigure) {
      count = sample.count(of: figure)
      guard count >= figure.valuesMin else { return nil }
      switch figure {
      case .silences:
        // What the end cut short is censored, not as short as it was watched.
        let curve = KaplanMeier(sample.silences)
        p10 = curve.time(ofShare: 0.1)
        p50 = curve.median
        p90 = curve.time(ofShare: 0.9)
        survival = curve.thinned(to: Self.pointsMax).map {
          Point(at: $0.time, share: $0.survival)
        }
      case .hours: break
      case .intervals, .accuracy, .delays, .batches:
        let values = sample.values(of: figure)
        p10 = values.sortedQuantile(0.1, .inverse)
        p50 = values.sortedQuantile(0.5, .inverse)
        p90 = values.sortedQuantile(0.9, .inverse)
        survival = Self.thinned(values)
      }
    }

    /// Points where the curve has fallen by equal parts; ties are one step.
    private static func thinned(_ values: [Double]) -> [Point] {
      var points: [Point] = []
      var below = 0
      var dropped = 0.0
      while below < values.count {
        let value = values[below]
        var end = below
        while end < values.count, values[end] == value { end += 1 }
        dropped += Double(end - below)
        below = end
        let isLast = end == values.count
        if points.isEmpty || isLast || dropped * Double(pointsMax) >= Double(values.count) {
          points.append(Point(at: value, share: Double(values.count - end) / Double(values.count)))
          dropped = 0
        }
      }
      return points
    }
  }

  package var damage: String? {
    let lengths = [logHours.count, simulatedHours.count]
    return lengths.allSatisfy { $0 == 0 || $0 == 168 } ? nil : "its hours are not those of a week"
  }
}
