internal import Commands
internal import Core

enum Interface: String, CaseIterable {
  case auto, tui, plain, json, none
}

struct RunOptions: Equatable {
  var scenario = ScenarioOptions()
  /// The output folder; nil for `runs/<scenario>-<time>`.
  var out: String?
  /// This process's part of the fleet; nil for the whole fleet.
  var shard: ShardWord?
  var isDryRun = false
  /// The file of JUnit XML; nil for none.
  var junit: String?
  var interface = Interface.auto
  var isQuiet: Bool {
    get { scenario.isQuiet }
    set { scenario.isQuiet = newValue }
  }
}

extension Option {
  static func web(_ path: WritableKeyPath<Options, Endpoint?>) -> Option {
    .address(
      "--web", path, "Serve a live page at an address such as 127.0.0.1:8088; port 0: any.")
  }
}
