import Foundation
import LiveSupport
import TestSupport
import Testing

/// The files with which batch systems start the processes of a run.
@Suite("Files for Slurm and Kubernetes", .live, .timeLimit(.minutes(10)))
struct DeploymentTests {
  private static let shells = ["slurm-mpirun.sh", "slurm-shards.sh"]

  private static func file(_ name: String, of room: String = "Run") -> URL {
    Program.root.appendingPathComponent("Sources/\(room)/\(room).docc/deploy/\(name)")
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

  private struct Container: Decodable {
    let image: String
    let command: [String]
    let environment: [String: String]
    let probes: [[String]]

    /// The image and its tag, without the registry.
    var name: Substring { image.split(separator: "/").last ?? "" }
  }

  private static func containers(_ file: URL) async throws -> [Container] {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/manifests.py")
    let checked = try await RunningProcess(PythonScript.python, [script.path, file.path]).end()
    #expect(checked.code == 0, "\(checked.errorOutput)")
    return try checked.text.split(separator: "\n").map {
      try JSONDecoder().decode(Container.self, from: Data($0.utf8))
    }
  }

  /// The name that `make image` gives.
  private static func image() async throws -> String {
    let version = try await Program.run(["--version"])
    return version.text.split(whereSeparator: \.isWhitespace).joined(separator: ":")
  }

  @Test(
    "the MPIJob fits Kubernetes' schemas, and calls the program with valid arguments",
    .needs(.kubernetesSchemas))
  func kubernetesMPI() async throws {
    let containers = try await Self.containers(Self.file("kubernetes-mpijob.yaml"))
    let calls = try await Self.calls(of: try #require(containers.first).command)
    #expect(calls.count == 1 && calls[0][0] == "load")
    try await expectUnderstood(calls[0])
  }

  @Test(
    "the Job fits Kubernetes' schemas, names the image, and its options are valid",
    .needs(.kubernetesSchemas))
  func kubernetesJob() async throws {
    let containers = try await Self.containers(Self.file("kubernetes-job.yaml"))
    let shard = try #require(containers.first)
    #expect(try await shard.name == Self.image())
    var environment = shard.environment
    // An option that no command has: the program reads the variable.
    environment["FLOTILLA_SET", default: ""] += "fleet.nonsense=1\n"
    environment["JOB_COMPLETION_INDEX"] = "2"
    let words = shard.command.map { $0.replacing("$(JOB_COMPLETION_INDEX)", with: "2") }
    #expect(words.last == "/runs/2")
    let ended = try await RunningProcess(Program.url, words, environment: environment).end()
    #expect(ended.code == 65, "\(ended.errorOutput)")
    #expect(ended.errorOutput.contains("FLOTILLA_SET=fleet.nonsense=1"), "\(ended.errorOutput)")
    #expect(ended.errorOutput.split(separator: "\n").count == 1, "\(ended.errorOutput)")
  }

  @Test(
    "the collector's manifest fits the schemas, and its collector answers its probes",
    .needs(.kubernetesSchemas))
  func kubernetesCollector() async throws {
    let file = Self.file("kubernetes-collector.yaml", of: "Collector")
    let containers = try await Self.containers(file)
    let container = try #require(containers.first)
    #expect(try await container.name == Self.image())
    let folder = try TemporaryFolder()
    try "a-token-of-this-test\n".write(to: folder["token"], atomically: true, encoding: .utf8)
    let environment = container.environment.merging([
      "FLOTILLA_TOKEN_FILE": folder["token"].path,
      "FLOTILLA_STORE_PATH": folder["collector.sqlite"].path, "FLOTILLA_LISTEN": "0.0.0.0:0",
    ]) { $1 }
    let collector = try RunningProcess(Program.url, container.command, environment: environment)
    var port = ""
    try await eventually("it listens", soFar: collector.errorOutput) {
      guard
        let found = collector.errorOutput.firstMatch(of: #/"address":"0\.0\.0\.0:(\d+)"/#)
      else { return false }
      port = String(found.1)
      return true
    }
    #expect(container.probes.count == 2)
    for probe in container.probes {
      #expect(probe.first == "flotilla")
      let words = probe.dropFirst().map { $0.replacing(":7070", with: ":\(port)") }
      let ended = try await RunningProcess(
        Program.url, Array(words), environment: environment
      ).end()
      #expect(ended.code == 0, "\(ended.errorOutput)")
    }
    collector.signal(SIGTERM)
    #expect(try await collector.end().code == 0)
  }
}
