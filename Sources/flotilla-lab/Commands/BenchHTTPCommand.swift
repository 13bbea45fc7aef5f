internal import Commands
internal import Foundation

struct HTTPBenchOptions: Equatable {
  var connections = 64
  var seconds = 5
  var rounds = 3
  var serve = false
  var json = false
}

enum HTTPBenchCommand {
  static var command: Command {
    Command(
      "http",
      """
      Measure the HTTP/1.1 throughput of one core on persistent connections: JSON batches of 100 \
      fixes to a server that responds immediately, at the maximum rate and at half of it.
      """,
      options: [
        .count("--connections", \.connections, 1...10_000, "Number of persistent connections."),
        .count("--seconds", \.seconds, 1...3_600, "Length of each half of a round, in seconds."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
        .flag(
          "--serve", \.serve,
          "Run as the server: print the port, and respond until standard input is closed."),
        .flag("--json", \.json, "Print the rows as JSON."),
      ],
      examples: ["flotilla-lab bench http", "flotilla-lab bench http --connections 1000 --json"],
      start: HTTPBenchOptions(), body: run)
  }

  private static func run(_ options: HTTPBenchOptions, _ console: Console) throws -> ExitCode {
    if options.serve { return try serve(console) }
    let stand = BenchStand(console)
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  static func rows(_ options: HTTPBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try stand.rows(
      HTTPBench(
        executable: Programs.lab, connections: options.connections,
        seconds: options.seconds, shouldStop: { stand.interruption.isRequested }),
      warmUp: 0, rounds: options.rounds)
  }

  private static func serve(_ console: Console) throws -> ExitCode {
    try HTTPBenchServer.run { port, stop in
      console.line("\(port)")
      ParentWatch.begin(stop)
    }
    return .pass
  }
}
