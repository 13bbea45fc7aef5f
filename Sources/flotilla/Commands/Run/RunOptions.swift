internal import Commands
internal import Foundation

/// How a run shows itself while it lasts.
enum Interface: String, CaseIterable {
  case auto, tui, plain, json, none
}

/// What `load` and `simulate` have in common.
struct RunOptions: Equatable {
  var scenario = ScenarioOptions()
  /// 0: one per core.
  var threads = 0
  /// nil: `runs/<scenario>-<time>`.
  var out: String?
  /// The part of the fleet that this process is; nil: all of it.
  var shard: ShardWord?
  /// When the live part begins; nil: as soon as the fleet is ready.
  var startAt: Date?
  /// A file that takes the raw frames of the run.
  var capture: String?
  /// Where the fleet is kept as it stands after its warm start.
  var cache = RunCache.standard
  /// Say what would run, and stop.
  var isDryRun = false
  var interface = Interface.auto
  var isColorless = false
  var isQuiet: Bool {
    get { scenario.isQuiet }
    set { scenario.isQuiet = newValue }
  }
}

extension Option {
  static func run(_ path: WritableKeyPath<Options, RunOptions>) -> [Option] {
    scenario(path.appending(path: \.scenario)) + [
      .count(
        "--threads", path.appending(path: \.threads), 0...1_024,
        "Threads for the fleet; 0, the default, is one per core."),
      .text("--out", "DIR", path.appending(path: \.out), "Where the run's files go."),
      .text("--capture", "FILE", path.appending(path: \.capture), "Keep the raw frames."),
      Option(
        name: "--cache", placeholder: "DIR|off",
        help: "Where fleets are kept after their warm starts; else ~/.cache/flotilla."
      ) { text, options in
        options[keyPath: path.appending(path: \.cache)] = RunCache(text)
      },
      .flag(
        "--dry-run", path.appending(path: \.isDryRun), "Validate, say what would run, and stop."),
      .word("--ui", path.appending(path: \.interface), "How the run shows itself."),
      .flag("--no-color", path.appending(path: \.isColorless), "Plain text; NO_COLOR does it too."),
      .flag("--quiet", path.appending(path: \.isQuiet), "Only the verdict."),
    ]
  }
}
