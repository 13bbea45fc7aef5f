/// The options of `flotilla simulate`.
struct SimulateOptions: Equatable {
  var run = RunOptions()
  /// The folder of a `load` run whose inputs from the server are replayed.
  var inputs: String?
  /// Policies, separated by commas.
  var compare: String?

  /// - Parameter body: lives the scenario in virtual time.
  static func command(_ body: @escaping (SimulateOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "simulate", "Live the scenario in virtual time, without sockets.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .text("--inputs", "RUN", \.inputs, "Replay what the server said in this load run."),
        .text(
          "--compare", "A,B,…", \.compare,
          "Live it once with each policy, and set them side by side; 'as-written' is its own mix."),
      ],
      examples: [
        "flotilla simulate city",
        "flotilla simulate city --phones 1000 --duration 24h --seed 7",
        "flotilla simulate city --phones 1000 --duration 24h --compare hybrid,significant-change",
        "flotilla simulate city --compare as-written,hybrid --ui json",
        "flotilla simulate city --inputs runs/city-20260302-073000",
      ],
      start: SimulateOptions(), body: body)
  }
}
