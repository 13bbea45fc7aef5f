internal import Commands
internal import Core
internal import Scenarios

struct PlanOptions: Equatable {
  var run = RunOptions()
  /// The number of phones to simulate; 0 for all, or fewer of a large fleet or with --quick.
  var lived = 0
  var isQuick = false
  /// Whether to estimate the needs of 0.1, 1 and 10 times the phones instead.
  var isFleet = false
  /// The length of a full trial in seconds; 0 stands for 15, or 4 with --quick.
  var trial = 0
  /// The capacity in batches per second and core, in place of a measurement.
  var capacity: Double?
  /// A file of cores and throughputs, in place of a measurement.
  var curve: String?
  /// The store; nil for the scenario's store.
  var store: PlanStore?
  var prices: String?
  var policies: String?
  /// A user's backend, measured instead of a collector.
  var target = TargetChoice()
  var timeLimit: WallDuration?
  /// The number of sets of the model's parameters; nil for none.
  var ensemble: Int?

  static func command(_ body: @escaping (PlanOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "plan", "Measure a collector's capacity, compare it with the demand, and size the hardware.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .junit(\.run),
        .flag(
          "--quick", \.isQuick, "Preview: fewer simulated phones, one search, short trials."),
        .flag("--fleet", \.isFleet, "Estimate what 0.1, 1 and 10 times the number of phones need."),
        .count(
          "--lived", \.lived, 0...100_000_000,
          "Phones to simulate; results are scaled up. 0: all, or above 100,000 a third, at least\n"
            + "    100,000."),
        .count(
          "--trial", \.trial, 0...600,
          "Length of a full trial in seconds; 0: 15, or 4 with --quick."),
        Option(
          "--capacity", "R/s/core", "Capacity, such as 2500/s/core, instead of a measurement.",
          wanted: "batches per second and core, such as 2500/s/core", Self.rate,
          set: { $1.capacity = $0 }),
        .text(
          "--curve", "FILE.csv", \.curve,
          "Measurements of your backend: six or more rows of cores and batches per second."),
        Option(
          "--store", PlanStore.words,
          "Store for the trials; postgresql starts a temporary server.",
          wanted: "one of sqlite, postgresql, postgresql://…", { PlanStore($0) },
          set: { $1.store = $0 }),
        .text(
          "--prices", "FILE", \.prices,
          "Instances, prices, retention, spares, zones and growth (YAML)."),
        .text(
          "--policies", "A,B,…", \.policies,
          "Also compute the demand with each of these policies in all cohorts."),
        .ensemble(
          \.ensemble,
          "Also simulate N sets of the model's parameters, within their stated ranges, with at\n"
            + "    most 300 phones, scaled to all phones: the peak and the instances get\n"
            + "    an interval. 0: none (default)."),
      ] + target + Option.movedOfPlans,
      examples: [
        "flotilla plan city --phones 1M", "flotilla plan city --phones 1M --quick",
        "flotilla plan city --phones 200000 --capacity 2500/s/core --prices prices.yaml",
        "flotilla plan city --phones 1M --set tls.resume=80% --set run.carrier=grpc",
        "flotilla plan city --phones 1M --curve my-backend.csv",
        "flotilla plan city --phones 1M --capacity 2500/s/core --ensemble 32",
        "flotilla plan city --phones 100M --fleet --quick --store postgresql",
        "flotilla plan city --phones 50000 --quick --policies hybrid,owntracks-move",
        "flotilla plan city --target acme.yaml --set run.rateLimit=500/s --time-limit 5min",
      ],
      start: PlanOptions(), body: body)
  }

  private static var target: [Option<PlanOptions>] {
    Option.target(
      \.target, "Measure the capacity of your own backend, a target file; see flotilla target."
    )
      + [
        Option(
          "--time-limit", "D", "Maximum duration of the measurement, such as 5min.",
          wanted: "a duration, such as 90s or 5min",
          { ArgumentText.time($0).flatMap { $0 > .zero ? .microseconds($0.microseconds) : nil } },
          set: { $1.timeLimit = $0 })
      ]
  }

  /// Parses "2500/s/core", or the number alone.
  static func rate(_ text: String) -> Double? {
    let digits = text.hasSuffix("/s/core") ? text.dropLast(7) : text[...]
    guard let rate = Double(digits), rate > 0, rate.isFinite else { return nil }
    return rate
  }
}
