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
}
