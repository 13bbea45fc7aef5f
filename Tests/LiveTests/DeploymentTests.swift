import Foundation
import LiveSupport
import TestSupport
import Testing

/// The files with which batch systems start the processes of a run.
@Suite("Files for Slurm and Kubernetes", .live, .timeLimit(.minutes(10)))
struct DeploymentTests {
  private static let shells = ["slurm-mpirun.sh", "slurm-shards.sh"]
  private static let manifests = ["kubernetes-job.yaml", "kubernetes-mpijob.yaml"]

  private static func file(_ name: String) -> URL {
    Program.root.appendingPathComponent("Sources/Run/Run.docc/deploy/\(name)")
  }

  @Test("ShellCheck finds nothing", .needs(.shellcheck), arguments: shells)
  func shell(_ name: String) async throws {
    let ended = try await Program.runTool("shellcheck", [Self.file(name).path])
    #expect(ended.code == 0, "\(ended.text)")
  }

  /// Programs that record their arguments, in place of those that a file starts.
  ///
  /// Another process writes them: a file that this one has open to write may be inherited by a
  /// process
  /// of another test, and the kernel starts no program that is open for writing.
  private static func recorders(in folder: TemporaryFolder) async throws {
    let scripts = [
      "flotilla": #"printf '%s\n' "$@" '' >>"$WORDS""#,
      // The arguments from the program's name on.
      "mpirun": #"while [ "$1" != flotilla ]; do shift; done; exec "$@""#,
      "srun": #"for n in 0 1 2 3; do SLURM_PROCID=$n SLURM_NTASKS=4 "$@"; done"#,
    ]
    for (name, script) in scripts {
      let written = try await RunningProcess(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", #"printf '#!/bin/sh\n%s\n' "$1" >"$2" && chmod 755 "$2""#, "sh", script]
          + [folder[name].path]
      ).end()
      #expect(written.code == 0, "\(written.errorOutput)")
    }
  }

  /// The arguments of each call of the program by a command.
  private static func calls(
    of command: [String], _ environment: [String: String] = [:]
  ) async throws -> [[String]] {
    let folder = try TemporaryFolder()
    try await recorders(in: folder)
    let run = try RunningProcess(
      URL(fileURLWithPath: "/usr/bin/env"), command,
      environment: environment.merging([
        "PATH": "\(folder.url.path):/usr/bin:/bin", "WORDS": folder["words"].path,
      ]) { $1 })
    let ended = try await run.end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return try String(contentsOf: folder["words"], encoding: .utf8)
      .components(separatedBy: "\n\n").filter { !$0.isEmpty }
      .map { $0.components(separatedBy: "\n") }
  }

  /// A key that no scenario has is detected only after all options were parsed.
  private func expectUnderstood(
    _ words: [String], _ environment: [String: String] = [:]
  ) async throws {
    let run = try RunningProcess(
      Program.url, words + ["--set", "fleet.nonsense=1"], environment: environment)
    let ended = try await run.end()
    #expect(ended.code == 65 && ended.errorOutput.contains("nonsense"), "\(ended.errorOutput)")
  }

  @Test("a Slurm script calls the program with valid arguments", arguments: shells)
  func slurm(_ name: String) async throws {
    var calls = try await Self.calls(of: ["sh", Self.file(name).path])
    try #require(!calls.isEmpty)
    if name == "slurm-shards.sh" {
      let merge = calls.removeLast()
      #expect(calls.count == 4 && merge.starts(with: ["report", "--merge"]))
      // Each writes where the merge reads it, and all begin at one instant.
      for (number, words) in calls.enumerated() {
        #expect(words.suffix(2) == ["--out", "runs/\(number)"] && merge[2 + number] == words.last)
        #expect(words == calls[0].dropLast() + words.suffix(1))
      }
    }
    // Processes of mpirun are linked by it, and not by Slurm.
    let tasks = name == "slurm-shards.sh" ? ["SLURM_PROCID": "0", "SLURM_NTASKS": "4"] : [:]
    try await expectUnderstood(calls[0], tasks)
  }

  @Test(
    "a manifest fits Kubernetes' schemas, and calls the program with valid arguments",
    .needs(.kubernetesSchemas), arguments: manifests)
  func kubernetes(_ name: String) async throws {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/manifests.py")
    let checked = try await RunningProcess(
      PythonScript.python, [script.path, Self.file(name).path]
    ).end()
    #expect(checked.code == 0, "\(checked.errorOutput)")
    let commands = try checked.text.split(separator: "\n").map {
      try JSONDecoder().decode([String].self, from: Data($0.utf8))
    }
    let start = Date.now.addingTimeInterval(3_600).formatted(.iso8601)
    let shard = ["JOB_COMPLETION_INDEX": "2", "START": start]
    let calls = try await Self.calls(of: try #require(commands.first), shard)
    #expect(calls.count == 1 && calls[0][0] == "load")
    try await expectUnderstood(calls[0], shard)
  }
}
