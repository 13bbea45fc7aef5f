import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The manual and the documentation", .timeLimit(.minutes(2)))
struct ManualTests {
  @Test("an installed program prints its installed pages")
  func installed() async throws {
    let folder = try TemporaryFolder()
    let doc = folder["share/flotilla/doc"]
    let bin = folder["bin"]
    for place in [doc, bin] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    try Data("# A page\n\nIts `words`.\n".utf8).write(to: doc.appendingPathComponent("APage.md"))
    // A process started meanwhile would hold the copy open for writing: "Text file busy".
    try Births.oneAtATime {
      try FileManager.default.copyItem(at: Program.url, to: bin.appendingPathComponent("flotilla"))
    }
    let ended = try await Program.line("'\(bin.path)/flotilla' manual a-page")
    #expect(ended.text == "# A page\n\nIts `words`.\n", "\(ended.errorOutput)")
    let unknown = try await Program.line("'\(bin.path)/flotilla' manual a-pege")
    #expect(unknown.code == 2 && unknown.errorOutput.contains("Did you mean 'a-page'?"))
  }
}
