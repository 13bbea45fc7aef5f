package import Core
package import Figures

/// The results of a fit, stored as `fit.json`. Equal inputs give equal files.
package struct FitRecord: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = FitRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var name = ""
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var log = Log()
  /// The estimate before any simulation; null if no phone has two fixes.
  @Nullable package var start: FitStart?
  package var trials: [FitSearch.Trial] = []
  @Nullable package var fitted: FitCandidate?
  /// The ranges of the fitted values. Null in older records, and if no range can be determined.
  @Nullable package var ranges: FitRanges?
  @Nullable package var sensors: SensorEstimate?
  package var simulatedPhones = 0
  package var simulatedFixes = 0
  package var figures: [Figure] = []
  /// The number of fixes of the log by hour of the week, from Monday 0 h.
  package var logHours: [Double] = []
  /// The number of simulated fixes by hour of the week; empty if nothing was simulated.
  package var simulatedHours: [Double] = []
  package var isInterrupted = false

  package init() {}

  package struct Log: Equatable, Sendable, Codable {
    package var files: [String] = []
    package var columns: [LogColumn] = []
    package var counts = LogCounts()
    /// Clauses on the interpretation of ambiguous rows and columns; null if there are none.
    @Nullable package var notes: [String]?
    package var phones = 0
    package var fixes = 0
    package var from = ""
    package var until = ""
    package var seconds = 0.0
    package var utcOffset = "+00:00"
    package var fittedPhones = 0
    /// The number of held-out phones; 0 if the log has only one phone.
    package var heldPhones = 0
    @Nullable package var sources: SourceMix?
    /// The loss of a discharging battery in percentage points per hour; null if the log lacks it.
    @Nullable package var batteryPerHour: Double?
    package var versions: [Version] = []
    package init() {}
  }

  package struct Version: Equatable, Sendable, Codable {
    package var name: String
    package var phones: Int
  }

  package struct Figure: Equatable, Sendable, Codable {
    package var figure: FitFigure
    package var measure: DistanceMeasure
    @Nullable package var log: Values?
    @Nullable package var simulated: Values?
    @Nullable package var fittedDistance: Double?
    /// The distance between the held-out half and the simulation: the result of the test.
    @Nullable package var heldDistance: Double?
    /// The distance between the two halves; no model can be expected to be closer.
    @Nullable package var floor: Double?
    @Nullable package var missing: String?

    package init(_ figure: FitFigure) {
      self.figure = figure
      measure = figure.measure
    }
  }

  package struct Values: Equatable, Sendable, Codable {
    package var count: Int
    @Nullable package var p10: Double?
    @Nullable package var p50: Double?
    @Nullable package var p90: Double?
    /// Points of the survival curve, ascending: each has a value and the share of greater values.
    package var survival: [Point] = []

    package struct Point: Equatable, Sendable, Codable {
      package var at: Double
      package var share: Double
    }

    static let pointsMax = 120

    /// Summarises a figure of a sample; nil with too few values.
    package init?(_ sample: LogSample, _ figure: FitFigure) {
      count = sample.count(of: figure)
      guard count >= figure.valuesMin else { return nil }
      switch figure {
      case .silences:
        // A silence cut short by the window's end is censored, as its full length is unknown.
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

    /// Returns the points where the survival has fallen by equal parts; equal values are one point.
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
    return lengths.allSatisfy { $0 == 0 || $0 == 168 }
      ? Facts(self).damage : "its hours are not those of a week"
  }
}
