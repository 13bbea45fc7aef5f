internal import Commands
internal import Foundation
internal import Transport

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
      What one core sends over HTTP/1.1 on kept connections: batches of 100 fixes as JSON to a \
      process that answers at once; as many as go, and half of that by the clock.
      """,
      options: [
        .count("--connections", \.connections, 1...10_000, "That are kept open."),
        .count("--seconds", \.seconds, 1...3_600, "Of each half of a round."),
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .flag(
          "--serve", \.serve,
          "Be the server instead: print a port, and answer until standard input ends."),
        .flag("--json", \.json, "Rows as JSON."),
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
    do throws(ProgramError) {
      return try stand.rows(
        HTTPBench(
          executable: Programs.lab, connections: options.connections,
          seconds: options.seconds, shouldStop: { stand.interruption.isRequested }),
        warmUp: 0, rounds: options.rounds)
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
  }

  private static func serve(_ console: Console) throws -> ExitCode {
    do throws(TransportError) {
      try HTTPBenchServer.run { port, stop in
        console.line("\(port)")
        ParentWatch.begin(stop)
      }
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
    return .pass
  }
}
