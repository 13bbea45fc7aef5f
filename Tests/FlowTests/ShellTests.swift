import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Shells and the manual", .timeLimit(.minutes(2)))
struct ShellTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func script(_ shell: String) async throws -> String {
    let ended = try await Program.run(["completions", shell])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let file = folder["completions.\(shell)"]
    try ended.output.write(to: file)
    return file.path
  }

  /// The program as a shell finds it.
  private var path: String { "PATH='\(Program.url.deletingLastPathComponent().path)':$PATH" }

  @Test("bash completes commands at any depth, options, option values and scenarios")
  func bash() async throws {
    let file = try await script("bash")
    let lines = """
      export \(path); source '\(file)'
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _flotilla; echo "${COMPREPLY[*]}"; }
      ask flotilla lo; ask flotilla scenario li; ask flotilla load --ui ''; ask flotilla load --sha
      ask flotilla simulate cit; ask flotilla load --out ''
      """
    let ended = try await Program.runTool("bash", ["-c", lines])
    #expect(ended.errorOutput.isEmpty, "\(ended.errorOutput)")
    let answers = ended.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(answers[..<5] == ["load", "list", "auto tui plain json none", "--shard", "city"])
  }

  @Test(
    "fish completes the same words", .needs(.fish))
  func fish() async throws {
    let file = try await script("fish")
    let lines = """
      source '\(file)'
      complete -C 'flotilla lo'; complete -C 'flotilla scenario li'
      complete -C 'flotilla load --ui j'
      """
    let ended = try await Program.runTool("fish", ["--no-config", "-c", lines])
    let words = ended.text.split(separator: "\n").compactMap { $0.split(separator: "\t").first }
    #expect(words == ["load", "list", "json"], "\(ended.text)\(ended.errorOutput)")
  }

  @Test("zsh parses its script", .needs(.zsh))
  func zsh() async throws {
    let file = try await script("zsh")
    let ended = try await Program.runTool("zsh", ["-n", file])
    #expect(ended.code == 0 && ended.errorOutput.isEmpty, "\(ended.errorOutput)")
  }

  @Test(
    "the man page is valid roff and has all commands and options",
    .needs(.man))
  func manual() async throws {
    let ended = try await Program.run(["manual"])
    let file = folder["flotilla.1"]
    try ended.output.write(to: file)
    let shown = try await Program.line("man -l --warnings -E UTF-8 '\(file.path)' | col -b")
    #expect(shown.errorOutput.isEmpty, "\(shown.errorOutput)")
    for command in ["load", "collect", "scenario show", "plan", "target try", "verify"] {
      let help = try await Program.run(command.split(separator: " ").map(String.init) + ["--help"])
      #expect(shown.text.contains("flotilla \(command) "), "\(command)")
      for option in help.text.matches(of: #/\n  (--[a-z-]+)/#) {
        #expect(shown.text.contains(option.1), "\(command) \(option.1)")
      }
    }
  }
}
