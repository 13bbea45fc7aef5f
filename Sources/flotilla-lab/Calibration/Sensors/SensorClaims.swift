internal import Core
internal import Phone
internal import Scenarios

/// S30–S43: the sensor rows of the statistics of recorded traces, sections 3, 4 and 7.
enum SensorClaims {
  static let group = CalibrationGroup(
    "sensors",
    rows: [
      "S30", "S31", "S32", "S33", "S34", "S35", "S36", "S37", "S38", "S39", "S40", "S41", "S42",
      "S43",
    ], measure: { try rows($0, dwells: 120, people: 30, resamples: 60) })

  static func rows(
    _ bench: CalibrationBench, dwells: Int, people: Int, resamples: Int
  ) throws -> [CalibrationRow] {
    let seed = bench.seeds.seed(30)
    let simulation = try SensorSimulation(bench, seed: seed)
    let rest = (0..<dwells).map { DwellMetrics(simulation.dwell($0)) }
    let moving = MovingMetrics.of(simulation, people: people)
    return atRest(rest, seed, resamples) + onTheWay(moving, seed, resamples)
  }

  private struct Resampling<Unit> {
    let units: [Unit]
    let seed: UInt64
    let resamples: Int

    func callAsFunction(
      _ id: String, _ claim: String, _ unit: String, _ band: Band,
      _ statistic: ([Unit]) -> Double?
    ) -> CalibrationRow {
      CalibrationRow(
        id: id, claim: claim, source: "STATS 3, 7", profile: "sensors standard", kind: .fitted,
        unit: unit, band: band,
        measured: UnitBootstrap.estimate(
          units, seed: seed, resamples: resamples, statistic: statistic))
    }
  }

  // MARK: At rest

  private static func atRest(_ dwells: [DwellMetrics], _ seed: UInt64, _ resamples: Int)
    -> [CalibrationRow]
  {
    let row = Resampling(units: dwells, seed: seed, resamples: resamples)
    return [
      row("S30", "at rest, 68 % of the fixes are within 2 m (median dwell)", "m", Band(1, 3)) {
        Sample.median($0.map(\.inner))
      },
      row("S31", "at rest, 95 % are within 8 m (median dwell)", "m", Band(4, 12)) {
        Sample.median($0.map(\.outer))
      },
      row("S32", "the farthest fix of a dwell is 20 m away (median)", "m", Band(10, 40)) {
        Sample.median($0.map(\.farthest))
      },
      row("S33", "the farthest fix is 1.8 km away (p95)", "m", Band(600, 5_000)) {
        Sample.quantile($0.map(\.farthest), 0.95)
      },
      row("S34", "at rest, 55 % of the fixes repeat (share)", "", Band(0.35, 0.75)) {
        Sample.mean($0.map(\.repeated))
      },
      row("S35", "step length at rest, 0.29 m (median)", "m", Band(0.15, 0.6)) {
        Sample.median($0.flatMap(\.steps))
      },
      row("S36", "step length at rest, 2.5 m (p95)", "m", Band(1.25, 5)) {
        Sample.quantile($0.flatMap(\.steps), 0.95)
      },
      row("S37", "correlation time of the error at rest, 50 s (median dwell)", "s", Band(25, 100)) {
        Sample.median($0.compactMap(\.correlation))
      },
    ]
  }

  // MARK: In motion

  private static func onTheWay(_ people: [MovingMetrics], _ seed: UInt64, _ resamples: Int)
    -> [CalibrationRow]
  {
    let row = Resampling(units: people, seed: seed, resamples: resamples)
    return [
      row("S38", "correlation time of the error in streets, 20 s", "s", Band(10, 40)) {
        forgotten($0.flatMap(\.streets))
      },
      row("S39", "spread of the error in motion, 2 to 3.4 m per axis", "m", Band(2, 3.4)) {
        people in
        rootMeanSquare(people.flatMap(\.along))
      },
      row("S40", "cross-track error differs by metres between phones (spread)", "m", Band(1, 4)) {
        rootMeanSquare($0.compactMap { Sample.mean($0.across) })
      },
      row("S41", "reported GPS accuracy, 6 m (median)", "m", Band(4.2, 7.8)) {
        Sample.median($0.flatMap(\.reported))
      },
      row("S42", "reported GPS accuracy, 15 m (p95)", "m", Band(10.5, 19.5)) {
        Sample.quantile($0.flatMap(\.reported), 0.95)
      },
      row("S43", "68 % of true errors are within the reported accuracy", "", Band(0.58, 0.78)) {
        people in
        let all = people.reduce(0) { $0 + $1.reported.count }
        return all == 0 ? nil : Double(people.reduce(0) { $0 + $1.within }) / Double(all)
      },
    ]
  }

  private static func rootMeanSquare(_ values: [Double]) -> Double? {
    Sample.mean(values.map { $0 * $0 }).map { $0.squareRoot() }
  }

  private static func forgotten(_ series: [[Double]]) -> Double? {
    let power = series.reduce(0) { $0 + $1.reduce(0) { $0 + $1 * $1 } }
    let count = Double(series.reduce(0) { $0 + $1.count })
    guard count > 0 else { return nil }
    for lag in 1..<120 {
      var (sum, pairs) = (0.0, 0)
      for one in series where one.count > lag {
        for i in 0..<(one.count - lag) { sum += one[i] * one[i + lag] }
        pairs += one.count - lag
      }
      if sum / Double(pairs) < power / count * 0.367_879 { return Double(lag) }
    }
    return 120
  }
}

extension SensorSimulation {
  fileprivate func dwell(_ number: Int) -> [SensorTrace.Point] {
    let error = PositionError(seed: seed, profile: sensors)
    let stay = MovingMetrics.monday + .seconds(Int64(number) * 977)
    let phone = PhoneID(rawValue: UInt32(number))
    return (0..<2_400).map { second in
      let held = error.held(at: stay + .seconds(Int64(second)), phone: phone, stay: stay)
      let reported = error.resting(at: held, phone: phone, stay: stay, .wifi, .indoor)
      return SensorTrace.Point(seconds: Double(second), place: reported.offset)
    }
  }
}
