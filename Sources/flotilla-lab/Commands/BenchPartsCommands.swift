internal import Collector
internal import Commands
internal import Core
internal import Foundation

struct EngineOptions: RowOptions {
  /// The number of pending events; 0 for 10 k, 100 k and 1 M.
  var pending = 0
  var events = 4_000_000
  var phones = 40_000
  var threads = 2
  var scenario: String?
  var isQueueOnly = false
  var isScaled = false
  var isLive = false
  /// The number of simulated hours; 0 for 24, or for 2 with `--scale`.
  var hours = 0
  var rounds = 3
  var json = false
}

enum EngineCommand {
  /// The default scenario, to which the bars apply: all phones have the policy `hybrid`.
  static let scenario = "metropolis"

  static var command: Command {
    Command(
      "engine",
      "Measure the event queue, a simulated day, phone-days per second and bytes per phone.",
      options: [
        .count(
          "--pending", \.pending, 0...10_000_000, "Events in the queue; 0: 10 k, 100 k and 1 M."),
        .count(
          "--events", \.events, 1_000...1_000_000_000, "Processed events per round of the queue."),
        .count("--phones", \.phones, 100...10_000_000, "Phones of the simulated fleet."),
        .count("--threads", \.threads, 1...1_024, "Threads of the simulation."),
        .text("--scenario", "NAME", \.scenario, "Scenario of the fleet; default \(scenario)."),
        .flag("--queue-only", \.isQueueOnly, "Measure the queue only."),
        .flag("--scale", \.isScaled, "Measure fleets of 10 k, 100 k, 300 k and 1 M phones only."),
        .flag(
          "--live", \.isLive, "Measure a million phones in real time against a collector only."),
        .count("--hours", \.hours, 0...240, "Simulated hours; 0: 24, or 2 with --scale."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
      ],
      examples: [
        "flotilla-lab bench engine", "flotilla-lab bench engine --pending 1000000 --queue-only",
        "flotilla-lab bench engine --scale --rounds 1 --json", "flotilla-lab bench engine --live",
      ],
      rows: rows)
  }

  static func rows(_ options: EngineOptions, _ stand: BenchStand) throws -> [BenchRow] {
    if options.isScaled { return try scale(options, stand) }
    if options.isLive { return try live(rounds: options.rounds, stand) }
    let rows = (options.pending > 0 ? [options.pending] : sizes).flatMap { pending in
      stand.rows(
        HoldBench(pending: pending, events: options.events), warmUp: 1, rounds: options.rounds)
    }
    guard !options.isQueueOnly else { return rows }
    return try rows + day(options, stand) + fleet(options.phones, options, stand)
  }

  /// The fleet sizes of `--scale`, from one that fits into the processor cache to a large city.
  private static let sizes = [10_000, 100_000, 1_000_000]

  private static func day(_ options: EngineOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      let plan = VirtualBench.Plan(
        executable: Programs.flotilla, scenario: "city", phones: 10_000,
        threads: options.threads, folder: folder)
      return try stand.rows(DayBench(plan), warmUp: 0, rounds: options.rounds)
    }
  }

  private static func fleet(
    _ phones: Int, _ options: EngineOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      var plan = VirtualBench.Plan(
        executable: Programs.flotilla, scenario: options.scenario ?? scenario,
        phones: phones, threads: options.threads, folder: folder)
      if options.hours > 0 { plan.hours = options.hours }
      return try stand.rows(VirtualBench(plan), warmUp: 0, rounds: options.rounds)
    }
  }

  static func live(rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      let plan = LiveBench.Plan(executable: Programs.flotilla, folder: folder)
      return try stand.rows(LiveBench(plan), warmUp: 0, rounds: rounds)
    }
  }

  private static let fleetSizes = [10_000, 100_000, 300_000, 1_000_000]

  private static func scale(_ options: EngineOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      var plan = VirtualBench.Plan(
        executable: Programs.flotilla, scenario: options.scenario ?? scenario,
        phones: 0, threads: options.threads, folder: folder)
      plan.hours = options.hours > 0 ? options.hours : 2
      plan.warmHours = 1
      let bench = ScaleBench(plan, sizes: fleetSizes)
      return try stand.rows(bench, warmUp: 0, rounds: options.rounds).flatMap(bench.split)
    }
  }
}

struct StoreOptions: RowOptions {
  /// The number of batches in flight; 0 for 1, 64, 1,000 and 8,000.
  var inFlight = 0
  var seconds = 2
  var rounds = 3
  /// The folder of the store; nil for the temporary folder.
  var folder: String?
  /// Whether to use a temporary PostgreSQL server instead of a file.
  var isDatabase = false
  var json = false
}

enum StoreCommand {
  static var command: Command {
    Command(
      "store", "Measure the store alone: durable batches per second and commit latency.",
      options: [
        .count(
          "--in-flight", \.inFlight, 0...100_000,
          "Batches in flight; 0: 1, 64, 1,000 and 8,000."),
        .count("--seconds", \.seconds, 1...600, "Length of a round, in seconds."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, after one warm-up round."),
        .text(
          "--folder", "FOLDER", \.folder, "Folder on the measured disk; default: working directory."
        ),
        .flag("--postgresql", \.isDatabase, "Use a temporary PostgreSQL server."),
      ],
      examples: [
        "flotilla-lab bench store", "flotilla-lab bench store --in-flight 1000 --folder /data",
        "flotilla-lab bench store --postgresql",
      ],
      rows: rows)
  }

  static func rows(_ options: StoreOptions, _ stand: BenchStand) throws -> [BenchRow] {
    let sizes = options.inFlight > 0 ? [options.inFlight] : [1, 64, 1_000, 8_000]
    return try BenchFolder.use(in: options.folder ?? ".build") { folder in
      let place = try place(options, folder.path)
      return try sizes.flatMap { inFlight in
        try stand.rows(
          StoreBench(
            inFlight: inFlight, in: place,
            length: .seconds(Int64(options.seconds)),
            shouldStop: { stand.interruption.isRequested }),
          warmUp: 1, rounds: options.rounds)
      }
    }
  }

  private static func place(
    _ options: StoreOptions, _ folder: String
  ) throws -> StoreBench.Place {
    guard options.isDatabase else { return .file("\(folder)/store.sqlite") }
    do throws(PostgresCluster.ClusterError) {
      let cluster = try PostgresCluster(folder: "\(folder)/postgresql")
      try cluster.start()
      return .server(cluster)
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
  }
}

struct HistogramOptions: RowOptions {
  var rounds = 5
  var json = false
}

enum HistogramCommand {
  static var command: Command {
    Command(
      "histogram", "Measure the histogram: record, percentile and merge, in nanoseconds.",
      options: [
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, after one warm-up round.")
      ],
      examples: [
        "flotilla-lab bench histogram", "flotilla-lab bench histogram --rounds 20 --json",
      ],
      rows: { (options: HistogramOptions, stand) in rows(rounds: options.rounds, stand) })
  }

  static func rows(rounds: Int, _ stand: BenchStand) -> [BenchRow] {
    stand.rows(HistogramBench(), warmUp: 1, rounds: rounds)
  }
}
