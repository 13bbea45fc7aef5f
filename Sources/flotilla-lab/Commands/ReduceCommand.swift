internal import Commands

struct ReduceOptions: Equatable {
  /// The number of processes; 0 to measure 2, 4 and 16.
  var processes = 0
  var rounds = 5
  var json = false
}

enum ReduceCommand {
  static var command: Command {
    Command(
      "reduce", "Measure the merge of a run's processes: CPU time per second, to send and to add.",
      options: [
        .count("--processes", \.processes, 0...4_096, "Processes of the run; 0: 2, 4 and 16."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, after one warm-up round."),
        .flag("--json", \.json, "Print the rows as JSON."),
      ],
      examples: ["flotilla-lab bench reduce", "flotilla-lab bench reduce --processes 64 --json"],
      start: ReduceOptions(), body: run)
  }

  private static func run(_ options: ReduceOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    let sizes = options.processes > 0 ? [options.processes] : [2, 4, 16]
    return try stand.finish(rows(sizes, rounds: options.rounds, stand), json: options.json)
  }

  static func rows(_ sizes: [Int], rounds: Int, _ stand: BenchStand) throws -> [BenchRow] {
    var options = ScenarioOptions()
    options.names = ["city"]
    let scenario = try options.load()
    return sizes.flatMap { processes in
      stand.rows(ReduceBench(scenario, processes: processes), warmUp: 1, rounds: rounds)
    }
  }
}
