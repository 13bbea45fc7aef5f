internal import Core
internal import Foundation
package import Scenarios
internal import Synchronization
internal import Transport

package struct ScenarioOptions: Equatable {
  package var names: [String] = []
  /// The settings in the order of the command line, including options such as `--phones`.
  package var settings: [ScenarioChange] = []
  /// The folder to search for scenarios; nil for the standard folders.
  package var folder: String?
  /// Whether to hide the progress of reading a long recording.
  package var isQuiet = false

  package init() {}

  package var name: String { names.first ?? "" }

  package var library: ScenarioLibrary {
    ScenarioLibrary(
      folders: folder.map { [$0] } ?? Self.standardFolders,
      progress: isQuiet ? nil : Self.progressOnTerminal)
  }

  package func load() throws(ScenarioError) -> Scenario {
    try library.load(name, settings: settings)
  }

  /// Loads the scenario with one policy for every cohort.
  package func load(policy: String, origin: String) throws(ScenarioError) -> Scenario {
    try library.load(name, settings: settings, policy: policy, origin: origin)
  }

  /// Returns whether the user sets a key on the command line, or may do so in a scenario file.
  package func asks(for key: String, of block: String) -> Bool {
    library.isPath(name)
      || settings.contains { change in
        change.text.hasPrefix("\(block).\(key)=")
          || change.text.hasPrefix("\(block)=") && change.text.contains(key)
      }
  }

  package static func names(_ list: String, of option: String) throws(CommandError) -> [String] {
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if names.contains("") {
      throw CommandError(
        exit: .usage, message: "\(option): '\(list)' contains an empty name; write A,B,….")
    }
    if let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) {
      throw CommandError(
        exit: .usage, message: "\(option): '\(names[twice])' is repeated; remove one.")
    }
    return names
  }

  /// The folder `scenarios` in the working directory, then in the folders above the executable.
  private static var standardFolders: [String] {
    var folders = ["scenarios"]
    let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
    var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
    let working = URL(fileURLWithPath: "scenarios").standardizedFileURL.path
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("scenarios")
      // `make install` puts scenarios into share/flotilla.
      let installed = folder.appendingPathComponent("share/flotilla/scenarios")
      if let found = [candidate, installed].first(where: {
        FileManager.default.fileExists(atPath: $0.path)
      }) {
        if found.path != working { folders.append(found.path) }
        break
      }
    }
    return folders
  }
}

extension ScenarioOptions {
  private struct ReadingState {
    var path: String?
    var began = MonotonicClock.now
    var isShown = false
  }

  /// The wall-clock time after which the reading of a recording shows its progress.
  private static let patience = WallDuration.seconds(1)

  /// A function that shows the progress of reading a long recording; nil without a terminal.
  private static var progressOnTerminal: ReadProgress? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    let printer = ProgressPrinter(Console())
    let state = Mutex(ReadingState())
    return { path, share in
      state.withLock { state in
        if state.path != path { state = ReadingState(path: path) }
        if MonotonicClock.now - state.began > patience {
          printer.show("reading \(path)  \(Figure.percent(share))", share: share)
          state.isShown = true
        }
        guard share == 1 else { return }
        if state.isShown { printer.close() }
        state = ReadingState()
      }
    }
  }
}

package enum RoundCount {
  /// Returns "1000000" for "1M" and "1500" for "1.5k"; other text unchanged.
  package static func digits(_ text: String) -> String {
    let worth: Double? =
      switch text.last {
      case "k"?: 1e3
      case "M"?: 1e6
      case _: nil
      }
    guard let worth, let number = Double(text.dropLast()) else { return text }
    let count = number * worth
    guard count > 0, count < 1e12, count == count.rounded() else { return text }
    return String(Int(count))
  }
}

extension Positional {
  package static func scenario(
    _ path: WritableKeyPath<Options, ScenarioOptions>, isOptional: Bool = false
  ) -> Positional {
    Positional(
      name: "SCENARIO", help: "Name of a scenario, such as city, or path of a file.",
      isOptional: isOptional
    ) { $1[keyPath: path].names.append($0) }
  }
}

extension Option {
  /// Returns an option that is an alias of `--set KEY=`.
  package static func setting(
    _ name: String, _ placeholder: String, _ key: String,
    _ path: WritableKeyPath<Options, ScenarioOptions>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: placeholder, help: help) { given, options in
      options[keyPath: path].settings.append(
        ScenarioChange("\(key)=\(given.text)", option: given.written))
    }
  }

  package static func scenario(_ path: WritableKeyPath<Options, ScenarioOptions>) -> [Option] {
    [
      Option(
        name: "--phones", placeholder: "N",
        help: "Number of phones, such as 5000, 300k or 1M; default: the scenario's."
      ) { given, options in
        options[keyPath: path].settings.append(
          ScenarioChange(
            "fleet.phones=\(RoundCount.digits(given.text))", option: given.written))
      },
      .setting(
        "--duration", "D", "duration", path,
        "Simulated time without the drain, such as 30min; its ramp is not measured.\n"
          + "    Shorter values shorten ramp and drain too."),
      .setting(
        "--speed", "X", "speed", path,
        "Simulated seconds per wall-clock second; offline runs ignore it."),
      .setting("--seed", "N", "seed", path, "Random seed."),
      Option(
        name: "--set", placeholder: "PATH=VALUE",
        help: "Set a key of the scenario, such as fleet.cohorts[0].share=50%; repeatable."
      ) { given, options in
        options[keyPath: path].settings.append(
          ScenarioChange(given.text, option: given.isOfVariable ? given.written : nil))
      },
      .text(
        "--scenarios", "DIR", path.appending(path: \.folder),
        "Folder to search for scenarios, instead of the usual ones."),
    ]
  }
}
