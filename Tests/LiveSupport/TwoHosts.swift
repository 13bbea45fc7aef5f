internal import Foundation
import Synchronization
package import TestSupport
internal import Testing

/// Two network namespaces with a cable between them: to mpirun and to the program they are hosts,
/// each with its own address and loopback.
///
/// `@unchecked Sendable`: nothing changes once it exists.
package final class TwoHosts: @unchecked Sendable {
  package static let addresses = ["10.77.0.1", "10.77.0.2"]
  private static let made = Atomic<Int>(0)

  private let names: [String]
  private let agent: URL
  private let folder: TemporaryFolder
  private let tools: [String: String]

  package init() async throws {
    folder = try TemporaryFolder()
    let number = Self.made.add(1, ordering: .relaxed).newValue
    names = ["a", "b"].map { "flotilla-\(getpid())-\(number)\($0)" }
    tools = Dictionary(
      uniqueKeysWithValues: try ["ip", "tc"].map { ($0, try #require(Machine.program($0))) })
    // Replaces ssh: mpirun starts processes of the other host in its namespace.
    agent = folder["agent.sh"]
    try Data(
      """
      #!/bin/sh
      case $1 in \(Self.addresses[0])) name=\(names[0]);; *) name=\(names[1]);; esac
      shift
      exec \(tools["ip"] ?? "ip") netns exec "$name" \\
        unshare --uts sh -c "hostname $name; exec sh -c \\"\\$*\\"" sh "$@"

      """.utf8
    ).write(to: agent)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: agent.path)
    for name in names { try run("ip", "netns add \(name)") }
    try run("ip", "link add cable netns \(names[0]) type veth peer name cable netns \(names[1])")
    for (name, address) in zip(names, Self.addresses) {
      try run("ip", "-n \(name) addr add \(address)/24 dev cable")
      for device in ["lo", "cable"] { try run("ip", "-n \(name) link set \(device) up") }
    }
  }

  /// Processes that still run in the namespaces were started there by a failed test.
  deinit {
    for name in names {
      let pids = (try? run("ip", "netns pids \(name)")) ?? ""
      for pid in pids.split(separator: "\n").compactMap({ Int32($0) }) { kill(pid, SIGKILL) }
      _ = try? run("ip", "netns del \(name)")
    }
  }

  @discardableResult
  private func run(_ tool: String, _ words: String) throws -> String {
    let (output, errors) = (folder["\(tool).out"], folder["\(tool).err"])
    let child = try Child(
      tools[tool] ?? tool, words.split(separator: " ").map(String.init), output: output,
      errors: errors)
    child.wait()
    let text = try [output, errors].map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    guard let code = child.code, code == 0 else {
      throw ToolError.ended("\(tool) \(words)", code: child.code ?? 0, soFar: text)
    }
    return text
  }

  /// Prefix of a command line that runs on a host.
  package func entering(_ host: Int) -> [String] {
    [tools["ip"] ?? "ip", "netns", "exec", names[host]]
  }

  /// The options by which mpirun puts a process on each.
  package var options: [String] {
    ["--mca", "plm_rsh_agent", agent.path, "-x", "FLOTILLA_MPI", "-host"]
      + [Self.addresses.map { "\($0):1" }.joined(separator: ",")]
  }

  /// A collector on the first host, with a token for the other.
  package func collector() async throws -> (process: RunningProcess, options: [String]) {
    let token = folder["token"]
    try Data("a-token-of-a-test-that-has-forty-letters\n".utf8).write(to: token)
    let words = entering(0)
    let process = try RunningProcess(
      URL(fileURLWithPath: words[0]),
      Array(words.dropFirst()) + [
        Program.url.path, "collect", "--listen", "\(Self.addresses[0]):0", "--admin", "127.0.0.1:0",
        "--ui", "none", "--token-file", token.path, "--store-path", folder["c.sqlite"].path,
      ])
    try await process.says("admin on http")
    let address = process.text.split(separator: "\n")[0].dropFirst("listening on ".count)
    return (process, ["--collector", String(address), "--set", "run.tokenFile=\(token.path)"])
  }

  /// Unplugs the cable.
  package func cut() throws { try run("ip", "-n \(names[0]) link set cable down") }

  /// Limits the cable to a rate, such as "256kbit", in both directions.
  package func slow(to rate: String) throws {
    for name in names {
      try run("tc", "-n \(name) qdisc add dev cable root tbf rate \(rate) burst 4kb latency 2s")
    }
  }

  /// The bytes that the second host has put on the cable.
  package func sent() throws -> Int {
    let path = "/sys/class/net/cable/statistics/tx_bytes"
    let text = try run("ip", "netns exec \(names[1]) cat \(path)")
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  /// The names of the programs that run on a host.
  package func programs(on host: Int) throws -> [String] {
    try run("ip", "netns pids \(names[host])").split(separator: "\n").compactMap { pid in
      let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
      return name?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}

extension Oracle {
  /// Network namespaces, which only root may make.
  package static let hosts = Oracle(
    name: "a network namespace of one's own",
    advice: "make deps-test installs iproute2; only root may make one, on Linux"
  ) {
    getuid() == 0 && Machine.program("unshare") != nil && Machine.program("tc") != nil
      ? Machine.program("ip") : nil
  }
}
