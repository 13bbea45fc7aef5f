internal import Commands

struct ReduceOptions: RowOptions {
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
      ],
      examples: ["flotilla-lab bench reduce", "flotilla-lab bench reduce --processes 64 --json"],
      rows: { (options: ReduceOptions, stand) in
        let sizes = options.processes > 0 ? [options.processes] : [2, 4, 16]
        return try rows(sizes, rounds: options.rounds, stand)
      })
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
