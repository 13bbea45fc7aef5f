internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// C3, C9, C10, C11: the rate of wakes of a suspended tracker, and its position error.
enum WakeClaims {
  static let significantChange = CalibrationGroup(
    "significant changes", rows: ["C3a", "C3b", "C9a", "C9b"], measure: significantChanges)
  static let regions = CalibrationGroup(
    "regions and visits", rows: ["C10a", "C10b", "C11"], measure: regionsAndVisits)

  /// The settings of the old phones in S2: the legacy service and a system of its time.
  private static let legacy = [
    "fleet.cohorts[0].os=ios7", "fleet.cohorts[0].significantChange=legacy",
    "fleet.cohorts[0].policy=significant-change",
  ]

  // MARK: C3, C9

  private static func significantChanges(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let fleet = try TracedFleet(bench, "claims", seed: bench.seeds.seed(3), settings: legacy)
    let changes = fleet.traces.map { Self.changes(fleet.measured($0)) }
    let seed = bench.seeds.seed(0)
    return [
      CalibrationRow(
        id: "C3a", claim: "a significant change every 10–15 min while moving (median gap)",
        source: "S2 (iOS 4–7)", profile: fleet.profile, kind: .fitted, unit: "min",
        band: Band(10, 15),
        measured: UnitBootstrap.estimate(changes, seed: seed) { phones in
          Sample.median(phones.flatMap(\.gapMinutes))
        },
        note: """
          only gaps below one hour within one movement count; the cadence results from the trigger \
          distance of the 2010 field test and the latency.
          """),
      CalibrationRow(
        id: "C3b", claim: "a change's error is at most 500 m (median)", source: "S2",
        profile: fleet.profile, kind: .assumed, unit: "m", band: Band(100, 500),
        measured: UnitBootstrap.estimate(changes, seed: seed) { phones in
          Sample.median(phones.flatMap(\.errorMeters))
        }),
    ] + distances(fleet, seed: seed)
  }

  private struct Changes {
    var gapMinutes: [Double] = []
    var errorMeters: [Double] = []
  }

  private static func changes(_ entries: [(at: SimInstant, what: TraceEvent)]) -> Changes {
    var found = Changes()
    var isMoving = false
    var last: SimInstant?
    for entry in entries {
      if case .truth(let segment, _) = entry.what {
        isMoving = segment.isMoving
        // A stay of minutes between two legs is a change of vehicles, not the end of a trip.
        if !isMoving, segment.duration > .minutes(15) { last = nil }
      }
      guard case .fix(_, .imprecise?, let off, _) = entry.what, isMoving else { continue }
      found.errorMeters.append(off)
      if let last, entry.at - last < .hours(1) {
        found.gapMinutes.append((entry.at - last).seconds / 60)
      }
      last = entry.at
    }
    return found
  }

  private static func distances(_ fleet: TracedFleet, seed: UInt64) -> [CalibrationRow] {
    let phones = LivedPhone.all(of: fleet).map(\.betweenChanges)
    func share(within meters: Double) -> Ratio? {
      UnitBootstrap.estimate(phones, seed: seed) { phones in
        let all = phones.flatMap { $0 }
        return all.isEmpty ? nil : Double(all.count { $0 <= meters }) / Double(all.count)
      }
    }
    let note =
      "the profile's trigger distance was set from this claim; the row measures delivered changes."
    return [
      CalibrationRow(
        id: "C9a", claim: "half of the significant changes occur within 750 m",
        source: "field test 2010", profile: fleet.profile, kind: .fitted, unit: "",
        band: Band(0.45, 0.55), measured: share(within: 750), note: note),
      CalibrationRow(
        id: "C9b", claim: "95 % of the changes occur within 2,500 m", source: "field test 2010",
        profile: fleet.profile, kind: .fitted, unit: "",
        band: Band(0.90, 1), measured: share(within: 2_500), note: note),
    ]
  }

  // MARK: C10, C11

  private static func regionsAndVisits(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let seed = bench.seeds.seed(10)
    let hybrid = try TracedFleet(bench, "claims", seed: seed)
    let wakes = hybrid.traces.map { Self.wakes(hybrid.measured($0), hybrid) }
    let without = try TracedFleet(
      bench, "claims", seed: seed,
      settings: ["fleet.cohorts[0].policy={ base: hybrid, significantChange: false }"])
    let visits = zip(wakes, without.traces.map { Self.wakes(without.measured($0), without) })
      .map { (with: $0.visits, without: $1.visits) }
    return [
      CalibrationRow(
        id: "C10a", claim: "on foot, a 100 m region reports its exit after about 200 m (median)",
        source: "Apple",
        profile: hybrid.profile, kind: .constructed, unit: "m", band: Band(180, 300),
        measured: UnitBootstrap.estimate(wakes, seed: seed) { phones in
          Sample.median(phones.flatMap(\.exitMeters))
        }),
      CalibrationRow(
        id: "C10b", claim: "region exits are the most frequent wakes (over the next most frequent)",
        source: "S3", profile: hybrid.profile, kind: .predicted, unit: "×", band: Band(1, nil),
        measured: UnitBootstrap.estimate(wakes, seed: seed) { phones in
          let exits = phones.reduce(0) { $0 + $1.exits }
          let next = max(
            phones.reduce(0) { $0 + $1.changes }, phones.reduce(0) { $0 + $1.visits })
          return next > 0 ? Double(exits) / Double(next) : nil
        }),
      CalibrationRow(
        id: "C11", claim: "visits become rarer without significant changes (ratio)",
        source: "S3", profile: hybrid.profile, kind: .assumed, unit: "", band: Band(0, 0.8),
        measured: UnitBootstrap.estimate(visits, seed: seed) { phones in
          let with = phones.reduce(0) { $0 + $1.with }
          return with > 0 ? Double(phones.reduce(0) { $0 + $1.without }) / Double(with) : nil
        }),
    ]
  }

  private struct Wakes {
    var exits = 0
    var changes = 0
    var visits = 0
    var exitMeters: [Double] = []
  }

  private static func wakes(
    _ entries: [(at: SimInstant, what: TraceEvent)], _ fleet: TracedFleet
  ) -> Wakes {
    var found = Wakes()
    var segment: Segment?
    var centre: Coordinate?
    for (at, what) in entries {
      switch what {
      case .truth(let next, _): segment = next
      case .command(.monitorRegion(let here, _)): centre = here
      case .delivered(.regionExited(.imprecise, _)):
        found.exits += 1
        guard let segment, let centre, segment.mode == .walk, segment.isMoving else { continue }
        let point = fleet.scenario.projection.point(of: centre)
        found.exitMeters.append(segment.position(at: at).distance(to: point))
      case .delivered(.visit): found.visits += 1
      case .fix(_, .imprecise?, _, _): found.changes += 1
      case .edge, .process, .authorized, .crashed, .delivered, .fix, .command, .outbox,
        .pushRequested,
        .pushEnded, .stored, .cause, .live, .region, .consent:
        break
      }
    }
    return found
  }
}
