import Foundation
import LiveSupport
import Testing

@Suite("The command line and its reader", .timeLimit(.minutes(10)))
struct ConsoleTests {
  @Test("a reader that goes away ends the output, never the run")
  func closedPipe() async throws {
    let folder = try TemporaryFolder()
    let options = Trial(phones: 100).options(out: folder["run"])
      .map { "'\($0)'" }.joined(separator: " ")
    let code = folder["code"].path
    for command in ["simulate \(options)", "scenario show city", "--help"] {
      let script = "( '\(Program.url.path)' \(command); echo $? > '\(code)' ) | head -c 1"
      let shell = URL(fileURLWithPath: "/bin/sh")
      let ended = try await RunningProcess(shell, ["-c", script]).end()
      #expect(ended.output.count == 1)
      let exit = try String(contentsOfFile: code, encoding: .utf8)
      #expect(["0\n", "99\n"].contains(exit), "\(command): \(ended.errorOutput)")
    }
    #expect(FileManager.default.fileExists(atPath: folder["run/run.json"].path))
  }

  @Test(
    "every command explains itself, with examples that name it",
    arguments: [
      "", "load", "collect", "simulate", "scenario", "scenario check", "scenario show",
      "scenario list",
    ])
  func help(command: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    let ended = try await Program.run(words + ["--help"])
    #expect(ended.code == 0)
    #expect(ended.errorOutput.isEmpty)
    let examples = try #require(ended.text.components(separatedBy: "\nExamples:\n").last)
    #expect(examples.contains((["  flotilla"] + words).joined(separator: " ")))
    #expect(ended.text.contains("Usage: flotilla"))
  }

  @Test("what `scenario show` prints reads back as the same scenario")
  func showReadsBack() async throws {
    let folder = try TemporaryFolder()
    let shown = try await Program.run(["scenario", "show", "city", "--phones", "321"])
    #expect(shown.code == 0)
    try shown.output.write(to: folder["city.yaml"])
    let again = try await Program.run(["scenario", "show", folder["city.yaml"].path])
    #expect(again.text == shown.text)
    let hashes = try await [
      ["city", "--phones", "321"], [folder["city.yaml"].path], ["city"],
    ].asyncMap { try await hash($0) }
    #expect(hashes[0] == hashes[1])
    #expect(hashes[0] != hashes[2])
  }

  private func hash(_ arguments: [String]) async throws -> Substring {
    let ended = try await Program.run(["scenario", "check"] + arguments)
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return try #require(ended.text.firstRange(of: ", hash ").map { ended.text[$0.upperBound...] })
  }
}

extension Array {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
