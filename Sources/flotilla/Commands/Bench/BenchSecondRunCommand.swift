internal import Bench
internal import Foundation

/// The options of `flotilla bench second-run` and `flotilla bench tune`.
struct ProgramBenchOptions: Equatable {
  var rounds = 1
  var isQuick = false
  var json = false
}

/// `flotilla bench second-run`: what the cache of warm starts saves.
enum SecondRunCommand {
  static var command: Command {
    Command(
      "second-run",
      """
      The same command twice with a cache of its own: a load of 50,000 phones of city, and a \
      million phones of metropolis, whose first warm start takes minutes.
      """,
      options: [
        .flag("--quick", \.isQuick, "Without the million."),
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: ["flotilla bench second-run", "flotilla bench second-run --quick --rounds 3"],
      start: ProgramBenchOptions(), body: run)
  }

  private static func run(_ options: ProgramBenchOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  static func rows(_ options: ProgramBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      let program = BenchFolder.executable
      let load = SecondRunBench.Plan.load(executable: program, folder: folder)
      let million = SecondRunBench.Plan.million(executable: program, folder: folder)
      return try (options.isQuick ? [load] : [load, million]).flatMap {
        try stand.rows(SecondRunBench($0), warmUp: 0, rounds: options.rounds)
      }
    }
  }
}

/// `flotilla bench tune`: what a search of settings takes of a grid.
enum TuneBenchCommand {
  static var command: Command {
    Command(
      "tune", "A search of settings, and its share of the phone-days of a grid of all of them.",
      options: [
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: ["flotilla bench tune", "flotilla bench tune --rounds 3 --json"],
      start: ProgramBenchOptions(), body: run)
  }

  private static func run(_ options: ProgramBenchOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    return try stand.finish(try rows(rounds: options.rounds, stand), json: options.json)
  }

  static func rows(rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try stand.rows(
        TuneBench(executable: BenchFolder.executable, folder: folder), warmUp: 0, rounds: rounds)
    }
  }
}
