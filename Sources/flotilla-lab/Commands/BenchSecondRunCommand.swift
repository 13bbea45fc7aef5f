internal import Commands
internal import Foundation

struct ProgramBenchOptions: RowOptions {
  /// The phones of the load or of the last rung of the search, or the rows of the log; 0 for the
  /// number with a bar.
  var phones = 0
  var rounds = 1
  var isQuick = false
  var json = false
}

enum SecondRunCommand {
  static var command: Command {
    Command(
      "second-run",
      """
      Measure a second run with a warm-start cache: a load of 50,000 phones of city, and a \
      simulation of a million phones of metropolis, whose first warm start takes minutes.
      """,
      options: [
        .count("--phones", \.phones, 0...10_000_000, "Phones of the load; 0: 50,000."),
        .flag("--quick", \.isQuick, "Skip the million phones."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
      ],
      examples: [
        "flotilla-lab bench second-run", "flotilla-lab bench second-run --quick --rounds 3",
      ],
      rows: rows)
  }

  static func rows(_ options: ProgramBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      let program = Programs.flotilla
      var load = SecondRunBench.Plan.load(executable: program, folder: folder)
      if options.phones > 0 { load.phones = options.phones }
      let million = SecondRunBench.Plan.million(executable: program, folder: folder)
      return try (options.isQuick ? [load] : [load, million]).flatMap {
        try stand.rows(SecondRunBench($0), warmUp: 0, rounds: options.rounds)
      }
    }
  }
}

enum TuneBenchCommand {
  static var command: Command {
    Command(
      "tune", "Measure a search of settings, and its cost relative to a full grid.",
      options: [
        .count(
          "--phones", \.phones, 0...10_000_000, "Phones of the last rung of the search; 0: 400."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
      ],
      examples: ["flotilla-lab bench tune", "flotilla-lab bench tune --rounds 3 --json"],
      rows: rows)
  }

  static func rows(_ options: ProgramBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try stand.rows(
        TuneBench(
          executable: Programs.flotilla, folder: folder,
          phones: options.phones > 0 ? options.phones : 400),
        warmUp: 0, rounds: options.rounds)
    }
  }
}

enum FileBenchCommand {
  static var command: Command {
    Command(
      "files",
      """
      Measure the reading of a GPX file of 100 MB and of a log of ten million rows, and the report \
      of a day of a million phones, whose simulation takes minutes.
      """,
      options: [
        .count("--rows", \.phones, 0...100_000_000, "Rows of the log; 0: ten million."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
        .flag("--quick", \.isQuick, "A GPX file of 1 MB and a day of 10,000 phones."),
      ],
      examples: ["flotilla-lab bench files", "flotilla-lab bench files --rounds 3 --json"],
      rows: rows)
  }

  static func rows(_ options: ProgramBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try stand.rows(
        FileBench(
          executable: Programs.flotilla, folder: folder,
          rows: options.phones > 0 ? options.phones : 10_000_000,
          megabytes: options.isQuick ? 1 : 100,
          reported: options.isQuick ? 10_000 : 1_000_000),
        warmUp: 0, rounds: options.rounds)
    }
  }
}
