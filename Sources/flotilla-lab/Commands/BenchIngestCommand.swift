internal import Collector
internal import Commands
internal import Core
internal import Foundation
internal import Transport

struct IngestOptions: Equatable {
  var mode = IngestPlan.Sharing.perPhone
  var connections = 1_000
  var inFlight = 1
  /// 0 for a closed loop.
  var pace = 0
  var isDurable = false
  /// Whether to use collectors on a PostgreSQL server started for it.
  var isDatabase = false
  /// With `isDatabase`; 0 for the rows with bars.
  var collectors = 0
  var syncDelayMilliseconds = 0
  var tls = IngestPlan.Security.off
  var carrier = CarrierKind.flotilla
  var warmUpSeconds = 1
  var coolDownSeconds = 0
  var seconds = 2
  var rounds = 3
  /// The table of many parameters instead of one row.
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
      "Batches over real sockets into a collector of its own: rate, CPU, memory, latency.",
      options: [
        .word("--mode", \.mode, "Who shares a connection."),
        .count("--connections", \.connections, 1...15_000, "Open at once."),
        .count("--in-flight", \.inFlight, 1...64, "Batches under way on each connection."),
        .count(
          "--paced", \.pace, 0...1_000_000,
          "Batches a second, whatever becomes of them; 0: each ack is followed by the next batch."),
        .word("--tls", \.tls, "Connections over TLS, each with a full or a resumed handshake."),
        .flag("--store", \.isDurable, "A collector that keeps the batches on disk."),
        .flag(
          "--postgresql", \.isDatabase,
          "Collectors on a PostgreSQL server that is started for it; without more, all its bars."),
        .count("--collectors", \.collectors, 0...16, "On that server; 0: the rows of all bars."),
        .count(
          "--sync-delay-ms", \.syncDelayMilliseconds, 0...900,
          "What every fdatasync of that server takes longer."),
        .word("--carrier", \.carrier, "How calls stand on the wire."),
        .count("--warm-up", \.warmUpSeconds, 1...600, "Seconds before what is measured."),
        .count("--seconds", \.seconds, 1...600, "Measured in a round."),
        .count("--cool-down", \.coolDownSeconds, 0...600, "Seconds after that, still connected."),
        .count("--rounds", \.rounds, 1...1_000, "Each with a collector of its own."),
        .flag("--all", \.all, "A table: 100 to 10,000 connections, shared or not, paced or not."),
        .flag("--json", \.json, "Rows as JSON."),
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
      start: IngestOptions(), body: run)
  }

  private static func run(_ options: IngestOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    let rows =
      try options.isDatabase
      ? databaseRows(options.databasePlans, rounds: options.rounds, stand)
      : rows(options.plans, rounds: options.rounds, stand)
    return try stand.finish(rows, json: options.json)
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

  /// Each row has a new server, whose disk delay is set at its start.
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
