internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// C1, C8, C12: the effects of the app's design on lifetime and uploads.
enum AppClaims {
  static let hybridSendsMore = CalibrationGroup(
    "coordinates of hybrid and of its base", rows: ["C1"], measure: ratio)
  static let pauseTrap = CalibrationGroup("the pause trap", rows: ["C8"], measure: pauses)
  static let dutyCycle = CalibrationGroup(
    "the duty cycle under old and new budgets", rows: ["C12a", "C12b"], measure: dutyCycles)

  // MARK: C1

  /// RS1: S3 compared its tracker of 2017 with significant changes and visits alone.
  private static func ratio(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let seed = bench.seeds.seed(1)
    let system = ["fleet.cohorts[0].os=ios12"]
    let hybrid = try TracedFleet(
      bench, "claims", seed: seed, settings: system + ["push.scheduler=fixed"])
    let base = try TracedFleet(
      bench, "claims", seed: seed,
      settings: system + ["fleet.cohorts[0].policy=owntracks-significant"])
    let pairs = zip(hybrid.traces, base.traces).compactMap { mine, theirs -> Double? in
      let fewer = kept(base.measured(theirs))
      return fewer > 0 ? Double(kept(hybrid.measured(mine))) / Double(fewer) : nil
    }
    return [
      CalibrationRow(
        id: "C1", claim: "hybrid sends 3 × the coordinates of significant changes and visits",
        source: "S3", profile: hybrid.profile, kind: .predicted, unit: "×", band: Band(2.5, 3.5),
        measured: UnitBootstrap.estimate(pairs, seed: seed, statistic: Sample.median),
        note: """
          median over phones, paired by phone; not fitted. Spurious cell changes (SL4, 7 per day, \
          assumed) and visits probably give the base more than the authors of the claim saw.
          """)
    ]
  }

  private static func kept(_ entries: [(at: SimInstant, what: TraceEvent)]) -> Int {
    entries.count { entry in
      if case .command(.persist) = entry.what { true } else { false }
    }
  }

  // MARK: C8

  private static func pauses(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let fleet = try TracedFleet(
      bench, "claims", seed: bench.seeds.seed(8),
      settings: [
        "fleet.phones=40", "fleet.phone.sessionsPerDay=3",
        "fleet.cohorts[0].policy={ base: traccar, significantChange: false, "
          + "background: { pausesAutomatically: true } }",
      ])
    var pauses = 0
    var after = 0
    for trace in fleet.traces {
      var isPaused = false
      for entry in trace.entries {
        if case .delivered(.standardPaused) = entry.what {
          isPaused = true
          pauses += 1
        } else if case .delivered(.becameActive) = entry.what {
          isPaused = false
        } else if case .fix(_, .standard?, _, _) = entry.what {
          after += isPaused ? 1 : 0
        }
      }
    }
    return [
      CalibrationRow(
        id: "C8", claim: "no fixes between a pause and the next opening of the app (fixes)",
        source: "S4", profile: fleet.profile, kind: .rule, unit: "", band: Band(0, 0),
        measured: pauses > 0
          ? Ratio(value: Double(after), low: Double(after), high: Double(after)) : nil,
        note: pauses > 0 ? "after \(pauses) pauses" : "no pause occurred")
    ]
  }

  // MARK: C12

  private static func dutyCycles(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let settings = [
      "fleet.phones=40", "fleet.phone.sessionsPerDay=6",
      "fleet.cohorts[0].policy=duty-cycle",
    ]
    let old = try TracedFleet(
      bench, "claims", seed: bench.seeds.seed(12),
      settings: settings + ["fleet.cohorts[0].os=ios12"])
    let new = try TracedFleet(bench, "claims", seed: bench.seeds.seed(12), settings: settings)
    let seed = bench.seeds.seed(0)
    // Computes the values once, since the bootstrap draws the phones 400 times.
    let lived = old.traces.map { gapsToDeath($0.entries).isEmpty }
    let deaths = new.traces.map { gapsToDeath($0.entries) }
    return [
      CalibrationRow(
        id: "C12a", claim: "with 180 s in the background the duty cycle survives (share of phones)",
        source: "S0", profile: old.profile, kind: .rule, unit: "", band: Band(1, 1),
        measured: UnitBootstrap.estimate(lived, seed: seed) { lived in
          Double(lived.count { $0 }) / Double(lived.count)
        }),
      CalibrationRow(
        id: "C12b",
        claim: "with 30 s the cycle is killed in its first gap (s after satellites stop)",
        source: "rule DC6", profile: new.profile, kind: .rule, unit: "s", band: Band(25, 40),
        measured: UnitBootstrap.estimate(deaths.filter { !$0.isEmpty }, seed: seed) { phones in
          Sample.median(phones.flatMap { $0 })
        }, note: "\(deaths.count { !$0.isEmpty }) of \(deaths.count) phones were killed"),
    ]
  }

  private static func gapsToDeath(_ entries: [(at: SimInstant, what: TraceEvent)]) -> [Double] {
    var stopped: SimInstant?
    var gaps: [Double] = []
    for (at, what) in entries {
      switch what {
      case .command(.stopStandard): stopped = at
      case .command(.startStandard): stopped = nil
      case .process(.notRunning):
        if let stopped { gaps.append((at - stopped).seconds) }
        stopped = nil
      case .truth, .edge, .process, .delivered, .fix, .command, .outbox, .pushRequested, .pushEnded,
        .stored, .cause, .authorized, .crashed, .live, .region, .consent:
        break
      }
    }
    return gaps
  }
}
