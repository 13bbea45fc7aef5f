internal import Commands
internal import Foundation
internal import Uploads

struct BenchRoundOptions: RowOptions {
  var rounds = 3
  var folder: String?
  var json = false
}

enum BenchAllCommand {
  static var command: Command {
    Command(
      "all",
      """
      Run the short form of every benchmark and print one table with results and bars. The exit \
      code is 0 even if a bar is missed, unless a benchmark cannot run.
      """,
      options: [
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds per row.")
      ],
      examples: ["flotilla-lab bench all", "flotilla-lab bench all --rounds 1 --json"],
      rows: rows)
  }

  private static func rows(
    _ options: BenchRoundOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    let rounds = options.rounds
    var engine = EngineOptions()
    engine.rounds = rounds
    var store = StoreOptions()
    (store.rounds, store.seconds) = (rounds, 1)
    var wire = WireOptions()
    wire.rounds = rounds
    // Benchmarks that pin this process to a core come last.
    var rows = HistogramCommand.rows(rounds: rounds, stand)
    rows += try ReduceCommand.rows([4], rounds: rounds, stand)
    rows += try WireCommand.rows(wire, sizes: [20], stand)
    rows += try EngineCommand.rows(engine, stand)
    rows += try EngineCommand.live(rounds: 1, stand)
    rows += try programs(stand)
    rows += try build(stand)
    rows += BenchCommand.pushRows(phones: 1_000_000, rounds: 1, stand)
    rows += try StoreCommand.rows(store, stand)
    var pushes = BenchPushEndpointOptions()
    (pushes.rounds, pushes.seconds) = (rounds, 2)
    rows += try BenchPushEndpointCommand.rows(pushes, stand)
    rows += try IngestCommand.rows(IngestPlan.short, rounds: rounds, stand)
    rows += try overload(stand)
    return try rows + ofTargets(rounds: rounds, stand)
  }

  /// Measures each program once, since `second-run` and kept connections take minutes.
  private static func programs(_ stand: BenchStand) throws -> [BenchRow] {
    try SecondRunCommand.rows(ProgramBenchOptions(), stand)
      + TuneBenchCommand.rows(ProgramBenchOptions(), stand) + KeptCommand.rows(KeptOptions(), stand)
      + FileBenchCommand.rows(ProgramBenchOptions(), stand)
      + WebBenchCommand.rows(WebBenchOptions(), stand)
  }

  private static func ofTargets(rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    var mqtt = MQTTBenchOptions()
    (mqtt.rounds, mqtt.seconds) = (rounds, 3)
    var http = HTTPBenchOptions()
    (http.rounds, http.seconds) = (rounds, 2)
    var rows: [BenchRow] = []
    if MQTTBench.broker != nil {
      rows += try MQTTBenchCommand.rows(mqtt, stand)
    } else {
      stand.console.printError("mosquitto is not installed; skipping the MQTT row.")
    }
    return rows + (try HTTPBenchCommand.rows(http, stand))
  }

  /// Measures the build, which takes minutes per round; only when run in the source folder.
  private static func build(_ stand: BenchStand) throws -> [BenchRow] {
    guard BuildBench.isSource(BuildBenchCommand.here) else {
      stand.console.printError("not in the source folder of Flotilla; skipping the build row.")
      return []
    }
    return try BuildBenchCommand.rows(of: BuildBenchCommand.here, rounds: 1, stand)
  }

  /// Measures an overload that is long enough to show the recovery.
  private static func overload(_ stand: BenchStand) throws -> [BenchRow] {
    guard !stand.interruption.isRequested else { return [] }
    stand.show("overload: search, before, overload, after")
    defer { stand.show("") }
    let record = try BenchFolder.use { folder in
      let place = IngestCommand.place(folder)
      var plan = OverloadPlan(
        executable: place.executable, storePath: place.storePath, logFile: place.logFile)
      (plan.searchStepSeconds, plan.confirmationSeconds) = (2, 4)
      (plan.baselineSeconds, plan.overloadSeconds) = (6, 8)
      return try OverloadBench.run(
        plan, progress: { _ in }, shouldStop: { stand.interruption.isRequested })
    }
    return stand.interruption.isRequested ? [] : [BenchRow(record)]
  }
}

enum BenchPeersCommand {
  static var command: Command {
    Command(
      "peers",
      """
      Compare Flotilla with C on epoll and gRPC C++, alternating, with the ratios of each round. \
      The codecs differ: the closest is C with columns, zstd-1 and a dictionary; C with columns \
      and no zstd does the least work. Also compares a TLS handshake with plain OpenSSL.
      """,
      options: [
        .text("--folder", "FOLDER", \.folder, "Folder of the built peers; default .build/peers."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds; each runs every program once."),
      ],
      examples: ["make bench-peers", "flotilla-lab bench peers --folder /tmp/peers --rounds 5"],
      rows: rows)
  }

  private static func rows(
    _ options: BenchRoundOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    let peers = options.folder ?? ".build/peers"
    guard PeerProgram.rows.isBuilt(in: peers), PeerProgram.columns.isBuilt(in: peers) else {
      throw CommandError(
        exit: .badInput, message: "\(peers): no peers built there; run 'make bench-peers'.")
    }
    if !PeerProgram.unary.isBuilt(in: peers) {
      stand.console.printError("gRPC C++ is not built in \(peers); skipping its rows.")
    }
    return try BenchFolder.use { folder in
      let place = IngestCommand.place(folder)
      var rows = try PeerBench.plans.flatMap { plan in
        try stand.rows(
          PeerBench(
            plan, peers: peers, place, shouldStop: { stand.interruption.isRequested }),
          warmUp: 0, rounds: options.rounds)
      }
      rows += try stand.rows(
        PeerHoldBench(pending: 1_000_000, events: 8_000_000, peers: peers), warmUp: 0,
        rounds: options.rounds)
      guard PeerHandshakeBench.isBuilt(in: peers) else { return rows }
      return try rows
        + HandshakeCommand.peerRows(peers, rounds: options.rounds, folder, stand)
    }
  }
}
