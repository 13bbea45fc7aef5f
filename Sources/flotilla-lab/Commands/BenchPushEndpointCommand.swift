internal import Commands
internal import Foundation

struct BenchPushEndpointOptions: Equatable {
  var phones = 100_000
  var seconds = 3
  var rounds = 3
  /// The folder of the built bare server.
  var peers: String?
  var json = false
}

enum BenchPushEndpointCommand {
  static var command: Command {
    Command(
      "push-endpoint",
      """
      Pushes a second that the endpoint of a live run accepts on one core, over TLS, ten \
      connections and a hundred streams each, from h2load; in turn with the endpoint alone in the \
      clear and, where make bench has built it, with a bare server of nghttp2.
      """,
      options: [
        .count("--phones", \.phones, 10_000...1_000_000, "Of the live run."),
        .count("--seconds", \.seconds, 1...600, "Of each run, after one to warm up."),
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .text("--peers", "FOLDER", \.peers, "Where the bare server is; else .build/peers."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: [
        "flotilla-lab bench push-endpoint", "flotilla-lab bench push-endpoint --rounds 5 --json",
      ],
      start: BenchPushEndpointOptions(), body: run)
  }

  private static func run(
    _ options: BenchPushEndpointOptions, _ console: Console
  ) throws -> ExitCode {
    let stand = BenchStand(console)
    guard PushEndpointBench.isPossible else {
      throw CommandError(exit: .cannotListenOrWrite, message: absence)
    }
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  private static let absence =
    "h2load is missing: apt-get install nghttp2-client, which pushes as fast as is answered."

  /// None, with a message, if h2load is missing.
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
      stand.console.printError("\(bare) is not built: the endpoint goes without the bare server.")
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
