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
    study(path) + [
      .text("--capture", "FILE", path.appending(path: \.capture), "Keep the raw frames.").rare,
      Option(
        name: "--cache", placeholder: "DIR|off",
        help: "Where fleets are kept after their warm starts; else ~/.cache/flotilla."
      ) { text, options in
        options[keyPath: path.appending(path: \.cache)] = RunCache(text)
      }.rare,
    ]
  }
}
