/// A scenario that is read many times with other values. Every profile in use is part of the
/// template, so that only recordings are opened again.
package struct ScenarioTemplate: Sendable {
  private let root: YAMLNode
  private let folders: [String]

  package init(_ scenario: Scenario, library: ScenarioLibrary) throws(ScenarioError) {
    let name = scenario.name
    var parser = YAMLParser(scenario.text) { .file("\(name).yaml", line: $0, column: $1) }
    guard let root = try parser.document(), parser.diagnostics.isEmpty else {
      throw ScenarioError(
        parser.diagnostics + [Diagnostic(origin: .whole(name), text: "its text is not a scenario")]
      )
    }
    self.root = root
    folders = library.folders
  }

  /// Reads the scenario with these changes.
  /// - Throws: all mistakes of the changed scenario, or of the first change that does not apply.
  package func scenario(
    _ changes: [ScenarioChange] = []
  ) throws(ScenarioError) -> Scenario {
    var root = root
    for change in changes { try Setting(change).apply(to: &root) }
    var reading = Reading(library: FileLibrary(folders: folders))
    return try ScenarioLibrary.read(root, &reading)
  }
}
