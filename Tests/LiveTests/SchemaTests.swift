import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("JSON Schema for editors", .live, .timeLimit(.minutes(10)))
struct SchemaTests {
  @Test(
    "shipped files match their schema, and a misspelled key does not",
    .needs(.pythonPackages))
  func schemas() async throws {
    let folder = try TemporaryFolder()
    for kind in ["scenario", "policy", "os", "significant-change", "energy", "people", "sensors"] {
      let ended = try await Program.run(["scenario", "schema", kind])
      #expect(ended.code == 0, "\(ended.errorOutput)")
      try ended.output.write(to: folder["\(kind).json"])
    }
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/schemas.py")
    let checked = try await RunningProcess(
      PythonScript.python, [script.path, folder.url.path]
    ).end()
    #expect(checked.code == 0, "\(checked.errorOutput)")
    let lines = checked.text.split(separator: "\n")
    #expect(lines.count == 1, "\(checked.text)")
    #expect(try #require(lines.last).wholeMatch(of: #/[3-9]\d files/#) != nil, "\(checked.text)")
  }
}
