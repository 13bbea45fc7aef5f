internal import Commands
internal import Foundation

enum Interface: String, CaseIterable {
  case auto, tui, plain, json, none
}

struct RunOptions: Equatable {
  var scenario = ScenarioOptions()
  /// 0 for one per core.
  var threads = 0
  /// Nil for `runs/<scenario>-<time>`.
  var out: String?
  /// This process's part of the fleet; nil for all.
  var shard: ShardWord?
  /// The start of the live part; nil for as soon as the fleet is ready.
  var startAt: Date?
  var capture: String?
  var cache = RunCache.standard
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
