@testable internal import Scenarios

/// Invariants for any bytes that are read as a scenario.
enum ScenarioCheck {
  static func check(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    // The first line may be a --set; the rest is the file.
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let hasSetting = text.hasPrefix("--set ") && lines.count == 2
    let settings = hasSetting ? [String(lines[0].dropFirst(6))] : []
    do throws(ScenarioError) {
      let scenario = try read(hasSetting ? String(lines[1]) : text, settings)
      // Recordings are files: fuzz inputs must not read this machine's.
      let again = try read(scenario.text, [])
      precondition(again == scenario, "shown and read back is another scenario:\n\(scenario.text)")
    } catch {
      precondition(
        error.diagnostics.allSatisfy { !$0.text.isEmpty }, "a mistake says what is wrong")
    }
  }

  private static func read(_ text: String, _ settings: [String]) throws(ScenarioError) -> Scenario {
    var parser = YAMLParser(text) { .file("fuzz.yaml", line: $0, column: $1) }
    var reading = Reading(library: FileLibrary(folders: []))
    guard var root = try parser.document() else {
      throw ScenarioError([Diagnostic(origin: .whole("fuzz.yaml"), text: "is empty")])
    }
    reading.diagnostics = parser.diagnostics
    for text in settings { try Setting(ScenarioChange(text)).apply(to: &root) }
    return try ScenarioLibrary.read(root, &reading)
  }
}
