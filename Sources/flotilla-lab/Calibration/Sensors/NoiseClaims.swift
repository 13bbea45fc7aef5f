internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// C16: the fixes of an app without a distance filter on a stationary phone. The band ends at one
/// change per second, the service's maximum. The share of repeated fixes, fitted to S34, dominates.
enum NoiseClaims {
  static let atRest = CalibrationGroup(
    "updates of a phone at rest", rows: ["C16"], measure: updates)

  private static func updates(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let fleet = try TracedFleet(
      bench, "claims", seed: bench.seeds.seed(16),
      settings: [
        "fleet.phones=60", "duration=6h", "warmStart=2h",
        "fleet.cohorts[0].policy={ base: owntracks-move, app: { showsIndicator: true } }",
      ])
    let phones = fleet.traces.map { Rest(fleet.measured($0)) }
    return [
      CalibrationRow(
        id: "C16", claim: "without a filter, a phone at rest reports many changes (per hour)",
        source: "S4", profile: fleet.profile, kind: .fitted, unit: "/h", band: Band(50, 3_600),
        measured: UnitBootstrap.estimate(phones, seed: bench.seeds.seed(0)) { phones in
          let hours = phones.reduce(0) { $0 + $1.hours }
          return hours > 0 ? Double(phones.reduce(0) { $0 + $1.changes }) / hours : nil
        })
    ]
  }

  private struct Rest {
    var hours = 0.0
    var changes = 0

    init(_ entries: [(at: SimInstant, what: TraceEvent)]) {
      // Before its first move, a phone is at home.
      var isMoving = false
      var last: (at: SimInstant, place: Coordinate)?
      for entry in entries {
        if case .truth(let segment, _) = entry.what { isMoving = segment.isMoving }
        guard case .fix(let fix, .standard?, _, _) = entry.what, !isMoving else { continue }
        if let last, fix.time.instant - last.at < .minutes(2) {
          hours += (fix.time.instant - last.at).seconds / 3_600
          changes += fix.coordinate == last.place ? 0 : 1
        }
        last = (fix.time.instant, fix.coordinate)
      }
    }
  }
}
