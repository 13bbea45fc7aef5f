/// The options of `flotilla simulate`.
struct SimulateOptions: Equatable {
  var run = RunOptions()
  /// The folder of a `load` run whose inputs from the server are replayed.
  var inputs: String?

  /// - Parameter body: lives the scenario in virtual time.
  static func command(_ body: @escaping (SimulateOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "simulate", "Live the scenario in virtual time, without sockets.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .text("--inputs", "RUN", \.inputs, "Replay what the server said in this load run.")
      ],
      examples: [
        "flotilla simulate city",
        "flotilla simulate city --phones 1000 --duration 24h --seed 7",
        "flotilla simulate city --inputs runs/city-20260302-073000",
      ],
      start: SimulateOptions(), body: body)
  }
}
