internal import Core
internal import Fleet
internal import Phone
internal import Push
internal import Scenarios

/// C13, C14: the silent pushes that wake an app.
enum PushClaims {
  static let rules = CalibrationGroup(
    "rules of silent pushes", rows: ["C13a", "C13b", "C13c", "C13d"], measure: exact)
  static let coverage = CalibrationGroup(
    "silent pushes of the default mix", rows: ["C14"], measure: coverage)

  private static let sixAnHour = [
    "fleet.phones=60", "push.scheduler=fixed", "push.silentAfter=10min", "push.spacing=10min",
    "fleet.cohorts[0].policy="
      + "{ base: hybrid, significantChange: false, visits: false, regionRadius: none }",
  ]

  // MARK: C13

  private static func exact(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let fleet = try TracedFleet(
      bench, "claims", seed: bench.seeds.seed(13),
      settings: sixAnHour + ["fleet.phone.offline=20%", "fleet.phone.forceQuit=20%"])
    let phones = fleet.traces.map { Pushes(fleet.measured($0)) }
    let hours = (fleet.scenario.measureEnd - fleet.scenario.measureStart).seconds / 3_600
    let seed = bench.seeds.seed(0)
    func row(
      _ id: String, _ claim: String, _ unit: String, _ band: Band, _ kind: RowKind = .rule,
      _ statistic: ([Pushes]) -> Double?
    ) -> CalibrationRow {
      CalibrationRow(
        id: id, claim: claim, source: "Apple", profile: fleet.profile, kind: kind, unit: unit,
        band: band, measured: UnitBootstrap.estimate(phones, seed: seed, statistic: statistic))
    }
    return [
      // The budget's refill and the counted events were chosen with knowledge of this row.
      row(
        "C13a", "at most two or three of six pushes per hour wake the app", "/h", Band(1, 3),
        .fitted
      ) {
        Sample.mean($0.map { Double($0.wakes) / max(1, hours - $0.closedHours) })
      },
      row("C13b", "no push wakes the app between a force-quit and the next opening", "", Band(0, 0))
      {
        Double($0.reduce(0) { $0 + $1.wakesWhileForceQuit })
      },
      row("C13c", "one push is stored for an offline phone (maximum on return)", "", Band(1, 1)) {
        $0.map { Double($0.mostAfterReturn) }.max()
      },
      row("C13d", "a woken app runs at most 30 s (maximum)", "s", Band(0, 30.5)) {
        $0.map(\.longestRunSeconds).max()
      },
    ]
  }

  private struct Pushes {
    var wakes = 0
    var wakesWhileForceQuit = 0
    var mostAfterReturn = 0
    var longestRunSeconds = 0.0
    var closedHours = 0.0

    init(_ entries: [(at: SimInstant, what: TraceEvent)]) {
      var isForceQuit = false
      var isOffline = false
      var returned = SimInstant.distantPast
      var waiting = 0
      var burst = 0
      var wokenAt: SimInstant?
      var isRunning = false
      var runsSince: SimInstant?
      var last: SimInstant?
      for (at, what) in entries {
        if isForceQuit || isOffline, let last { closedHours += (at - last).seconds / 3_600 }
        last = at
        switch what {
        case .edge(.forceQuit, let begins): isForceQuit = begins
        case .edge(.offline, let begins):
          isOffline = begins
          if begins { waiting = 0 } else { returned = at }
          burst = 0
        case .pushRequested: waiting = isOffline ? waiting + 1 : 0
        case .delivered(.silentPush):
          wakes += 1
          if isForceQuit { wakesWhileForceQuit += 1 }
          if waiting >= 2, at - returned < .minutes(1) {
            burst += 1
            mostAfterReturn = max(mostAfterReturn, burst)
          }
          wokenAt = at
          if isRunning { runsSince = at }
        case .process(let state):
          isRunning = state == .background
          // An app that finished immediately has no recorded start.
          if isRunning, wokenAt == at { runsSince = at }
          guard !isRunning, let began = runsSince else { continue }
          longestRunSeconds = max(longestRunSeconds, (at - began).seconds)
          runsSince = nil
        case .truth, .edge, .authorized, .crashed, .delivered, .fix, .command, .outbox, .pushEnded,
          .stored,
          .cause, .live, .region, .consent:
          break
        }
      }
    }
  }

  // MARK: C14

  private static func coverage(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let fleet = try TracedFleet(
      bench, "city", seed: bench.seeds.seed(14),
      settings: [
        "fleet.phones=4000", "duration=24h", "start=2026-03-03T00:00", "push.holdout=0%",
        "push.silentAfter=1min", "push.spacing=1h", "faults=[]", "push.accuracyLimit=5km",
        "fleet.cohorts[1].policy=hybrid", "fleet.cohorts[2].policy=hybrid",
      ], traced: nil)
    var phones: [UInt32: (caused: Int, all: Int)] = [:]
    for ending in fleet.fleet.pushEndings() where ending.outcome != .pending {
      phones[ending.phone.rawValue, default: (0, 0)].all += 1
      if ending.outcome == .caused { phones[ending.phone.rawValue]?.caused += 1 }
    }
    let tallies = phones.sorted { $0.key < $1.key }.map(\.value)
    return [
      CalibrationRow(
        id: "C14", claim: "half to two thirds of silent pushes wake the app (caused)",
        source: "field, push delivery", profile: fleet.profile, kind: .fitted, unit: "",
        band: Band(0.5, 0.7),
        measured: UnitBootstrap.estimate(tallies, seed: bench.seeds.seed(0)) { phones in
          let all = phones.reduce(0) { $0 + $1.all }
          return all > 0 ? Double(phones.reduce(0) { $0 + $1.caused }) / Double(all) : nil
        },
        note: """
          the shares of the mix are assumed, and penaltyFloor was set with knowledge of this row. \
          Every reachable phone gets a push per hour, silent or not; a position of any accuracy \
          shows a wake. Long silences have causes that also block pushes.
          """)
    ]
  }
}
