internal import Commands
internal import Foundation

struct BuildBenchOptions: RowOptions {
  var source: String?
  var rounds = 1
  var json = false
}

enum BuildBenchCommand {
  static var command: Command {
    Command(
      "build",
      """
      Measure 'make build' in a fresh clone, and again without changes. Takes minutes per round.
      """,
      options: [
        .text(
          "--source", "FOLDER", \.source,
          "Repository, whose last commit is built; default: working directory."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, each with a new clone."),
      ],
      examples: [
        "flotilla-lab bench build", "flotilla-lab bench build --source ../flotilla --rounds 3",
      ],
      rows: rows)
  }

  static var here: URL { URL(fileURLWithPath: ".") }

  private static func rows(
    _ options: BuildBenchOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    let source = options.source.map { URL(fileURLWithPath: $0) } ?? here
    guard BuildBench.isSource(source) else {
      throw CommandError(
        exit: .badInput,
        message: "\(source.path): not a repository with a Makefile; give Flotilla's with --source.")
    }
    return try rows(of: source, rounds: options.rounds, stand)
  }

  static func rows(of source: URL, rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try stand.rows(
        BuildBench(
          source: source, folder: folder,
          shouldStop: { stand.interruption.isRequested }),
        warmUp: 0, rounds: rounds)
    }
  }
}
