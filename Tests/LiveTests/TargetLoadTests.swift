import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet against a backend that is not Flotilla's: `receiver.py`, in a process of its own.
@Suite("load --target with an HTTP server", .live, .timeLimit(.minutes(10)))
struct TargetLoadTests {
  @Test(
    "a server that drops fixes after 200 is found during the run, by phone",
    .needs(.python))
  func loses() async throws {
    let backend = try await TargetBackend("loses")
    let load = try backend.start(seconds: 300)
    try await load.says("acme: phone ")
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains(#/acme: phone \d+ has \d+ of the \d+ fixes/#))
    #expect(ended.text.contains("missing on read-back"))
    let record = try backend.run.record
    try record.expectTargetBalance()
    #expect(try record.verdict == "loss")
    #expect(try record.count("target.readback.missing") > 10)
    #expect(try record.count("ledger.fixes.lost") == record.count("target.readback.missing"))
  }

  @Test(
    "rejected, failed and unanswered requests are counted separately", .needs(.python),
    arguments: ["400", "503-half", "closes"])
  func others(_ answers: String) async throws {
    let backend = try await TargetBackend(answers)
    let ended = try await backend.start().end()
    // Its fixes are not stored: an SLO of every target.
    ended.expectRun([98, 99])
    #expect(ended.text.contains(#/stored is [0-9.]+ %, the SLO is 99.0 %/#))
    let record = try backend.run.record
    try record.expectTargetBalance()
    switch answers {
    case "400":
      #expect(try record.count("target.fixes.stored") == 0)
      #expect(try record.counts("target.fixes.refusedBy")["bad points", default: 0] > 0)
      #expect(ended.text.contains("upload ended with 400, by rule 2: refused"))
    case "503-half":
      #expect(try record.count("target.fixes.stored") > 0)
      #expect(try record.counts("errors")["upload 503", default: 0] > 0)
    default:
      #expect(try record.count("target.fixes.unknown") > 0)
      #expect(ended.text.contains("the connection ended before the answer was complete"))
    }
    #expect(try record.count("ledger.fixes.lost") == 0)
  }

  @Test("Ctrl-C ends it with a report", .needs(.python))
  func interrupted() async throws {
    let backend = try await TargetBackend("silent")
    let load = try backend.start(["--set", Trial.patient[0]], seconds: 300)
    try await load.hasUploadsUnderWay()
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try backend.run.record
    try record.expectTargetBalance()
    #expect(try record.count("target.fixes.unknown") > 0)
  }

  /// A server of http_servers.py, which is right or wrong by path, and a target whose uploads it
  /// answers in every wrong way, one after the other.
  private func strangeServer(
    in folder: TemporaryFolder, _ arguments: [String] = [], deadline: String = "1s"
  ) async throws -> (server: RunningProcess, port: String) {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/http_servers.py")
    let server = try RunningProcess(
      try #require(Program.tool("python3")), [script.path, "--stay"] + arguments)
    try await server.says("its port") { $0.contains(#/^\d+\n/#) }
    let target = """
      name: strange
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: http://127.0.0.1:1
      upload:
        path: /every
        fixes: 5
        message: { points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
      answer:
        - { when: { status: 200, field: { /result: ok } }, is: stored }
      retry: { on: backoff, first: 1s, factor: 2, longest: 4s, deadline: \(deadline) }

      """
    try Data(target.utf8).write(to: folder["strange.yaml"])
    return (server, String(server.text.prefix { $0 != "\n" }))
  }

  @Test("a faulty server leaves balanced accounts, a finished run and little memory")
  func strange() async throws {
    let folder = try TemporaryFolder()
    let (server, port) = try await strangeServer(in: folder)
    defer { server.signal(SIGKILL) }
    let ended = try await Program.run([
      "load", "city", "--target", folder["strange.yaml"].path, "--target-url",
      "http://127.0.0.1:\(port)", "--phones", "400", "--duration", "3s",
      "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
      "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
      "--out", folder["run"].path,
    ])
    #expect([98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    for state in ["stored", "failed", "unknown"] {
      #expect(try record.count("target.fixes.\(state)") > 0, "\(state)")
    }
    #expect(try record.count("machine.processes.generator.peakResidentBytes") < 500_000_000)
    // One clear line a kind.
    for line in [
      "ended with 413, no rule matches: failed", "ended with 302, no rule matches: failed",
      "got no answer: no complete answer before the timeout",
      "ended with 200, no rule matches: failed",
      "got no answer: the answer is not HTTP",
      "got no answer: the connection ended before the answer was complete",
    ] {
      let lines = (ended.text + ended.errorOutput).split(separator: "\n")
      #expect(lines.count { $0.contains("strange: upload \(line)") } == 1, "\(line)")
    }
  }

  @Test(
    "an untrusted certificate is one line at the start",
    .needs(.openssl))
  func unreachable() async throws {
    let folder = try TemporaryFolder()
    let authority = try await Authority()
    try await authority.sign("server")
    let certificate = [
      "--cert", authority.path("server.pem"), "--key", authority.path("server.key"),
    ]
    // A handshake may take a second.
    let (server, port) = try await strangeServer(in: folder, certificate, deadline: "20s")
    defer { server.signal(SIGKILL) }
    let ended = try await Program.run([
      "load", "city", "--target", folder["strange.yaml"].path, "--target-url",
      "https://127.0.0.1:\(port)", "--phones", "10",
    ])
    #expect(ended.code == 69, "\(ended.errorOutput)")
    #expect(ended.errorOutput.contains("TLS failed"), "\(ended.errorOutput)")
    #expect(ended.errorOutput.split(separator: "\n").count == 1, "\(ended.errorOutput)")
  }

  @Test("two shards load one server; merged, their ledger matches the server")
  func shards() async throws {
    let (backend, ended) = try await Trial.together { start in
      let backend = try await TargetBackend("ok")
      let shards = try (1...2).map { number in
        try backend.start(
          [
            "--shard", "\(number)/2", "--set", "run.startAt=\(start)", "--set",
            "run.rateLimit=400/s",
            "--phones", "800",
          ], out: "\(number)")
      }
      return (backend, shards)
    }
    for end in ended { end.expectRun() }
    let merged = try await Program.run(
      ["report", "--merge"] + ["2", "1"].map { backend.folder[$0].path }
        + ["--out", backend.folder["all"].path])
    merged.expectRun()
    let counts = try await backend.counts()
    let record = try RunFiles(folder: backend.folder["all"]).record
    try record.expectTargetBalance()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20 && Double(stored) == counts["fixes"])
    #expect(try record.count("target.readback.confirmed") == stored)
    let parts = try ["1", "2"].map {
      try RunFiles(folder: backend.folder[$0]).record.count("target.fixes.stored")
    }
    #expect(parts.reduce(0, +) == stored && !parts.contains(0))
  }

  @Test(
    "over gRPC, messages have the server's types, and a lost session is renewed",
    .needs(.grpcio), .needs(.protoc))
  func overGRPC() async throws {
    let (ended, record) = try await BeaconServer.load(answers: "forgets")
    ended.expectRun()
    #expect(ended.text.contains("upload ended with UNAUTHENTICATED"))
    let stored = try record.count("target.fixes.stored")
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("traffic.connections") > 10)
  }
}
