internal import Commands
internal import Foundation

struct BenchPushEndpointOptions: RowOptions {
  var phones = 100_000
  var seconds = 3
  var rounds = 3
  /// The folder of the nghttp2 server; nil for `.build/peers`.
  var peers: String?
  var json = false
}

enum BenchPushEndpointCommand {
  static var command: Command {
    Command(
      "push-endpoint",
      """
      Measure the pushes per second that the endpoint of a run accepts on one core, from h2load \
      over TLS, with 10 connections of 100 streams. Alternates with the endpoint alone without TLS \
      and, if 'make bench' has built it, a minimal nghttp2 server.
      """,
      options: [
        .count("--phones", \.phones, 10_000...1_000_000, "Phones of the run."),
        .count(
          "--seconds", \.seconds, 1...600,
          "Length of each run in seconds, after one second of warm-up."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
        .text("--peers", "FOLDER", \.peers, "Folder of the nghttp2 server; default .build/peers."),
      ],
      examples: [
        "flotilla-lab bench push-endpoint", "flotilla-lab bench push-endpoint --rounds 5 --json",
      ],
      rows: possibleRows)
  }

  private static func possibleRows(
    _ options: BenchPushEndpointOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    guard PushEndpointBench.isPossible else {
      throw CommandError(exit: .cannotListenOrWrite, message: absence)
    }
    return try rows(options, stand)
  }

  private static let absence =
    "h2load is not installed; run 'apt-get install nghttp2-client'."

  /// Returns the rows; none, after a message, if h2load is missing.
  static func rows(
    _ options: BenchPushEndpointOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    guard PushEndpointBench.isPossible else {
      stand.console.printError(absence)
      return []
    }
    let bare = "\(options.peers ?? ".build/peers")/h2"
    let isBuilt = FileManager.default.isExecutableFile(atPath: bare)
    if !isBuilt {
      stand.console.printError("\(bare) is not built; skipping the nghttp2 server.")
    }
    return try BenchFolder.use { folder in
      var plan = PushEndpointBench.Plan(
        executable: Programs.flotilla, folder: folder,
        unixNow: { Int64(Date().timeIntervalSince1970) })
      (plan.phones, plan.seconds) = (options.phones, options.seconds)
      plan.bare = isBuilt ? bare : nil
      return try stand.rows(
        PushEndpointBench(plan, shouldStop: { stand.interruption.isRequested }), warmUp: 0,
        rounds: options.rounds)
    }
  }
}
