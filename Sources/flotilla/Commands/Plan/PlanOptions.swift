internal import Capacity
internal import Commands
internal import Core
internal import Scenarios

struct PlanOptions: Equatable {
  var run = RunOptions()
  /// 0: all phones, or a third of many; with --quick fewer.
  var lived = 0
  var isQuick = false
  /// Plans larger fleets in place of this one.
  var isFleet = false
  /// Seconds of a full trial; 0: 15, or 4 with --quick.
  var trial = 0
  /// Batches a second and core, in place of a measurement.
  var capacity: Double?
  /// A file of loads and throughputs, in place of a measurement.
  var curve: String?
  /// Nil for the scenario's.
  var store: PlanStore?
  var prices: String?
  var policies: String?
  /// A user's backend in place of a collector.
  var target = TargetChoice()
  var timeLimit: WallDuration?

  static func command(_ body: @escaping (PlanOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "plan", "Find what a collector sustains, set it beside the demand, and say what to buy.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .flag("--quick", \.isQuick, "A preview: fewer phones lived, one search, short trials."),
        .flag("--fleet", \.isFleet, "What 0.1, 1 and 10 times the phones take, on paper."),
        .count(
          "--lived", \.lived, 0...100_000_000,
          "How many phones are lived, and the rest scaled. 0: all, a third of over 100,000."),
        .count(
          "--trial", \.trial, 0...600, "Seconds of a full trial; 0: 15, or 4 with --quick."),
        Option(
          "--capacity", "R/s/core", "Take this, such as 2500/s/core, in the place of measuring.",
          wanted: "batches a second and core, such as 2500/s/core", Self.rate,
          set: { $1.capacity = $0 }),
        .text(
          "--curve", "FILE.csv", \.curve,
          "Take your backend's own measurements: rows of cores and batches a second, six or more."),
        Option(
          "--store", PlanStore.words,
          "What keeps the trials' batches; postgresql: a server of the plan's own.",
          wanted: "one of sqlite, postgresql, postgresql://…", { PlanStore($0) },
          set: { $1.store = $0 }),
        .text(
          "--prices", "FILE", \.prices,
          "What instances are and cost, how long data is kept, spares, zones, growth (YAML)."),
        .text(
          "--policies", "A,B,…", \.policies,
          "Also say what each of these would ask for in the place of every cohort's own."),
      ] + target + Option.movedOfPlans,
      examples: [
        "flotilla plan city --phones 1M", "flotilla plan city --phones 1M --quick",
        "flotilla plan city --phones 200000 --capacity 2500/s/core --prices prices.yaml",
        "flotilla plan city --phones 1M --set tls.resume=80% --set run.carrier=grpc",
        "flotilla plan city --phones 1M --curve my-backend.csv",
        "flotilla plan city --phones 100M --fleet --quick --store postgresql",
        "flotilla plan city --phones 50000 --quick --policies hybrid,owntracks-move",
        "flotilla plan city --target acme.yaml --rate-limit 500/s --time-limit 5min",
      ],
      start: PlanOptions(), body: body)
  }

  private static var target: [Option<PlanOptions>] {
    Option.target(
      \.target, "Search what a backend of your own sustains, as its file says; see flotilla target."
    )
      + [
        Option(
          "--time-limit", "D", "Ask it for no longer than this, such as 5min.",
          wanted: "a duration, such as 90s or 5min",
          { ArgumentText.time($0).flatMap { $0 > .zero ? .microseconds($0.microseconds) : nil } },
          set: { $1.timeLimit = $0 })
      ]
  }

  /// "2500/s/core", or the number alone.
  static func rate(_ text: String) -> Double? {
    let digits = text.hasSuffix("/s/core") ? text.dropLast(7) : text[...]
    guard let rate = Double(digits), rate > 0, rate.isFinite else { return nil }
    return rate
  }
}
