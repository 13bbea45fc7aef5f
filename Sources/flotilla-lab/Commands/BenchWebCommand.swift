internal import Commands
internal import Foundation

struct WebBenchOptions: RowOptions {
  var phones = 10_000
  var seconds = 30
  var rounds = 3
  var json = false
}

enum WebBenchCommand {
  static var command: Command {
    Command(
      "web",
      "Measure the generator's lag p99, alternately without readers of the live page and with two.",
      options: [
        .count("--phones", \.phones, 10...10_000_000, "Number of phones of each load."),
        .count("--seconds", \.seconds, 4...3_600, "Length of each load, in seconds."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds of two loads each."),
      ],
      examples: ["flotilla-lab bench web", "flotilla-lab bench web --rounds 8 --json"],
      rows: rows)
  }

  static func rows(_ options: WebBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      var plan = WebBench.Plan(executable: Programs.flotilla, folder: folder)
      (plan.phones, plan.seconds) = (options.phones, options.seconds)
      return try stand.rows(WebBench(plan), warmUp: 0, rounds: options.rounds)
    }
  }
}
