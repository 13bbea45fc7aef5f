internal import Commands

struct SimulateOptions: Equatable {
  var run = RunOptions()
  /// The folder of a `load` run whose inputs from the server are replayed.
  var inputs: String?
  var compare: String?
  /// `KEY=VALUES`, in the order of the command line.
  var sweep: [String] = []
  var checkpoint: String?
  /// A time of day, or a time after the scenario's start.
  var at: String?
  var from: String?

  static func command(_ body: @escaping (SimulateOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "simulate", "Live the scenario in virtual time, without sockets.",
      positionals: [
        Positional(
          name: "SCENARIO",
          help: "A scenario's name, such as city, or the path of a file; --from knows its own.",
          isOptional: true
        ) { $1.run.scenario.names.append($0) }
      ],
      options: Option.run(\.run) + [
        .shard(\.run),
        .text("--inputs", "RUN", \.inputs, "Replay what the server said in this load run."),
        .text(
          "--compare", "A,B,…", \.compare,
          "Live it once with each policy, and set them side by side; 'as-written' is its own mix."),
        .texts("--sweep", "KEY=VALUES", \.sweep, sweepHelp),
        .text(
          "--checkpoint", "FILE", \.checkpoint,
          "Keep the fleet and its server --at an instant, for --from; the run goes on."),
        .text(
          "--at", "TIME", \.at,
          "The checkpoint's instant: a time of day such as 12:00, or 45min after the start."),
        .text(
          "--from", "FILE", \.from,
          "Go on from a checkpoint. --set changes policies, pushes and levels of service from\n"
            + "    there on; figures are of the time after it."),
      ],
      examples: [
        "flotilla simulate city",
        "flotilla simulate city --phones 1000 --duration 24h --seed 7",
        "flotilla simulate city --phones 1000 --duration 24h --compare hybrid,significant-change",
        "flotilla simulate city --compare as-written,hybrid --ui json",
        "flotilla simulate city --sweep push.silentAfter=15min..4h:6 "
          + "--sweep push.scheduler=fixed,adaptive",
        "flotilla simulate city --inputs runs/city-20260302-073000",
        "flotilla simulate city --shard 1/2 --out runs/a",
        "flotilla simulate city --duration 8h --checkpoint noon.life --at 12:00",
        "flotilla simulate --from noon.life --set push.scheduler=none",
      ],
      start: SimulateOptions(), body: body)
  }

  private static let sweepHelp =
    "Live it with every value of a key that --set takes; repeated: with all combinations, 200 at "
    + "most.\n    A..B:N is N values equally far apart with both ends, such as 15min..4h:6; "
    + "A..B:Nlog a constant\n    factor apart; inner values are rounded so that they can be read, "
    + "by a twentieth of the way to\n    the next at most, or to whole numbers. V1,V2,… are values "
    + "as they stand; a {map} or [list] is one."
}
