internal import Commands
internal import Report

struct WatchOptions: Equatable {
  /// A collector's address, or the folder of a run.
  var target = ""
  var isOnce = false
  /// Of that frame; nil for the terminal's, or 80 × 24 without one.
  var size: Size?
  /// Of a replay, as a multiple.
  var speed = 1.0
  var isASCII = false
  var tokenFile: String?
  var tls = TLSOptions()
  var interface = Interface.auto
  var isColorless = false

  /// Slower is a still picture; faster shows only the last frame.
  private static let speeds = 0.01...10_000

  static func command(_ body: @escaping (WatchOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "watch", "Show a collector that runs somewhere, or a recorded run again.",
      positionals: [
        Positional(
          name: "HOST:PORT|RUN",
          help: "Where a collector listens, or the folder of a run."
        ) { $1.target = $0 }
      ],
      options: [
        .flag("--once", \.isOnce, "Print one frame as text, and end; of a run, its last."),
        Option(
          "--size", "COLUMNSxROWS", "Of that frame; without it, the terminal's, or 80x24.",
          wanted: "COLUMNSxROWS, such as 80x24", size, set: { $1.size = $0 }),
        Option(
          "--speed", "X",
          "Play a run X times as fast as it was; a simulation, X times 10 rows a second.",
          wanted: "a number from 0.01 to 10000, such as 4",
          { Double($0).flatMap { speeds.contains($0) ? $0 : nil } }, set: { $1.speed = $0 }),
        .flag(
          "--ascii", \.isASCII, "Draw with ASCII only, as in a locale that is not UTF-8."),
        .text("--token-file", "FILE", \.tokenFile, "What the collector asks its clients for."),
        .word("--ui", \.interface, "How it shows itself; plain and json write a line a second."),
        .flag("--no-color", \.isColorless, "Plain text; NO_COLOR does it too."),
      ] + Option.tls(\.tls),
      examples: [
        "flotilla watch 127.0.0.1:7070",
        "flotilla watch collector.example:7070 --token-file token.txt",
        "flotilla watch 127.0.0.1:7070 --once",
        "flotilla watch runs/city-20260302-073000 --speed 4",
        "flotilla watch runs/city-20260302-073000 --once --size 60x15",
      ],
      start: WatchOptions(), body: body)
  }

  private static func size(_ text: String) -> Size? {
    let numbers = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let columns = numbers[0], let rows = numbers[1],
      (1...1_000).contains(columns), (1...1_000).contains(rows)
    else { return nil }
    return Size(columns: columns, rows: rows)
  }
}
