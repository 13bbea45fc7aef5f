internal import Commands
internal import Foundation

struct KeptOptions: Equatable {
  var connections = 100_000
  var pairs = 0
  var rate = 2_000
  var seconds = 300
  var rounds = 1
  var json = false
}

enum KeptCommand {
  static var command: Command {
    Command(
      "kept",
      """
      Connections that are kept, with little under way on them: memory of each on either side, and \
      whether all goes well. Where a process may have fewer descriptors than that, several \
      generators share a core, and as many collectors the other.
      """,
      options: [
        .count("--connections", \.connections, 1...1_000_000, "Open at once."),
        .count("--pairs", \.pairs, 0...64, "Of processes; 0: as their descriptors ask for."),
        .count("--rate", \.rate, 1...1_000_000, "Batches a second, over all."),
        .count("--seconds", \.seconds, 1...600, "For which they live, without connecting."),
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: [
        "flotilla-lab bench kept",
        "flotilla-lab bench kept --connections 30000 --seconds 10 --json",
      ],
      start: KeptOptions(), body: run)
  }

  private static func run(_ options: KeptOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  static func rows(_ options: KeptOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { _ in
      try stand.rows(
        KeptBench(
          executable: Programs.lab, connections: options.connections,
          pairs: options.pairs, rate: options.rate, seconds: options.seconds,
          shouldStop: { stand.interruption.isRequested }),
        warmUp: 0, rounds: options.rounds)
    }
  }
}
