internal import Collector
internal import Commands
internal import Core
internal import Foundation

struct IngestOptions: RowOptions {
  var mode = IngestPlan.Sharing.perPhone
  var connections = 1_000
  var inFlight = 1
  /// The batches per second; 0 for a closed loop, in which each ack starts the next batch.
  var pace = 0
  var isDurable = false
  /// Whether to use collectors with a temporary PostgreSQL server.
  var isDatabase = false
  /// The number of collectors if `isDatabase`; 0 for all rows that have bars.
  var collectors = 0
  var syncDelayMilliseconds = 0
  var tls = IngestPlan.Security.off
  var carrier = CarrierKind.flotilla
  var warmUpSeconds = 1
  var coolDownSeconds = 0
  var seconds = 2
  var rounds = 3
  /// Whether to measure a table of parameters instead of a single row.
  var all = false
  var json = false

  var databasePlans: [DatabaseIngestBench.Plan] {
    let delay = WallDuration.milliseconds(Int64(syncDelayMilliseconds))
    let plans =
      collectors == 0 && syncDelayMilliseconds == 0 && pace == 0
      ? DatabaseIngestBench.Plan.bars
      : [
        DatabaseIngestBench.Plan(
          collectors: max(1, collectors), syncDelay: delay,
          storeConnections: delay > .zero ? 4 : 2)
      ]
    return plans.map { plan in
      var plan = plan
      plan.measured = .seconds(Int64(seconds))
      plan.pace = pace > 0 ? pace : nil
      return plan
    }
  }

  var plans: [IngestPlan] {
    let plans =
      all
      ? IngestPlan.all
      : [
        IngestPlan(
          mode, connections: connections, inFlight: inFlight, pace: pace > 0 ? pace : nil,
          isDurable: isDurable)
      ]
    return plans.map { plan in
      var plan = plan
      plan.carrier = carrier
      plan.warmUp = .seconds(Int64(warmUpSeconds))
      plan.coolDown = .seconds(Int64(coolDownSeconds))
      plan.measured = .seconds(Int64(seconds))
      plan.security = tls
      return plan
    }
  }
}

enum IngestCommand {
  static var command: Command {
    Command(
      "ingest",
      "Measure uploads over sockets to a collector: throughput, CPU, memory, latency.",
      options: [
        .word("--mode", \.mode, "How phones share connections."),
        .count("--connections", \.connections, 1...15_000, "Number of open connections."),
        .count("--in-flight", \.inFlight, 1...64, "Batches in flight per connection."),
        .count(
          "--paced", \.pace, 0...1_000_000,
          "Batches per second in an open loop; 0: closed loop, each ack starts the next batch."),
        .word("--tls", \.tls, "TLS mode; with a full or a resumed handshake per connection."),
        .flag("--store", \.isDurable, "Store the batches on disk."),
        .flag(
          "--postgresql", \.isDatabase,
          "Use a temporary PostgreSQL server; without other options, measure all its rows."),
        .count(
          "--collectors", \.collectors, 0...16,
          "Number of collectors on the PostgreSQL server; 0: the rows of all bars."),
        .count(
          "--sync-delay-ms", \.syncDelayMilliseconds, 0...900,
          "Delay added to each fdatasync of the PostgreSQL server."),
        .word("--carrier", \.carrier, "Wire protocol."),
        .count("--warm-up", \.warmUpSeconds, 1...600, "Warm-up, in seconds."),
        .count("--seconds", \.seconds, 1...600, "Measured time of a round, in seconds."),
        .count(
          "--cool-down", \.coolDownSeconds, 0...600, "Cool-down, still connected, in seconds."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, each with a new collector."),
        .flag(
          "--all", \.all,
          "Measure a table: 100 to 10,000 connections, shared or not, open or closed loop."),
      ],
      examples: [
        "flotilla-lab bench ingest", "flotilla-lab bench ingest --connections 10000 --in-flight 8",
        "flotilla-lab bench ingest --paced 5000", "flotilla-lab bench ingest --mode per-upload",
        "flotilla-lab bench ingest --tls on",
        "flotilla-lab bench ingest --mode per-upload --tls resumed --paced 2000 --seconds 60",
        "flotilla-lab bench ingest --in-flight 8 --carrier grpc",
        "flotilla-lab bench ingest --postgresql",
        "flotilla-lab bench ingest --postgresql --collectors 1 --sync-delay-ms 5",
        "flotilla-lab bench ingest --postgresql --paced 40000 --seconds 10",
        "flotilla-lab bench ingest --in-flight 8 --store", "flotilla-lab bench ingest --all --json",
      ],
      rows: rows)
  }

  private static func rows(_ options: IngestOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try options.isDatabase
      ? databaseRows(options.databasePlans, rounds: options.rounds, stand)
      : rows(options.plans, rounds: options.rounds, stand)
  }

  static func rows(_ plans: [IngestPlan], rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try plans.flatMap { plan in
        try stand.rows(
          IngestBench(plan, place(folder), shouldStop: { stand.interruption.isRequested }),
          warmUp: 0, rounds: rounds)
      }
    }
  }

  /// Measures each plan on a new server, since the disk delay is set when the server starts.
  static func databaseRows(
    _ plans: [DatabaseIngestBench.Plan], rounds: Int, _ stand: BenchStand
  ) throws -> [BenchRow] {
    try plans.flatMap { plan in
      guard !stand.interruption.isRequested else { return [BenchRow]() }
      return try BenchFolder.use(in: ".build") { folder in
        let cluster = try server(plan, folder.path)
        defer { cluster.stop() }
        return try stand.rows(
          DatabaseIngestBench(
            plan, place(folder), on: cluster,
            shouldStop: { stand.interruption.isRequested }),
          warmUp: 0, rounds: rounds)
      }
    }
  }

  private static func server(
    _ plan: DatabaseIngestBench.Plan, _ folder: String
  ) throws -> PostgresCluster {
    do {
      let library =
        plan.syncDelay > .zero
        ? try SlowDisk.library(
          addingMicroseconds: Int(plan.syncDelay.microseconds), in: folder) : nil
      let cluster = try PostgresCluster(folder: "\(folder)/postgresql", preloading: library)
      try cluster.start()
      return cluster
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: "\(error)")
    }
  }

  static func place(_ folder: URL) -> IngestBench.Place {
    IngestBench.Place(
      executable: Programs.flotilla,
      storePath: folder.appendingPathComponent("store.sqlite").path,
      logFile: folder.appendingPathComponent("collector.log").path)
  }
}
