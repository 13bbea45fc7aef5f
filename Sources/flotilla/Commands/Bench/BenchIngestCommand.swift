internal import Bench
internal import Foundation
internal import SimulationCore
internal import Transport

/// The options of `flotilla bench ingest`.
struct IngestOptions: Equatable {
  var mode = IngestPlan.Sharing.perPhone
  var connections = 1_000
  var inFlight = 1
  /// 0: a closed loop.
  var pace = 0
  var isDurable = false
  var tls = IngestPlan.Security.off
  var carrier = CarrierKind.flotilla
  var seconds = 2
  var rounds = 3
  /// The table of many parameters instead of one row.
  var all = false
  var json = false

  /// What they ask for, in order.
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
      plan.measured = .seconds(Int64(seconds))
      plan.security = tls
      return plan
    }
  }
}

/// `flotilla bench ingest`: batches over real sockets into a real collector.
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
        .word("--carrier", \.carrier, "How calls stand on the wire."),
        .count("--seconds", \.seconds, 1...600, "Measured in a round, after one to warm up."),
        .count("--rounds", \.rounds, 1...1_000, "Each with a collector of its own."),
        .flag("--all", \.all, "A table: 100 to 10,000 connections, shared or not, paced or not."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: [
        "flotilla bench ingest", "flotilla bench ingest --connections 10000 --in-flight 8",
        "flotilla bench ingest --paced 5000", "flotilla bench ingest --mode per-upload",
        "flotilla bench ingest --tls on",
        "flotilla bench ingest --mode per-upload --tls resumed --paced 2000 --seconds 60",
        "flotilla bench ingest --in-flight 8 --carrier grpc",
        "flotilla bench ingest --in-flight 8 --store", "flotilla bench ingest --all --json",
      ],
      start: IngestOptions(), body: run)
  }

  private static func run(_ options: IngestOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    return try stand.finish(
      try rows(options.plans, rounds: options.rounds, stand), json: options.json)
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

  static func place(_ folder: URL) -> IngestBench.Place {
    IngestBench.Place(
      executable: BenchFolder.executable,
      storePath: folder.appendingPathComponent("store.sqlite").path,
      logFile: folder.appendingPathComponent("collector.log").path)
  }
}
