@testable import Capacity
import Core
import Figures
@testable import Report

/// A study of three parameters, with round numbers.
enum SensitivityFixture {
  static let record: SensitivityRecord = {
    var record = SensitivityRecord()
    record.scenario.name = "city"
    record.scenario.phones = 300
    record.scenario.durationSeconds = 21_600
    record.scenario.warmStartSeconds = 86_400
    record.seed = 42
    record.runs.stars = 4
    record.runs.points = 64
    record.runs.planned = 85
    record.runs.done = 85
    record.runs.pointsDone = 64
    record.parameters = parameters
    record.held = [
      .init(path: "profiles.os[].pauseTrap", reason: .choice),
      .init(path: "fleet.phone.always", reason: .outside),
    ]
    record.figures = [fresh, battery]
    return record
  }()

  private static var parameters: [SensitivityRecord.Parameter] {
    let rows = [
      ("profiles.os[ios17].regions.cushion", "100m", "50m", "200m"),
      ("push.phone.perDay", "30", "10", "60"), ("fleet.phone.offline", "5%", "1%", "15%"),
    ]
    return rows.map { path, value, low, high in
      var parameter = SensitivityRecord.Parameter(path: path, value: value, low: low, high: high)
      parameter.source = "a <source>"
      return parameter
    }
  }

  private static var fresh: SensitivityRecord.Figure {
    var figure = SensitivityRecord.Figure(.freshness)
    figure.value = 0.459
    figure.sampled = Ratio(value: 0.459, low: 0.421, high: 0.495)
    figure.points = (0..<64).map { 0.4 + Double($0) / 500 }
    figure.model = SensitivityRecord.Model(of: figure.points.compactMap { $0 })
    figure.otherSeed = 0.019
    figure.effects = [
      effect(0, [-0.08, -0.04]), effect(2, [0.02, -0.02]), effect(1, [0, 0]),
    ].compactMap { $0 }
    return figure
  }

  private static var battery: SensitivityRecord.Figure {
    var figure = SensitivityRecord.Figure(.battery)
    figure.value = 1.24
    return figure
  }

  private static func effect(_ parameter: Int, _ values: [Double]) -> SensitivityRecord.Effect? {
    var effects = ElementaryEffects()
    for value in values { effects.add(from: 0, to: 1, base: 0, moved: value) }
    return SensitivityRecord.Effect(parameter: parameter, effects)
  }
}

enum SweepFixture {
  /// A grid in which every figure of point n is about n.
  static func record(_ axes: (String, [String])...) -> SweepRecord {
    var record = SweepRecord()
    record.scenario.name = "city"
    record.scenario.phones = 100
    record.command = [
      "flotilla", "simulate", "city", "--sweep", "a=1,2", "--out", "x", "--seed", "3",
    ]
    record.freshWithinSeconds = 1_800
    record.axes = axes.map {
      .init(key: $0.0, values: $0.1, places: $0.1.compactMap { Double($0) }, isGeometric: false)
    }
    for i in record.axes.indices
    where record.axes[i].places?.count != record.axes[i].values.count {
      record.axes[i].places = nil
    }
    var grid: [[String]] = [[]]
    for axis in axes { grid = grid.flatMap { head in axis.1.map { head + [$0] } } }
    record.planned = grid.count
    for (n, values) in grid.enumerated() {
      var point = SweepRecord.Point(
        number: n, values: values, verdict: .pass, world: "w", behaviour: "b")
      let share = Double(n + 1) / Double(grid.count + 1)
      point.answered = Ratio(value: share, low: share * 0.9, high: share * 1.1)
      point.uplift = Ratio(value: share - 0.3, low: share - 0.4, high: share - 0.2)
      for figure in StudyFigure.swept where figure != .answered && figure != .uplift {
        let size = figure.unit == .share ? share : Double(n + 1)
        point.figures[figure.key] = Ratio(value: size, low: size * 0.8, high: size * 1.2)
      }
      point.isFreshest = n >= grid.count - 2
      record.points.append(point)
    }
    record.freshest = grid.count - 1
    record.judge()
    return record
  }
}

enum PoliciesFixture {
  /// Policies clustered in one corner, with the longest names.
  static func record(_ count: Int) -> ComparisonRecord {
    var record = ComparisonRecord()
    record.scenario.name = "city"
    record.scenario.phones = 100
    record.phones = ["reachable": 44, "installed": 100]
    record.freshWithinSeconds = 1_800
    record.locatedWithinMeters = 500
    record.world = "w"
    for n in 0..<count {
      var policy = ComparisonRecord.Policy(
        name: "policy-with-a-name-\(n)", verdict: .pass, world: "w", behaviour: "b\(n)",
        answered: nil)
      for population in ComparisonRecord.Population.allCases {
        for measure in StudyFigure.compared {
          let value = measure == .freshness ? 0.5 + Double(n) * 0.01 : 1.5 + Double(n) * 0.04
          policy.measures.append(
            .init(
              measure, population,
              value: Ratio(value: value, low: value * 0.98, high: value * 1.02),
              difference: n == 0
                ? nil : Ratio(value: 0.1, low: measure == .located ? -0.1 : 0.05, high: 0.2)))
        }
      }
      record.policies.append(policy)
    }
    return record
  }
}

enum OverloadFixture {
  static var record: OverloadRecord {
    var record = OverloadRecord(
      latencyLimitMicroseconds: 50_000, factor: 3, fixesPerBatch: 20, connections: 16,
      isPinned: true, store: "sqlite")
    record.search = [
      .init(
        plannedPerSecond: 1_000, offeredPerSecond: 1_001, acknowledgedPerSecond: 1_000,
        p99Microseconds: 4_000, isSustained: true, collectorCores: 0.8)
    ]
    for second in 0..<40 {
      let phase: OverloadRecord.Phase =
        second < 10 ? .before : second < 30 ? .overload : .after
      var row = OverloadRecord.Second(second: second, phase: phase)
      row.offered = phase == .overload ? 3_000 : 500
      row.acknowledged = phase == .overload ? 950 : 500
      row.shed = row.offered - row.acknowledged
      row.p99Microseconds = phase == .overload ? 18_000 : 4_000
      row.collectorBytes = 40_000_000
      row.collectorCores = phase == .overload ? 0.8 : 0.4
      record.seconds.append(row)
    }
    return record
  }
}

enum ReconnectFixture {
  static var record: ReconnectRecord {
    var record = ReconnectRecord(phones: 2_000, atOnce: 500, carrier: "grpc", isPinned: true)
    for hasTickets in [false, true] {
      var storm = ReconnectRecord.Storm(hasTickets: hasTickets)
      for number in 1...4 {
        var step = ReconnectRecord.Step(second: Double(number) / 2)
        (step.full, step.resumed) = hasTickets ? (0, 500) : (500, 0)
        step.served = 500 * number
        (step.collectorCores, step.generatorCores) = (0.6, 1)
        storm.steps.append(step)
      }
      (storm.served, storm.servedAfter) = (2_000, 2)
      (storm.collectorSeconds, storm.generatorSeconds) = (0.8, 1.2)
      record.storms.append(storm)
    }
    return record
  }
}

/// A log of four phones, and its fit.
enum FitFixture {
  static func record(isSimulated: Bool) throws -> FitRecord {
    var csv = "phone,time,received,accuracy\n"
    for phone in 0..<4 {
      for minute in 0..<200 {
        let time = 1_772_409_600 + minute * 60 + minute % 2 * 10 + phone
        csv += "phone \(phone),\(time),\(time + 5 + minute % 3),\(minute % 3 == 0 ? 65 : 5)\n"
      }
    }
    var reader = LogReader()
    reader.begin("a.csv")
    try reader.take(Array(csv.utf8))
    try reader.end()
    guard let study = LogStudy(try reader.finish()) else { return FitRecord() }
    var record = FitRecord()
    record.name = "<fixes>"
    record.log = study.describe(files: ["a.csv"])
    record.figures = study.figures(isSimulated ? study.whole : nil)
    record.logHours = study.whole.hours
    guard isSimulated else { return record }
    record.simulatedHours = study.whole.hours
    let candidate = FitCandidate(.moving, seconds: 60, meters: 100, sendSeconds: 0, maxFixes: 1)
    record.trials = [.init(candidate: candidate, loss: 0.125)]
    record.fitted = candidate
    record.ranges = FitRanges(
      policies: 14, share: 0.125,
      values: [
        .init(key: .seconds, low: 48, high: 71, triedLow: 24, triedHigh: 150),
        .init(key: .offline, low: 0.001, high: 0.095, triedLow: 0, triedHigh: 0.1),
      ], unmet: [.silence])
    return record
  }
}
