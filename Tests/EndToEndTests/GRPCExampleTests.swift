import Foundation
import TestSupport
import Testing

@Suite("The page 'Call the collector from your language'", .timeLimit(.minutes(10)))
struct GRPCExampleTests {
  /// The first block of a language on the page.
  private func block(_ language: String) throws -> String {
    let page = try String(
      contentsOf: Program.root.appendingPathComponent(
        "Sources/flotilla/flotilla.docc/OtherLanguages.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "```\(language)\n")
    let block = try #require(parts.dropFirst().first)
    return String(try #require(block.components(separatedBy: "```").first))
  }

  @Test(
    "its example is a client: it prints what the page says", .needs(.grpcio),
    .needs(.protoc))
  func example() async throws {
    let folder = try TemporaryFolder()
    // What `protoc --python_out` writes, as for the other scripts.
    let scripts = Program.root.appendingPathComponent("Tests/EndToEndTests/Python").path
    let prelude = "import sys; sys.path.insert(0, '\(scripts)'); import messages\n"
    try Data((prelude + block("python")).utf8).write(to: folder["example.py"])
    let ended = try await Seats.hold {
      let collector = try RunningProcess(
        Program.url,
        ["collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain"])
      try await collector.says("its port") { $0.contains(#/listening on .*:\d+\n/#) }
      let port = try #require(collector.text.firstMatch(of: #/listening on .*:(\d+)\n/#)).1
      let client = try RunningProcess(
        PythonScript.python, [folder["example.py"].path, "127.0.0.1:\(port)"])
      let ended = try await client.end()
      collector.signal(SIGTERM)
      _ = try await collector.end()
      return ended
    }
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let expected = try block("text")
    #expect(ended.text == expected)
  }
}
