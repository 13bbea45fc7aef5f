@testable internal import Scenarios

/// The smallest scenario; tests add their keys.
let smallest = """
  scenario: small
  fleet:
    cohorts:
      - { name: all, share: 100%, mobility: commuter, policy: plain }
  policies:
    - { name: plain }

  """

/// Reads a text as a scenario named `test.yaml`, without policies or profiles.
func read(
  _ text: String, settings: [String] = [], changes: [ScenarioChange] = [],
  files folders: [String] = []
) throws(ScenarioError) -> Scenario {
  var parser = YAMLParser(text) { .file("test.yaml", line: $0, column: $1) }
  var reading = Reading(library: FileLibrary(folders: folders))
  guard var root = try parser.document() else {
    throw ScenarioError([Diagnostic(origin: .whole("test.yaml"), text: "is empty")])
  }
  reading.diagnostics = parser.diagnostics
  for change in settings.map({ ScenarioChange($0) }) + changes {
    try Setting(change).apply(to: &root)
  }
  return try ScenarioLibrary.read(root, &reading)
}

/// The diagnostics of reading, line by line; empty when it succeeds.
func diagnostics(
  in text: String, settings: [String] = [], changes: [ScenarioChange] = [],
  files folders: [String] = []
) -> [String] {
  do throws(ScenarioError) {
    _ = try read(text, settings: settings, changes: changes, files: folders)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}
