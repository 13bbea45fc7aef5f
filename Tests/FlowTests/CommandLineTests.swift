import Foundation
import LiveSupport
import Testing

@Suite("The command line", .timeLimit(.minutes(2)))
struct CommandLineTests {
  private static let commands = [
    "", "load", "collect", "simulate", "demand", "plan", "sensitivity", "tune", "fit", "report",
    "explain", "ask", "watch", "scenario", "scenario check", "scenario show", "scenario list",
    "target", "target try", "target show", "push-endpoint", "verify", "export", "prune",
    "completions", "manual",
  ]

  @Test("help goes to standard output at every level, with examples")
  func help() async throws {
    let lab = ["", "bench", "calibrate", "chaos", "dictionary"]
    for (program, name, commands) in [
      (Program.url, "flotilla", Self.commands), (Program.lab, "flotilla-lab", lab),
    ] {
      for command in commands {
        let words = command.split(separator: " ").map(String.init)
        let ended = try await Program.run(words + ["--help"], of: program)
        #expect(ended.code == 0 && ended.errorOutput.isEmpty, "\(command): \(ended.errorOutput)")
        #expect(ended.text.contains("Usage: \(name)"), "\(command)")
        #expect(ended.text.contains("Examples:\n  \(name)"), "\(command)")
      }
    }
  }

  @Test("errors, scenarios and dry runs are answered before the simulation")
  func dryRuns() async throws {
    try await Program.run(["lode"]).expectOneLine(2, "'lode'", "load")
    let small = ["city", "--phones", "20", "--duration", "1h", "--set", "warmStart=0s"]
    for (words, answer) in [
      (["scenario", "check"] + small, "city: valid. 20 phones"),
      (["load"] + small + ["--dry-run"], "city: 20 phones at"),
      (["simulate"] + small + ["--dry-run"], "Would simulate 20 phones for 1 h"),
      (
        ["simulate"] + small + ["--sweep", "push.silentAfter=1h,2h", "--dry-run"],
        "Would simulate 2 points"
      ),
      (["demand"] + small + ["--dry-run"], "Would simulate 20 of 20 phones"),
      (["plan"] + small + ["--capacity", "10", "--dry-run"], "Would simulate 20 of 20 phones"),
      (["sensitivity"] + small + ["--dry-run"], "Would simulate "),
    ] {
      let ended = try await Program.run(words)
      #expect(ended.code == 0 && ended.text.hasPrefix(answer), "\(ended.text)\(ended.errorOutput)")
    }
  }

  @Test("a closed reader ends the output, not the run")
  func closedPipe() async throws {
    let folder = try TemporaryFolder()
    let options = Trial.short(phones: 60, duration: "10min").options(out: folder["run"])
      .map { "'\($0)'" }.joined(separator: " ")
    let code = folder["code"].path
    for command in ["simulate \(options)", "scenario show city", "--help"] {
      let ended = try await Program.line(
        "( \"$FLOTILLA\" \(command); echo $? > '\(code)' ) | head -c 1")
      #expect(ended.output.count == 1)
      let exit = try String(contentsOfFile: code, encoding: .utf8)
      #expect(["0\n", "99\n"].contains(exit), "\(command): \(ended.errorOutput)")
    }
    #expect(FileManager.default.fileExists(atPath: folder["run/run.json"].path))
    let quiet = try await Program.line(
      "{ sleep 0.2; $FLOTILLA scenario show city; echo \"exit $?\" >&2; } | true")
    #expect(quiet.errorOutput == "exit 0\n")
  }
}
