package import Figures

/// Is what a log says, what was fitted to it and how far the two lie apart, as a file: `fit.json`.
///
/// Two fits of one log, seed and options give equal bytes but for `command`, `machine` and
/// `timing`.
package struct FitRecord: Equatable, Sendable, StoredRecord {
  /// Is the version of the format that this program writes and reads.
  package static let schemaVersion = 1

  /// Is the version of the format in which the record was written.
  package var schema = FitRecord.schemaVersion
  /// Names the program that made the fit.
  package var tool = RunRecord.Tool()
  /// Holds the command line as it was given, word by word.
  package var command: [String] = []
  /// Is what the scenario, the policy and the profile are called.
  package var name = ""
  /// Keys all chance of the simulation.
  package var seed: UInt64 = 0
  /// Describes the machine on which the fit ran.
  package var machine = RunRecord.Machine()
  /// Holds when the fit began and how long it took, in wall time.
  package var timing = RunRecord.Timing()
  /// Is what the log is.
  package var log = Log()
  /// Is what the log says of its own; null of a log without two fixes of one phone.
  @Nullable package var start: FitStart?
  /// Holds every candidate that was simulated, in order.
  package var trials: [FitSearch.Trial] = []
  /// Is the nearest; null where nothing was simulated.
  @Nullable package var fitted: FitCandidate?
  /// Is how phones report their accuracy; null where the log does not say.
  @Nullable package var sensors: SensorEstimate?
  /// Counts the phones of the simulation.
  package var simulatedPhones = 0
  /// Counts the fixes of the simulation in the time of the log.
  package var simulatedFixes = 0
  /// Holds every figure, in the order of `FitFigure`.
  package var figures: [Figure] = []
  /// Counts the fixes of the log by hour of the week, from Monday 0 h.
  package var logHours: [Double] = []
  /// Counts those of the simulation; empty where nothing was simulated.
  package var simulatedHours: [Double] = []
  /// Is true where Ctrl-C ended the search before it was done.
  package var isInterrupted = false

  /// Makes an empty record of the current schema.
  package init() {}

  /// Describes a log.
  package struct Log: Equatable, Sendable, Codable {
    /// Names the files, as they were given.
    package var files: [String] = []
    /// Names the columns that it has.
    package var columns: [LogColumn] = []
    /// Counts what its rows were like.
    package var counts = LogCounts()
    /// Half sentences on what was made of rows and columns that are not what they seem; null: there
    /// are none.
    @Nullable package var notes: [String]?
    /// Counts its phones.
    package var phones = 0
    /// Counts its fixes.
    package var fixes = 0
    /// Is when the time that is looked at begins, on the place's clock.
    package var from = ""
    /// Is when it ends.
    package var until = ""
    /// Is how long it lasts, in seconds.
    package var seconds = 0.0
    /// Is the place's offset to UTC.
    package var utcOffset = "+00:00"
    /// Counts the phones that were fitted to.
    package var fittedPhones = 0
    /// Counts the phones that judge; 0: the log has one phone alone, and nothing is held out.
    package var heldPhones = 0
    /// Is where its fixes seem to come from; null without accuracies.
    @Nullable package var sources: SourceMix?
    /// Is what a battery loses in an hour while it falls, in points of a hundred; null where the
    /// log does not say.
    @Nullable package var batteryPerHour: Double?
    /// Counts the phones by the newest version of their app, the most first.
    package var versions: [Version] = []
    /// Makes a description of no log.
    package init() {}
  }

  /// Counts the phones of one version of the app.
  package struct Version: Equatable, Sendable, Codable {
    /// Is the version as the log has it.
    package var name: String
    /// Counts the phones that have it in their newest row.
    package var phones: Int
  }

  /// Is a figure of the log, of its simulation, and the distance between the two.
  package struct Figure: Equatable, Sendable, Codable {
    /// Names the figure.
    package var figure: FitFigure
    /// Is how the distance is measured.
    package var measure: DistanceMeasure
    /// Is what the log has; null: `missing` says why.
    @Nullable package var log: Values?
    /// Is what the simulation has.
    @Nullable package var simulated: Values?
    /// Is how far the half that was fitted to lies from the simulation.
    @Nullable package var fittedDistance: Double?
    /// Is how far the half that was held out lies from the simulation: the distance that judges.
    @Nullable package var heldDistance: Double?
    /// Is how far the two halves lie from each other: no model can be held to less.
    @Nullable package var floor: Double?
    /// Says why there is no distance; null where there is one.
    @Nullable package var missing: String?

    /// Makes a figure of which nothing is known.
    package init(_ figure: FitFigure) {
      self.figure = figure
      measure = figure.measure
    }
  }

  /// Sums up a sample.
  package struct Values: Equatable, Sendable, Codable {
    /// Counts the values.
    package var count: Int
    /// Is the 10th percentile.
    @Nullable package var p10: Double?
    /// Is the median.
    @Nullable package var p50: Double?
    /// Is the 90th percentile.
    @Nullable package var p90: Double?
    /// Is the share of values greater than a value, from the least to the greatest, thinned.
    package var survival: [Point] = []

    /// Is a point of a curve.
    package struct Point: Equatable, Sendable, Codable {
      /// Is the value.
      package var at: Double
      /// Is the share of values that are greater, 0 ... 1.
      package var share: Double
    }

    /// At most so many points of a curve are kept.
    static let pointsMax = 120

    /// Sums up a figure of a sample; nil of too few values.
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

    /// Where the curve has fallen by another part of the whole; ties are one step.
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

  /// Says that figures and hours do not fit together; nil when they do.
  package var damage: String? {
    let lengths = [logHours.count, simulatedHours.count]
    return lengths.allSatisfy { $0 == 0 || $0 == 168 } ? nil : "its hours are not those of a week"
  }
}
