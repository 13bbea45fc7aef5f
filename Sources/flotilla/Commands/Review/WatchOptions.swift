internal import Commands
internal import Core
internal import Report

struct WatchOptions: Equatable {
  /// A collector's address, or the folder of a run.
  var target = ""
  var isOnce = false
  /// The size of the frame; nil for the terminal's, or 80 × 24 without a terminal.
  var size: Size?
  /// The speed of a replay, as a factor.
  var speed = 1.0
  var isASCII = false
  var tokenFile: String?
  var tls = TLSOptions()
  /// The address of the live page; nil for none.
  var web: Endpoint?
  var interface = Interface.auto

  /// The allowed speeds. A slower replay looks frozen, a faster replay shows only its end.
  private static let speeds = 0.01...10_000

  static func command(_ body: @escaping (WatchOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "watch", "Watch a running collector, or replay a recorded run.",
      positionals: [
        Positional(
          name: "HOST:PORT|RUN",
          help: "Address of a collector, or folder of a run."
        ) { $1.target = $0 }
      ],
      options: [
        .flag("--once", \.isOnce, "Print one frame as text and exit; for a run, the last frame."),
        Option(
          "--size", "COLUMNSxROWS", "Size of the frame of --once; default: the terminal, or 80x24.",
          wanted: "COLUMNSxROWS, such as 80x24", size, set: { $1.size = $0 }),
        Option(
          "--speed", "X",
          "Replay speed: a multiple of real time; for a simulation, of 10 rows per second.",
          wanted: "a number from 0.01 to 10000, such as 4",
          { Double($0).flatMap { speeds.contains($0) ? $0 : nil } }, set: { $1.speed = $0 }),
        .flag(
          "--ascii", \.isASCII, "Draw with ASCII only; default in locales other than UTF-8."),
        .text("--token-file", "FILE", \.tokenFile, "File with the token for the collector."),
        .web(\.web),
        .word("--ui", \.interface, "Display mode; plain and json print one line per second."),
        .movedColor,
      ] + Option.tls(\.tls),
      examples: [
        "flotilla watch 127.0.0.1:7070",
        "flotilla watch collector.example:7070 --token-file token.txt",
        "flotilla watch 127.0.0.1:7070 --once",
        "flotilla watch 127.0.0.1:7070 --web 127.0.0.1:8088",
        "flotilla watch runs/city-20260302-073000 --speed 4",
        "flotilla watch runs/city-20260302-073000 --web 127.0.0.1:8088",
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
