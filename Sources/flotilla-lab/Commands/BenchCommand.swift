internal import Commands
internal import Core

struct BenchOptions: RowOptions {
  var phones = 1_000_000
  var rounds = 3
  var json = false
}

enum BenchCommand {
  static var command: Command {
    Command(
      "bench", "Benchmark the program: median, minimum, maximum, and a CPU probe.",
      [
        IngestCommand.command, KeptCommand.command, EngineCommand.command,
        SecondRunCommand.command, TuneBenchCommand.command, FileBenchCommand.command,
        WebBenchCommand.command,
        StoreCommand.command, push,
        HistogramCommand.command, ReduceCommand.command, WireCommand.command,
        HandshakeCommand.command, HTTPBenchCommand.command, MQTTBenchCommand.command,
        BenchPushEndpointCommand.command,
        OverloadCommand.command, ReconnectCommand.command,
        BuildBenchCommand.command, BenchAllCommand.command,
        BenchPeersCommand.command,
      ],
      examples: [
        "flotilla-lab bench all", "flotilla-lab bench ingest --in-flight 8",
        "flotilla-lab bench engine --queue-only", "flotilla-lab bench overload --seconds 20",
        "flotilla-lab bench push --phones 100000 --json",
      ])
  }

  private static var push: Command {
    Command(
      "push", "Measure the due work of the wake scheduler's sweeps, and its memory.",
      options: [
        .count("--phones", \.phones, 1...10_000_000, "Number of registered phones."),
        .count(
          "--rounds", \.rounds, 1...1_000, "Measured hours of sweeps, after two warm-up hours."),
      ],
      examples: ["flotilla-lab bench push", "flotilla-lab bench push --phones 100000 --json"],
      rows: { (options: BenchOptions, stand) in
        pushRows(phones: options.phones, rounds: options.rounds, stand)
      })
  }

  /// The warm-up rounds: one hour in which phones register, and one to reach a steady state.
  private static let warmUp = 2

  static func pushRows(phones: Int, rounds: Int, _ stand: BenchStand) -> [BenchRow] {
    [PushTerms.Scheduler.fixed, .adaptive].flatMap { scheduler in
      stand.rows(PushBench(phones: phones, scheduler: scheduler), warmUp: warmUp, rounds: rounds)
    }
  }
}
