import Foundation
import LiveSupport
import TestSupport
import Testing

/// An invalid command line, with its expected error.
struct WrongCommandLine: Sendable, CustomTestStringConvertible {
  let name: String
  let arguments: [String]
  let code: Int32
  /// The required parts of the error.
  let words: [String]

  var testDescription: String { name }

  static let all = [
    WrongCommandLine(
      name: "an unknown policy",
      arguments: ["load", "city", "--set", "fleet.cohorts[0].policy=hybird"],
      code: 65, words: ["unknown policy 'hybird'", "Did you mean 'hybrid'?"]),
    WrongCommandLine(
      name: "an unknown unit", arguments: ["simulate", "city", "--duration", "10mins"],
      code: 65, words: ["'mins' is not a unit", "min"]),
    WrongCommandLine(
      name: "a missing unit", arguments: ["simulate", "city", "--set", "push.silentAfter=90"],
      code: 65, words: ["no unit"]),
    WrongCommandLine(
      name: "--set with an unknown key", arguments: ["load", "city", "--set", "fleet.phnes=3"],
      code: 65, words: ["unknown key 'phnes'", "Did you mean 'phones'?"]),
    WrongCommandLine(
      name: "an unknown scenario", arguments: ["load", "ctiy"], code: 65,
      words: ["ctiy", "city"]),
    WrongCommandLine(
      name: "an unknown option", arguments: ["load", "city", "--phnes", "3"], code: 2,
      words: ["--phnes", "Did you mean '--phones'?"]),
    WrongCommandLine(
      name: "a removed option",
      arguments: ["load", "city", "--push-topic", "org.example.app"], code: 2,
      words: ["load: --push-topic was removed; use --set pushEndpoint.topic=org.example.app"]),
    WrongCommandLine(
      name: "a removed flag", arguments: ["load", "city", "--tls"], code: 2,
      words: ["load: --tls was removed; use --set tls={}"]),
    WrongCommandLine(
      name: "a removed option with a password",
      arguments: ["load", "city", "--otlp", "http://me:secret@127.0.0.1:4318"], code: 2,
      words: ["load: --otlp was removed; use --set metrics.otlp=http://me:***@127.0.0.1:4318"]),
    WrongCommandLine(
      name: "the removed flag for colours", arguments: ["watch", "run", "--no-color"], code: 2,
      words: ["watch: --no-color was removed; use the environment variable NO_COLOR=1"]),
    WrongCommandLine(
      name: "state with the uploads of a log",
      arguments: ["load", "--replay", "log.csv", "--set", "run.state=s"], code: 2,
      words: ["--replay cannot be combined with run.state"]),
    WrongCommandLine(
      name: "an option that another one replaced",
      arguments: ["explain", "city", "--phone", "1", "--plot", "a.svg"], code: 2,
      words: ["explain: --plot was removed; use --html a.svg"]),
    WrongCommandLine(
      name: "an unknown command", arguments: ["lode"], code: 2, words: ["'lode'", "load"]),
    WrongCommandLine(
      name: "help of an unknown command", arguments: ["lode", "--help"], code: 2,
      words: ["'lode'", "use one of load"]),
    WrongCommandLine(
      name: "a command of flotilla-lab", arguments: ["bench", "all"], code: 2,
      words: ["'bench' is a command of flotilla-lab", "make lab"]),
    WrongCommandLine(
      name: "a value out of range", arguments: ["plan", "city", "--trial", "-1"], code: 2,
      words: ["--trial", "'-1'"]),
    WrongCommandLine(
      name: "a key out of range", arguments: ["simulate", "city", "--set", "run.threads=-1"],
      code: 65, words: ["run.threads: -1 is out of range"]),
    WrongCommandLine(
      name: "missing inputs",
      arguments: ["simulate", "city", "--phones", "1", "--inputs", "/dev/null"], code: 65,
      words: ["/dev/null/inputs.bin"]),
    WrongCommandLine(
      name: "a shard out of range", arguments: ["simulate", "city", "--shard", "4/3"], code: 2,
      words: ["--shard", "'4/3'", "1/N to N/N"]),
    WrongCommandLine(
      name: "more shards than phones",
      arguments: ["simulate", "city", "--phones", "2", "--shard", "1/3"], code: 2,
      words: ["3 processes for 2 phones"]),
    WrongCommandLine(
      name: "a shard with --compare",
      arguments: ["simulate", "city", "--shard", "1/3", "--compare", "hybrid,elastic"], code: 2,
      words: ["--compare", "--shard"]),
    WrongCommandLine(
      name: "a live shard without a collector", arguments: ["load", "city", "--shard", "1/2"],
      code: 2, words: ["--collector", "run.startAt"]),
    WrongCommandLine(
      name: "a start in the past",
      arguments: ["load", "city", "--set", "run.startAt=2026-01-01T00:00:00Z"], code: 2,
      words: ["run.startAt", "is in the past"]),
    WrongCommandLine(
      name: "a shard without a number", arguments: ["simulate", "city", "--shard", "auto"],
      code: 2, words: ["SLURM_PROCID", "JOB_COMPLETION_INDEX"]),
    WrongCommandLine(
      name: "a merge of a file that is not a shard", arguments: ["report", "--merge", "/dev/null"],
      code: 65,
      words: ["/dev/null/share.json", "--shard"]),
    WrongCommandLine(
      name: "an unknown shell", arguments: ["completions", "tcsh"], code: 2,
      words: ["bash, zsh or fish"]),
    WrongCommandLine(
      name: "an unknown file format", arguments: ["scenario", "schema", "phone"], code: 2,
      words: ["significant-change"]),
  ]
}

@Suite("Errors are one clear line", .quick)
struct WrongCommandLineTests {
  @Test("an error on the command line", arguments: WrongCommandLine.all)
  func commandLine(_ diagnostic: WrongCommandLine) async throws {
    let ended = await flotilla(diagnostic.arguments)
    #expect(ended.code == diagnostic.code)
    #expect(ended.output.isEmpty)
    expectOneAnswer(ended.errorOutput, diagnostic.words)
  }

  @Test("a scenario file of 2 GB is rejected without reading it")
  func hugeFile() async throws {
    let folder = try TemporaryFolder()
    let file = folder["huge.yaml"]
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 2 << 30)
    try handle.close()
    let ended = await flotilla(["load", file.path])
    #expect(ended.code == 65)
    expectOneAnswer(ended.errorOutput, [file.path, "2147483648 bytes"])
  }

  @Test("all errors of a scenario are reported, each with its line")
  func manyDiagnostics() async throws {
    let folder = try TemporaryFolder()
    let text = """
      scenario: wrong
      start: 2026-03-02T07:30
      duration: 1 fortnight
      sped: 60
      fleet:
        phones: -3
        cohorts:
          - { name: all, share: 100%, mobility: commuter, policy: hybird }
      faults:
        - { at: 08:05, for: 3min, kind: network-outage, cohort: all }
      """
    try text.write(to: folder["wrong.yaml"], atomically: true, encoding: .utf8)
    let ended = await flotilla(["scenario", "check", folder["wrong.yaml"].path])
    #expect(ended.code == 65)
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 4, "\(ended.errorOutput)")
    for line in [3, 4, 6, 8] {
      #expect(ended.errorOutput.contains("wrong.yaml:\(line):"), "\(ended.errorOutput)")
    }
  }

  @Test("a path that cannot be written exits with 73", arguments: ["--out", "run.capture"])
  func unwritable(option: String) async throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder["file"])
    let path = folder["file"].appendingPathComponent("below").path
    let words =
      option == "--out"
      ? [option, path] : ["--set", "\(option)=\(path)", "--out", folder["run"].path]
    let ended = await flotilla(["load", "city", "--phones", "10"] + words)
    #expect(ended.code == 73)
    expectOneAnswer(ended.errorOutput, [path, "Not a directory"])
  }

  private func expectOneAnswer(_ text: String, _ words: [String]) {
    #expect(text.split(separator: "\n").count == 1, "\(text)")
    for word in words { #expect(text.contains(word), "\(text)") }
    // No text of a framework.
    #expect(!text.contains("Error Domain") && !text.contains("CocoaError"), "\(text)")
  }
}
