internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// C2, C4, C5, C6, C7, C15: the battery use of trackers from 2014 to 2017, on phones `legacy2015`.
/// C2 and C4 are fitted. C5, C6 and C7 hold by construction, and test only for regressions.
enum EnergyClaims {
  static let shares = CalibrationGroup(
    "battery shares of hybrid and of its base", rows: ["C2a", "C2b"], measure: batteryShares)
  /// SL9, C6.
  static let significantChange = CalibrationGroup(
    "battery share of significant changes", rows: ["C6"], measure: lowShare)
  /// AC3, C4.
  static let accuracy = CalibrationGroup(
    "accuracy and distance filter", rows: ["C4a", "C4b"], measure: accuracies)
  /// EF3, C5.
  static let endurance = CalibrationGroup(
    "hours to an empty battery", rows: ["C5"], measure: hours)
  /// AC7, C7.
  static let order = CalibrationGroup(
    "energy order of three trackers", rows: ["C7"], measure: ordering)
  static let sending = CalibrationGroup(
    "energy of uploads and fixes", rows: ["C15"], measure: transmission)

  /// The iOS and the phone of the claims' years.
  private static let phones = ["fleet.cohorts[0].os=ios12", "fleet.cohorts[0].energy=legacy2015"]
  /// Fixes arrive every second, so that a few phones give a million in some hours. The app needs
  /// sessions: only a service started in the foreground continues in the background (AU7).
  private static let continuous = [
    "fleet.phones=16", "fleet.phone.sessionsPerDay=12", "warmStart=12h", "duration=6h",
  ]

  private static func simulated(
    _ bench: CalibrationBench, _ claim: Int, policy: String, _ settings: [String] = []
  ) throws -> TracedFleet {
    try TracedFleet(
      bench, "claims", seed: bench.seeds.seed(claim),
      settings: phones + settings + ["fleet.cohorts[0].policy=\(policy)"], traced: nil)
  }

  // MARK: C2, C6

  /// Measures the app's share in Settings → Battery while the app is not on screen.
  private static func batteryShares(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let base = try simulated(bench, 2, policy: "owntracks-significant")
    let hybrid = try simulated(bench, 2, policy: "hybrid", ["push.scheduler=fixed"])
    return [
      CalibrationRow(
        id: "C2a", claim: "significant changes with visits: 1–2 % on a battery screen",
        source: "S3", profile: base.profile, kind: .fitted, unit: "%", band: Band(0.7, 2),
        measured: median(base, bench),
        note: "wake and scan energies are assumed; the batch interval was chosen for C2b."),
      CalibrationRow(
        id: "C2b", claim: "hybrid: 2–4 % on a battery screen", source: "S3",
        profile: hybrid.profile, kind: .fitted, unit: "%", band: Band(2, 4),
        measured: median(hybrid, bench),
        note: "the batch interval of 300 s was chosen for this figure."),
    ]
  }

  private static func lowShare(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let significant = try simulated(bench, 6, policy: "significant-change")
    return [
      CalibrationRow(
        id: "C6", claim: "significant changes alone: absent from the list, or at most 1 %",
        source: "S4, comments", profile: significant.profile, kind: .constructed, unit: "%",
        band: Band(0, 1), measured: median(significant, bench),
        note: "the app is never opened in this scenario; with six openings per day it is 1.8 %.")
    ]
  }

  private static func median(_ fleet: TracedFleet, _ bench: CalibrationBench) -> Ratio? {
    UnitBootstrap.estimate(
      fleet.screenPercents, seed: bench.seeds.seed(0), statistic: Sample.median)
  }

  // MARK: C4

  private static func accuracies(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let best = try chart(bench, "accuracy: best, distanceFilter: none")
    let filtered = try chart(bench, "accuracy: best, distanceFilter: 10m")
    let worst = try chart(bench, "accuracy: threeKilometers, distanceFilter: max")
    func ratio(_ a: TracedFleet, _ b: TracedFleet) -> Ratio? {
      UnitBootstrap.estimate(
        zip(a.wholeWatts, b.wholeWatts).map { $0 / $1 }, seed: bench.seeds.seed(0),
        statistic: Sample.median)
    }
    let note = """
      circular: two powers of the profile were chosen for this value; it tests parameters, and \
      validates nothing.
      """
    return [
      CalibrationRow(
        id: "C4a", claim: "the best accuracy costs a phone 4 × the worst", source: "S4",
        profile: best.profile, kind: .fitted, unit: "×", band: Band(3.5, 4.5),
        measured: ratio(best, worst), note: note),
      CalibrationRow(
        id: "C4b", claim: "a distance filter saves a little of the best accuracy's cost",
        source: "S4", profile: best.profile, kind: .fitted, unit: "×", band: Band(0.85, 0.97),
        measured: ratio(filtered, best), note: note),
    ]
  }

  private static func chart(_ bench: CalibrationBench, _ service: String) throws -> TracedFleet {
    try simulated(
      bench, 4, policy: always(service, send: "interval: 24h, maxFixes: 4000"), continuous)
  }

  static func always(_ service: String, send: String) -> String {
    let mode = """
      { standard: continuous, \(service), pausesAutomatically: false, \
      filter: { rule: everything } }
      """
    return """
      { base: hybrid, significantChange: false, visits: false, regionRadius: none, \
      foreground: \(mode), background: \(mode), send: { \(send) } }
      """
  }

  // MARK: C5, C7

  private static func alwaysSending(_ bench: CalibrationBench) throws -> TracedFleet {
    try simulated(
      bench, 5, policy: always("accuracy: best, distanceFilter: none", send: "interval: 0s"),
      continuous)
  }

  private static func hours(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let sends = try alwaysSending(bench)
    return [
      CalibrationRow(
        id: "C5", claim: "the service always on and every fix sent: empty in a few hours",
        source: "S2", profile: sends.profile, kind: .constructed, unit: "h", band: Band(3, 8),
        measured: sends.hoursOnCellular.map { Ratio(value: $0, low: $0, high: $0) },
        note: """
          computed from the profile's powers while the radio is awake; over a day with Wi-Fi at \
          home, phones last twice as long.
          """)
    ]
  }

  private static func ordering(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let sends = try alwaysSending(bench)
    let duty = try simulated(bench, 5, policy: "duty-cycle", continuous)
    let changes = try simulated(bench, 5, policy: "significant-change", continuous)
    let ordered = zip(changes.trackingWatts, zip(duty.trackingWatts, sends.trackingWatts))
      .map { $0 < $1.0 && $1.0 < $1.1 ? 1.0 : 0 }
    return [
      CalibrationRow(
        id: "C7", claim: "the duty cycle costs more than significant changes, less than always on",
        source: "S0", profile: duty.profile, kind: .constructed, unit: "", band: Band(0.95, 1),
        measured: UnitBootstrap.estimate(
          ordered, seed: bench.seeds.seed(0), statistic: Sample.mean),
        note: "share of phones with strictly this order, which depends on three powers.")
    ]
  }

  // MARK: C15

  /// Compares the cost of an upload over LTE with that of its fix, if each fix is sent at once.
  private static func transmission(_ bench: CalibrationBench) throws -> [CalibrationRow] {
    let sparse = try simulated(
      bench, 15,
      policy: """
        { base: hybrid, background: { standard: { burst: { for: 1s, minInterval: 3min } }, \
        accuracy: best }, send: { interval: 0s } }
        """)
    let ratio = sparse.sendToCollect
    return [
      CalibrationRow(
        id: "C15", claim: "uploading a single fix over LTE costs 5–10 × as much as taking it",
        source: "HyperTrack", profile: sparse.profile, kind: .assumed, unit: "×",
        band: Band(5, 10), measured: ratio.map { Ratio(value: $0, low: $0, high: $0) },
        note: "true only for sparse fixes: 30 s of GPS cost as much as an upload.")
    ]
  }
}

extension TracedFleet {
  var prices: EnergyPrices { fleet.context.prices(0) }

  var trackingWatts: [Double] {
    fleet.energies().map { Double($0.tracking) / 1e6 / scenario.duration.seconds }
  }

  var wholeWatts: [Double] {
    trackingWatts.map { $0 + prices.profile.idleMilliwatts / 1_000 }
  }

  /// The percentage that a battery screen shows for each tracker whose app is not in view. All
  /// other power is that of the mean phone.
  var screenPercents: [Double] {
    let rest = restWatts(0)
    return trackingWatts.map { 100 * $0 / ($0 + rest) }
  }

  /// The hours from full to empty at the mean power, while uploads keep the cellular radio awake.
  fileprivate var hoursOnCellular: Double? {
    let meter = fleet.metrics().energy.cohorts[0]
    let bill = prices.bill(meter)
    let time = Double(meter.idle) / 1e6
    let awake =
      Double(meter.cellular.tail + meter.cellular.promotion + meter.cellular.airtime) / 1e6
    guard time > 0, awake > 0 else { return nil }
    let watts =
      Double(bill[.idle] + bill.tracking - bill.transmission) / 1e6 / time
      + Double(bill[.cellular]) / 1e6 / awake
    return prices.batteryJoules / watts / 3_600
  }

  fileprivate var sendToCollect: Double? {
    let meter = fleet.metrics().energy.cohorts[0]
    let bill = prices.bill(meter)
    let sends = meter.cellular.sends + meter.wifi.sends
    let collected = bill[.satellites] + bill[.scans] + bill[.callbacks] + bill[.coarse]
    guard meter.cellular.sends > 0, collected > 0 else { return nil }
    return Double(bill[.cellular]) / Double(meter.cellular.sends)
      / (Double(collected) / Double(sends))
  }
}
