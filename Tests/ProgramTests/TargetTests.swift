import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Invalid use of targets", .quick)
struct TargetTests {
  @Test("invalid options are one line, before the simulation")
  func refusals() async throws {
    let folder = try TemporaryFolder()
    try Data(TargetBackend.target().utf8).write(to: folder["acme.yaml"])
    try Data("x".utf8).write(to: folder["token"])
    let load = ["load", "city", "--target", folder["acme.yaml"].path]
    let cases: [([String], Int32, String)] = [
      ([], 69, "no answer from acme at http://127.0.0.1:1"),
      (["--target-url", "http://192.0.2.1"], 65, "owner: yes"),
      (["--speed", "60"], 2, "the speed must be 1"),
      (["--collector", "127.0.0.1:7070"], 2, "--collector applies to Flotilla's collector"),
      (["--set", "run.rateLimit=many"], 65, "run.rateLimit: 'many'"),
      (
        ["--target-url", "http://nobody.invalid"], 69,
        "the name 'nobody.invalid' does not resolve"
      ),
    ]
    for (more, code, sentence) in cases {
      let ended = await flotilla(load + more + ["--phones", "10"])
      #expect(ended.code == code, "\(more): \(ended.errorOutput)")
      #expect(ended.errorOutput.contains(sentence), "\(ended.errorOutput)")
      #expect(ended.errorOutput.split(separator: "\n").count == 1, "\(ended.errorOutput)")
    }
    let other = await flotilla(["load", "city", "--set", "run.rateLimit=5/s"])
    #expect(other.code == 2)
    #expect(other.errorOutput.contains("--target"))
  }

  @Test("plan --target requires limits, and rejects options of collectors")
  func planRefusals() async throws {
    let folder = try TemporaryFolder()
    try Data(TargetBackend.target().utf8).write(to: folder["acme.yaml"])
    try Data("x".utf8).write(to: folder["token"])
    let plan = [
      "plan", "city", "--target", folder["acme.yaml"].path, "--phones", "60", "--duration", "10min",
      "--set", "warmStart=10min", "--set", "faults=[]", "--set", "slo.responseP99=500ms", "--ui",
      "plain", "--out", folder["plan"].path,
    ]
    let limits = ["--set", "run.rateLimit=100/s", "--time-limit", "10s"]
    let cases: [([String], Int32, String)] = [
      (["--dry-run"], 2, "--set run.rateLimit=500/s and --time-limit 5min"),
      (limits, 69, "no answer from acme at http://127.0.0.1:1"),
      (limits + ["--fleet"], 2, "--fleet applies to collectors"),
      (["--time-limit", "soon"], 2, "such as 90s or 5min"),
    ]
    for (more, code, sentence) in cases {
      let ended = await flotilla(plan + more)
      #expect(ended.code == code, "\(more): \(ended.errorOutput)")
      #expect(ended.errorOutput.contains(sentence), "\(ended.errorOutput)")
    }
    let other = await flotilla(["plan", "city", "--time-limit", "10s"])
    #expect(other.code == 2 && other.errorOutput.contains("require --target"))
    let dry = await flotilla(plan + limits + ["--dry-run"])
    #expect(dry.code == 0 && dry.text.contains("acme: from 6.25 to 100 uploads/s"))
  }

  /// Returns the arguments of a primed run against an address.
  private func primed(
    _ prime: String, _ rate: String, at url: String, in folder: TemporaryFolder
  ) throws -> [String] {
    try Data("\(TargetBackend.target())prime: \(prime)\nprimeRate: \(rate)\n".utf8)
      .write(to: folder["acme.yaml"])
    try Data("x".utf8).write(to: folder["token"])
    return [
      "load", "city", "--target", folder["acme.yaml"].path, "--target-url", url,
      "--phones", "300", "--duration", "3s", "--set", "warmStart=10min",
      "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
      "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
      "--out", folder["run"].path,
    ]
  }

  @Test("a dry run announces priming, and sends no request")
  func dryRun() async throws {
    let folder = try TemporaryFolder()
    let server = try Listener()
    let words = try primed("10min", "20/s", at: server.url, in: folder)
    let ended = await flotilla(words + ["--dry-run"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(
      ended.text.contains("primes   acme with 10 min of history, at most 20 requests/s"),
      "\(ended.text)")
    #expect(!server.wasAsked)
  }

  @Test("priming longer than the warm start, or at too low a rate, is an error")
  func refused() async throws {
    let server = try Listener()
    for (prime, rate, sentence) in [
      ("24h", "100/s", "prime (24 h) is longer than the warm start of city ("),
      ("10min", "0.5/s", " requests of 10 min take longer than 10 min at 0.5/s; raise primeRate"),
    ] {
      let folder = try TemporaryFolder()
      let ended = await flotilla(try primed(prime, rate, at: server.url, in: folder))
      #expect(ended.code == 65 && ended.errorOutput.contains(sentence), "\(ended.errorOutput)")
    }
    #expect(server.wasAsked)
  }
}

/// A port that accepts connections and never responds.
private final class Listener {
  private let descriptor: Int32
  let url: String

  init() throws {
    let port = try FreePort.next()
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    url = "http://127.0.0.1:\(port)"
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isBound && listen(descriptor, 16) == 0)
  }

  /// Whether a connection is waiting.
  var wasAsked: Bool {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) != 0
  }

  deinit { close(descriptor) }
}
