internal import Commands
internal import Foundation

struct KeptOptions: RowOptions {
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
      Measure many idle connections: memory per connection on both sides, and errors. If the limit \
      of open files is too low, several generators share one core, and as many collectors the \
      other.
      """,
      options: [
        .count("--connections", \.connections, 1...1_000_000, "Number of open connections."),
        .count(
          "--pairs", \.pairs, 0...64,
          "Pairs of generator and collector; 0: as many as the limit of open files requires."),
        .count("--rate", \.rate, 1...1_000_000, "Total batches per second."),
        .count("--seconds", \.seconds, 1...600, "Measured time in seconds, without connecting."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
      ],
      examples: [
        "flotilla-lab bench kept",
        "flotilla-lab bench kept --connections 30000 --seconds 10 --json",
      ],
      rows: rows)
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
