package import Core
internal import Foundation
internal import Scenarios

/// A statistic of recorded phones, and of simulated phones on the same movements, for the held-out
/// half of the recordings. The test is not blind, since the profile's statistics include that half.
/// Only rows to which no parameter was fitted are predictions.
package struct RecordedComparison: Sendable {
  package var id: String
  package var measure: String
  package var unit: String
  package var fitHalf: Double?
  package var heldOut: Double?
  /// The statistic over simulated phones on the held-out movements; nil if it cannot be computed.
  package var simulated: Double?
  /// The ratio `simulated` ÷ `heldOut`, with the interval of the held-out recordings.
  package var ratio: Ratio?

  /// The row of the comparison, with a band of a factor of two, because recordings differ as much.
  package var row: CalibrationRow {
    let suffix = unit.isEmpty ? "" : " \(unit)"
    func text(_ value: Double?) -> String { value.map { Figure.quantity($0) + suffix } ?? "–" }
    return CalibrationRow(
      id: id,
      claim: "\(measure): fit half \(text(fitHalf)), held out \(text(heldOut)), "
        + "simulated \(text(simulated)); simulated over held out",
      source: "recorded phones", profile: "sensors standard",
      kind: Self.predicted.contains(id) ? .predicted : .fitted, unit: "",
      band: Band(0.5, 2), measured: ratio,
      note: heldOut == nil
        ? "no recording of the held-out half; give its folder with --data."
        : why)
  }

  private var why: String {
    switch id {
    case "R2", "R3":
      "people take steps while waiting, and the recordings do not show when."
    case "R11", "R12": "the second device of the held-out walk is a sports watch outdoors."
    default: "the held-out half has few recordings; see its interval."
    }
  }

  /// - Parameter simulated: The units that were simulated on the movements of the held-out half.
  init<Unit>(
    _ id: String, _ measure: String, _ unit: String, fit: [Unit], heldOut: [Unit],
    simulated: [Unit], seed: UInt64, _ statistic: ([Unit]) -> Double?
  ) {
    self.id = id
    self.measure = measure
    self.unit = unit
    fitHalf = statistic(fit)
    self.heldOut = statistic(heldOut)
    let simulation = statistic(simulated)
    self.simulated = simulation
    ratio =
      heldOut.isEmpty
      ? nil
      : UnitBootstrap.estimate(heldOut, seed: seed, resamples: 200) { units in
        guard let simulation, let recorded = statistic(units), recorded > 0 else { return nil }
        return simulation / recorded
      }
  }

  // MARK: All

  private static let predicted = ["R10", "R11", "R12"]

  package static let ids = (1...14).map { "R\($0)" }

  package static let group = CalibrationGroup("recorded phones", rows: ids) { bench in
    try all(bench).map(\.row)
  }

  package static func all(_ bench: CalibrationBench) throws -> [RecordedComparison] {
    let seed = bench.seeds.seed(31)
    let simulation = try SensorSimulation(bench, seed: seed)
    let files = bench.dataFolder.map(SensorFiles.init)
    return try atRest(files, simulation, phones: 40) + onTheRide(files, simulation, phones: 8)
      + reported(files, simulation)
  }

  // MARK: At rest

  static func atRest(
    _ files: SensorFiles?, _ simulation: SensorSimulation, phones: Int
  ) throws -> [RecordedComparison] {
    let fit = try files?.survey(SensorFiles.surveyFitted).flatMap(SensorDwell.all) ?? []
    let traces = try files?.survey(SensorFiles.surveyHeldOut) ?? []
    let pairs = traces.flatMap { trace in SensorDwell.all(in: trace).map { (trace, $0) } }
    let simulated = pairs.enumerated().flatMap { number, pair in
      (0..<phones).map { phone in
        DwellMetrics(
          simulation.resting(like: pair.1, in: pair.0, phone: number * phones + phone))
      }
    }
    let fitted = fit.map { DwellMetrics($0.points) }
    let held = pairs.map { DwellMetrics($0.1.points) }
    func compare(
      _ id: String, _ measure: String, _ unit: String, _ statistic: ([DwellMetrics]) -> Double?
    ) -> RecordedComparison {
      RecordedComparison(
        id, "at rest, " + measure, unit, fit: fitted, heldOut: held, simulated: simulated,
        seed: simulation.seed, statistic)
    }
    return [
      compare("R1", "radius of 68 % (median dwell)", "m") { Sample.median($0.map(\.inner)) },
      compare("R2", "radius of 95 %", "m") { Sample.median($0.map(\.outer)) },
      compare("R3", "farthest fix", "m") { Sample.median($0.map(\.farthest)) },
      compare("R4", "share of repeated fixes", "") { Sample.mean($0.map(\.repeated)) },
      compare("R5", "step length, median", "m") { Sample.median($0.flatMap(\.steps)) },
      compare("R6", "step length, 95th percentile", "m") {
        Sample.quantile($0.flatMap(\.steps), 0.95)
      },
      compare("R7", "correlation time (median dwell)", "s") {
        Sample.median($0.compactMap(\.correlation))
      },
    ]
  }

  // MARK: Rides

  /// Compares two phones and a logger on a bicycle (Winchester, planned route as truth), and a
  /// phone and a watch on a walk (Vincennes). Only the Moto's cross-track error is not held out.
  static func onTheRide(
    _ files: SensorFiles?, _ simulation: SensorSimulation, phones: Int
  ) throws -> [RecordedComparison] {
    let ride = try files.flatMap { try WinchesterRide($0, simulation) }
    let walk = try files.flatMap { try VincennesWalk($0, simulation) }
    let seed = simulation.seed
    let across = ride.map { ride in (0..<phones).map { ride.simulated($0) } } ?? []
    func compare(
      _ id: String, _ measure: String, _ unit: String,
      _ statistic: ([[SensorTrace.Point]]) -> Double?
    ) -> RecordedComparison {
      RecordedComparison(
        id, measure, unit, fit: ride.map { [$0.moto] } ?? [],
        heldOut: ride.map { [$0.xiaomi] } ?? [], simulated: across, seed: seed, statistic)
    }
    func apart(
      _ id: String, _ measure: String, _ statistic: ([[Double]]) -> Double?
    ) -> RecordedComparison {
      RecordedComparison(
        id, measure, "m", fit: ride.map { [$0.apart] } ?? [],
        heldOut: walk.map { [$0.apart] } ?? [],
        simulated: walk.map { walk in (0..<phones).map { walk.simulated($0) } } ?? [], seed: seed,
        statistic)
    }
    func distances(_ rides: [[SensorTrace.Point]]) -> [Double] {
      rides.flatMap { $0.map { abs($0.place.x) } }
    }
    return [
      compare("R8", "cross-track error of a ride, median", "m") { Sample.median(distances($0)) },
      compare("R9", "cross-track error of a ride, 95th percentile", "m") {
        Sample.quantile(distances($0), 0.95)
      },
      compare("R10", "correlation time of the cross-track error", "s") { rides in
        Sample.median(rides.compactMap(DwellMetrics.correlation))
      },
      apart("R11", "distance between two devices of one person, median") {
        Sample.median($0.flatMap(\.self))
      },
      apart("R12", "distance between two devices, 95th percentile") {
        Sample.quantile($0.flatMap(\.self), 0.95)
      },
    ]
  }

  // MARK: Reported accuracy

  static func reported(
    _ files: SensorFiles?, _ simulation: SensorSimulation
  ) throws -> [RecordedComparison] {
    let fit = try files.map { try SensorFiles.busFitted.map($0.accuracies) } ?? []
    let held = try files.map { try SensorFiles.busHeldOut.map($0.accuracies) } ?? []
    let simulated =
      files == nil ? [] : MovingMetrics.of(simulation, people: 20).map(\.reported)
    return [("R13", "median", 0.5), ("R14", "95th percentile", 0.95)].map { id, name, q in
      RecordedComparison(
        id, "reported GPS accuracy, \(name)", "m", fit: fit, heldOut: held, simulated: simulated,
        seed: simulation.seed
      ) { Sample.quantile($0.flatMap(\.self), q) }
    }
  }
}
