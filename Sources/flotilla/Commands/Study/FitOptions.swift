internal import Commands
internal import Core

struct FitOptions: Equatable {
  var run = RunOptions()
  var log = LogFiles()
  /// The log's UTC offset; nil to derive the offset from the longitudes.
  var utcOffset: SimDuration?
  /// The name of the output files; nil for the name of the first log.
  var name: String?
  var phones = 60
  /// The number of simulations; 0 for none.
  var runs = 24
  var seed = 1
  /// The number of threads; 0 for one per core.
  var threads = 0
  var isJSON = false

  static func command(_ body: @escaping (FitOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "fit", "Fit a policy and a profile to the log of your own server.",
      options: options,
      examples: [
        "flotilla fit --log fixes.csv",
        "flotilla fit --log fixes.csv --dry-run",
        "flotilla fit --log owntracks/a/phone/2026-03.rec --log Timeline.json",
        "zcat monday.csv.gz | flotilla fit --log - --name monday",
        "flotilla fit --log fixes.csv --columns phone=device,time=recorded_at,received=created_at",
        "flotilla fit --log trip.csv --columns time=5,latitude=6,longitude=7,accuracy=11",
        "flotilla fit --log app.csv --epoch apple",
        "flotilla fit --log monday.csv --log tuesday.csv --utc-offset +01:00 --out fitted",
        "flotilla simulate fitted/fixes.yaml --phones 10000",
        "flotilla fit --log fixes.csv --json --quiet | jq '.figures[] | {figure, heldDistance}'",
        "flotilla fit --log fixes.csv --json --quiet | jq '.ranges.values[] | {key, low, high}'",
      ],
      start: FitOptions(), body: body)
  }

  private static var options: [Option<FitOptions>] {
    Option.log(
      "--log", \.log,
      "CSV or JSON file of fixes, also gzip-compressed; - for standard input. Repeatable, the "
        + "files form one log.") + [
        Option(
          "--utc-offset", "+HH:MM",
          "Local time of the log; default: derived from the longitudes.",
          wanted: "an offset from -14:00 to +14:00, such as +01:00", { CivilText.offset($0) },
          set: { $1.utcOffset = $0 }),
        Option(
          "--name", "NAME",
          "Name of the scenario, policy and profile; default: the name of the log.",
          wanted: "a name of letters, digits, '-' and '_'",
          { (1...60).contains($0.count) && $0.allSatisfy(LogFiles.isOfName) ? $0 : nil },
          set: { $1.name = $0 }),
        .count("--phones", \.phones, 1...100_000, "Number of phones in each simulation."),
        .count(
          "--runs", \.runs, 0...1_000,
          "Maximum number of policies in the search; half as many more are simulated for ranges. 0: "
            + "describe the log only."),
        .count("--seed", \.seed, 0...Int.max, "Random seed."),
        .count(
          "--threads", \.threads, 0...1_024, "Number of threads; default 0, one per core."),
        .text(
          "--scenarios", "DIR", \.run.scenario.folder,
          "Folder to search for scenarios, instead of the usual ones."),
        .json(Studies.fit, \.isJSON),
      ] + Option.files(\.run)
  }
}
