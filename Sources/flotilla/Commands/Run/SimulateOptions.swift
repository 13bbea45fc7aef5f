internal import Commands
internal import Figures

struct SimulateOptions: Equatable {
  var run = RunOptions()
  /// The folder of a `load` run whose inputs from the server are replayed.
  var inputs: String?
  var compare: String?
  /// The axes of a sweep as `KEY=VALUES`, in the order of the command line.
  var sweep: [String] = []
  var checkpoint: String?
  /// The time of the checkpoint, as a time of day or an offset from the scenario's start.
  var at: String?
  var from: String?
  /// The number of sets of the model's parameters; 0 for none, nil for a preview of small runs.
  var ensemble: Int?

  static func command(_ body: @escaping (SimulateOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "simulate", "Simulate the scenario offline, without sockets.",
      positionals: [
        Positional(
          name: "SCENARIO",
          help: "Name of a scenario, such as city, or path of a file; not needed with --from.",
          isOptional: true
        ) { $1.run.scenario.names.append($0) }
      ],
      options: Option.run(\.run) + [
        .junit(\.run), .shard(\.run),
        .text("--inputs", "RUN", \.inputs, "Replay the server responses of this load run."),
        .text(
          "--compare", "A,B,…", \.compare,
          "Simulate each of these policies and compare them; as-written: the scenario's own mix."),
        .texts("--sweep", "KEY=VALUES", \.sweep, sweepHelp),
        .ensemble(\.ensemble, ensembleHelp),
        .text(
          "--checkpoint", "FILE", \.checkpoint,
          "Save the state of fleet and server at the time of --at, for --from."),
        .text(
          "--at", "TIME", \.at,
          "Time of the checkpoint: a time of day such as 12:00, or an offset such as 45min."),
        .text(
          "--from", "FILE", \.from,
          "Continue from a checkpoint. --set may change policies, pushes and SLOs from then on;\n"
            + "    results cover the time after the checkpoint."),
      ],
      examples: [
        "flotilla simulate city",
        "flotilla simulate city --phones 1000 --duration 24h --seed 7",
        "flotilla simulate city --phones 1000 --duration 24h --compare hybrid,significant-change",
        "flotilla simulate city --ensemble 32",
        "flotilla simulate city --compare hybrid,significant-change --ensemble 32",
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

  private static let ensembleHelp =
    "Also simulate N sets of the model's parameters, within their stated ranges, with at most\n"
    + "    300 phones: main figures get an interval. Also with --compare and --sweep.\n"
    + "    0: none; default 8 if they take less time than the run and about 10 s, else none."

  private static let sweepHelp =
    "Simulate every value of a key of --set; repeatable, for all combinations (at most 200).\n"
    + "    A..B:N: N evenly spaced values, such as 15min..4h:6; A..B:Nlog: N values with a\n"
    + "    constant ratio. Inner values are rounded, by at most 5 % of the step or to integers.\n"
    + "    V1,V2,…: these values; a {map} or [list] is one value."
}

extension Option {
  static func ensemble(_ sets: WritableKeyPath<Options, Int?>, _ help: String) -> Option {
    Option(
      "--ensemble", "N", help, wanted: "0 or a whole number from 4 to 1000",
      {
        Int($0).flatMap { $0 == 0 || (EnsembleFigures.setsMin...1_000).contains($0) ? $0 : nil }
      },
      set: { $1[keyPath: sets] = $0 })
  }
}
