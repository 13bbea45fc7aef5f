internal import Commands
internal import Foundation

struct WebBenchOptions: Equatable {
  var phones = 10_000
  var seconds = 30
  var rounds = 3
  var json = false
}

enum WebBenchCommand {
  static var command: Command {
    Command(
      "web",
      "The generator's lag p99 of a load with its live page closed, and read by two, in turn.",
      options: [
        .count("--phones", \.phones, 10...10_000_000, "Of the load."),
        .count("--seconds", \.seconds, 4...3_600, "Of each load."),
        .count("--rounds", \.rounds, 1...1_000, "Of two loads each."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: ["flotilla-lab bench web", "flotilla-lab bench web --rounds 8 --json"],
      start: WebBenchOptions(), body: BenchStand.body(\.json, rows))
  }

  static func rows(_ options: WebBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      var plan = WebBench.Plan(executable: Programs.flotilla, folder: folder)
      (plan.phones, plan.seconds) = (options.phones, options.seconds)
      return try stand.rows(WebBench(plan), warmUp: 0, rounds: options.rounds)
    }
  }
}
