internal import Core
internal import Scenarios

/// The rows M1 … M36.
enum MovementRows {
  static let group = CalibrationGroup(
    "movement", rows: kinds.indices.map { "M\($0 + 1)" }, measure: measure)

  /// The scenarios. Commutes in the country vary widely, so that their shares need more people.
  private static let scenarios = [("city", people: 600), ("country", people: 1_500)]
  /// The number of resamples, enough for two digits in a bootstrap of 600 people.
  private static let resamples = 100

  private static let kinds: [(measure: String, kind: RowKind)] = [
    ("speed.walk", .fitted), ("speed.bicycle", .fitted), ("speed.tram", .fitted),
    ("speed.bus", .fitted), ("speed.car", .fitted), ("stops.tram", .constructed),
    ("stops.bus", .constructed), ("stop.p50", .constructed), ("stop.p95", .constructed),
    ("stays", .fitted), ("stay.mu", .fitted), ("stay.sigma", .fitted), ("trip.mu", .fitted),
    ("trip.sigma", .fitted), ("trip.detour", .fitted), ("gyration.day", .predicted),
    ("gyration.user", .predicted), ("slope", .predicted), ("place.first", .fitted),
    ("place.second", .fitted), ("place.hours1", .constructed), ("place.hours2", .constructed),
    ("place.growth", .fitted), ("places", .fitted), ("motifs", .predicted),
    ("home.days", .fitted), ("hours.trips", .constructed), ("hours.work", .constructed),
    ("trips", .fitted), ("travel.time", .fitted), ("travel.distance", .fitted),
    ("mode.car", .fitted), ("mode.walk", .fitted), ("commute.mean", .fitted),
    ("commute.short", .fitted), ("commute.long", .fitted),
  ]

  private static let notes = [
    "slope": """
    commutes of 27.6 min are mostly 5–15 km long and flatten the power law; shorter errands would \
    not match distance and commute.
    """
  ]

  private static func measure(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let seed = bench.seeds.seed(20)
    let figures = try scenarios.map { name, people in
      MovementMetrics(
        try bench.library.load(name, settings: ["seed=\(seed)"]), people: people)
    }
    return kinds.enumerated().compactMap { number, entry in
      guard let one = figures.lazy.compactMap({ $0[entry.measure] }).first,
        let source = figures.first(where: { $0.scenario == one.scenario }),
        let measure = source[entry.measure]
      else { return nil }
      return CalibrationRow(
        id: "M\(number + 1)", claim: measure.claim, source: measure.source,
        profile: "\(measure.scenario) people", kind: entry.kind, unit: measure.unit,
        band: Band(measure.band.lowerBound, measure.band.upperBound),
        measured: UnitBootstrap.estimate(
          Array(0..<measure.people), seed: seed, resamples: resamples,
          statistic: measure.figure(of:)),
        note: notes[entry.measure] ?? "")
    }
  }
}
