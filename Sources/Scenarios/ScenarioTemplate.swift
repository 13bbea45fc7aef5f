/// A scenario that is read many times with other values: the tree of its full text with every
/// profile in use, so that no file but recordings is opened again.
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
  /// - Throws: every mistake at once, each with its change if a single change made it.
  package func scenario(
    _ changes: [ScenarioChange] = []
  ) throws(ScenarioError) -> Scenario {
    var root = root
    for change in changes { try Setting(change).apply(to: &root) }
    var reading = Reading(library: FileLibrary(folders: folders))
    return try ScenarioLibrary.read(root, &reading)
  }
}
