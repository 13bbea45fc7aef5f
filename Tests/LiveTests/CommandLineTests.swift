import Foundation
import LiveSupport
import Testing

@Suite("The command line", .timeLimit(.minutes(10)))
struct CommandLineTests {
  @Test("help is on standard output, at every level, with examples")
  func help() async throws {
    for words in [[], ["scenario"], ["scenario", "check"], ["scenario", "show"]] {
      let outcome = try await Program.line("$FLOTILLA \(words.joined(separator: " ")) --help")
      #expect(outcome.code == 0)
      #expect(outcome.text.contains("Usage: flotilla"))
      #expect(outcome.text.contains("Examples:\n  flotilla"))
      #expect(outcome.errorOutput.isEmpty)
    }
  }

  @Test("a reader that goes away ends the output quietly")
  func closedPipe() async throws {
    let outcome = try await Program.line(
      "{ sleep 0.2; $FLOTILLA scenario show city; echo \"exit $?\" >&2; } | true")
    #expect(outcome.errorOutput == "exit 0\n")
  }
}
