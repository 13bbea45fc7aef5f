internal import Capacity
internal import Commands
internal import Core

struct FitOptions: Equatable {
  var run = RunOptions()
  var logs: [String] = []
  /// `COLUMN=HEADER` or `COLUMN=NUMBER`, separated by commas; nil to use the header.
  var columns: String?
  /// Such as `+01:00`; nil to use the longitudes.
  var utcOffset: SimDuration?
  /// The name of the written files; nil for the first log's.
  var name: String?
  var phones = 60
  /// 0 for no simulation.
  var runs = 24
  var seed = 1
  var skipsBadLines = false
  var isJSON = false

  static func command(_ body: @escaping (FitOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "fit", "Make a policy and a profile from your own server’s log, and say how near they come.",
      options: options,
      examples: [
        "flotilla fit --log fixes.csv",
        "flotilla fit --log fixes.csv --dry-run",
        "flotilla fit --log fixes.csv --columns phone=device,time=recorded_at,received=created_at",
        "flotilla fit --log trip.csv --columns time=5,latitude=6,longitude=7,accuracy=11",
        "flotilla fit --log monday.csv --log tuesday.csv --utc-offset +01:00 --out fitted",
        "flotilla simulate fitted/fixes.yaml --phones 10000",
        "flotilla fit --log fixes.csv --json --quiet | jq '.figures[] | {figure, heldDistance}'",
      ],
      start: FitOptions(), body: body)
  }

  static func isOfName(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == "_")
  }

  private static var options: [Option<FitOptions>] {
    let columns = LogColumn.allCases.map(\.rawValue).joined(separator: ", ")
    return [
      .texts(
        "--log", "FILE", \.logs, "A CSV file with a row for each fix; repeatable, all are one log."
      ),
      .text(
        "--columns", "COLUMN=NAME,…", \.columns,
        "What the header does not say: of \(columns), a header or a number from 1."),
      Option(
        "--utc-offset", "+HH:MM",
        "The place’s clock, for times of day; without it, what the longitudes say.",
        wanted: "an offset from -14:00 to +14:00, as +01:00", { CivilText.offset($0) },
        set: { $1.utcOffset = $0 }),
      Option(
        "--name", "NAME", "What the scenario, policy and profile are called.",
        wanted: "a name of letters, digits, '-' and '_'",
        { (1...60).contains($0.count) && $0.allSatisfy(isOfName) ? $0 : nil },
        set: { $1.name = $0 }),
      .count("--phones", \.phones, 1...100_000, "Phones of each simulation."),
      .count(
        "--runs", \.runs, 0...1_000,
        "The most policies that are simulated; 0: none, only the log is described."),
      .count("--seed", \.seed, 0...Int.max, "Another seed, another world."),
      .threads(\.run),
      .flag(
        "--skip-bad-lines", \.skipsBadLines,
        "Leave out lines that cannot be read, and say how many they were."),
      .text(
        "--scenarios", "DIR", \.run.scenario.folder, "Where scenarios are looked up by name."),
      .json(Studies.fit, \.isJSON),
    ] + Option.files(\.run)
  }
}
