internal import Foundation

/// Finds scenarios and reads them.
///
///     name or path ─▶ SourceFile ─▶ YAML tree ─▶ --set ─▶ shapes ─▶ Scenario
///                     (bounded)     (places)              (every mistake at once)
package struct ScenarioLibrary: Sendable {
  /// Folders with `NAME.yaml`, `policies` and `profiles`; the first folder that has a file wins.
  package let folders: [String]
  private let progress: ReadProgress?

  /// Creates a library that searches these folders in order; none of them needs to exist.
  package init(folders: [String], progress: ReadProgress? = nil) {
    self.folders = folders
    self.progress = progress
  }

  /// Reads one scenario after applying `settings` in order. Throws one error with all mistakes.
  package func load(
    _ name: String, settings: [ScenarioChange] = []
  ) throws(ScenarioError) -> Scenario {
    let (root, start) = try tree(name, settings)
    var reading = start
    let scenario = try Self.read(root, &reading)
    var diagnostics: [Diagnostic] = []
    for text in settings {
      if let diagnostic = try Setting(text).diagnostic(in: scenario) {
        diagnostics.append(diagnostic)
      }
    }
    guard diagnostics.isEmpty else { throw ScenarioError(diagnostics) }
    return scenario
  }

  /// Reads a scenario from text that `Scenario.text` wrote. Relative paths in the text start at the
  /// folder of `path`. Throws one error with all mistakes.
  package func load(
    text: String, from path: String, settings: [ScenarioChange] = []
  ) throws(ScenarioError) -> Scenario {
    var parser = YAMLParser(text) { .file(path, line: $0, column: $1) }
    guard var root = try parser.document() else {
      throw ScenarioError([Diagnostic(origin: .whole(path), text: "is empty; write a scenario.")])
    }
    var reading = Reading(library: FileLibrary(folders: folders, progress: progress))
    reading.diagnostics = parser.diagnostics
    for change in settings {
      do throws(ScenarioError) {
        try Setting(change).apply(to: &root)
      } catch {
        reading.diagnostics += error.diagnostics
      }
    }
    return try Self.read(root, &reading)
  }

  /// Reads the scenario with `policy`, from the scenario or the library, for all cohorts.
  package func load(
    _ name: String, settings: [ScenarioChange] = [], policy: String, origin: String
  ) throws(ScenarioError) -> Scenario {
    let (root, start) = try tree(name, settings)
    var reading = start
    var scenario = try Self.read(root, &reading)
    guard let index = reading.index(of: policy, .policy, at: .option(origin)) else {
      throw ScenarioError(reading.diagnostics)
    }
    scenario.setPolicy(index, at: .option(origin), &reading)
    guard reading.diagnostics.isEmpty else { throw ScenarioError(reading.diagnostics) }
    // A rollout would replace the requested policy.
    scenario.rollouts = []
    return scenario
  }

  private func tree(
    _ name: String, _ settings: [ScenarioChange]
  ) throws(ScenarioError) -> (YAMLNode, Reading) {
    let path = try path(of: name)
    var diagnostics: [Diagnostic] = []
    guard var root = try Reading.tree(of: path, &diagnostics) else {
      throw ScenarioError([Diagnostic(origin: .whole(path), text: "is empty; write a scenario.")])
    }
    for change in settings {
      do throws(ScenarioError) {
        try Setting(change).apply(to: &root)
      } catch {
        diagnostics += error.diagnostics
      }
    }
    let beside = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    var reading = Reading(library: FileLibrary(folders: [beside] + folders, progress: progress))
    reading.diagnostics = diagnostics
    return (root, reading)
  }

  /// Returns all scenarios by name, with the error of each scenario that cannot be read.
  package func list() -> [(name: String, result: Result<Scenario, ScenarioError>)] {
    names.map { name in
      do throws(ScenarioError) {
        return (name, .success(try load(name)))
      } catch {
        return (name, .failure(error))
      }
    }
  }

  package var names: [String] {
    let files = folders.flatMap { folder in
      (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
    return Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }).sorted()
  }

  static func read(_ root: YAMLNode, _ reading: inout Reading) throws(ScenarioError) -> Scenario {
    var blank = Scenario.standard(phones: 1_000)
    blank.policies = []
    // Sets the defaults that the reading of later keys needs.
    reading.clock = blank.clock
    reading.mix = blank.fleet.phone
    reading.start = blank.start
    // A file beside the scenario replaces a built-in profile, even if no key names the profile.
    if root.value(of: "sensors") == nil,
      let index = reading.index(of: blank.sensors.name, .sensors, at: root.origin)
    {
      blank.sensors.value = reading.sensorProfiles[index].value
    }
    let fit = PhaseFit(root)
    reading.phaseFit = fit
    let read = ScenarioSchema.scenario.read(root, into: blank, &reading)
    guard reading.diagnostics.isEmpty, var scenario = read else {
      throw ScenarioError(reading.diagnostics)
    }
    if let mix = root.value(of: "fleet")?.value(of: "android") {
      scenario.splitCohorts(at: mix.origin, &reading)
      guard reading.diagnostics.isEmpty else { throw ScenarioError(reading.diagnostics) }
    }
    scenario.policies = reading.policies
    scenario.recordings = reading.recordings
    fit.shorten(&scenario)
    return scenario
  }

  package func isPath(_ name: String) -> Bool {
    name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  private func path(of name: String) throws(ScenarioError) -> String {
    if isPath(name) { return name }
    let candidates = folders.map { "\($0)/\(name).yaml" }
    if let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      return found
    }
    let hint = Spelling.hint(for: name, in: names)
    let known = names.isEmpty ? "" : " Known: \(names.joined(separator: ", "))."
    throw ScenarioError([
      Diagnostic(
        origin: .whole(name),
        text: "no scenario has this name in \(folders.joined(separator: " or ")).\(hint)\(known)")
    ])
  }
}
