import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet against a backend that is not Flotilla's: `receiver.py`, in a process of its own.
@Suite("load --target, against a server over HTTP", .timeLimit(.minutes(10)))
struct TargetLoadTests {
  /// A receiver, and the file that says how an app speaks to it.
  final class Backend {
    let folder: TemporaryFolder
    let server: RunningProcess
    let url: String

    init(_ answers: String) async throws {
      folder = try TemporaryFolder()
      let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
      server = try RunningProcess(
        try #require(Program.tool("python3")),
        [script.path, "--stay", "--answers", answers, "--token", TargetLoadTests.secret])
      try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
      url = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
      try Data(TargetLoadTests.secret.utf8).write(to: folder["token"])
      let metrics = "metrics: \(url)/metrics\n"
      try Data((TargetLoadTests.target + metrics).utf8).write(to: folder["acme.yaml"])
    }

    /// What it counts of itself.
    func counts() async throws -> [String: Double] {
      let ask =
        "import sys, urllib.request as r; "
        + "sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())"
      let answer = try await Program.runTool("python3", ["-c", ask, "\(url)/counts"])
      return try JSONDecoder().decode([String: Double].self, from: answer.output)
    }

    func start(
      _ arguments: [String] = [], seconds: Int = 4, out: String = "run"
    ) throws -> RunningProcess {
      try Program.start(
        [
          "load", "city", "--target", folder["acme.yaml"].path, "--target-url", url,
          "--phones", "2000", "--duration", "\(seconds)s", "--set", "warmStart=10min",
          "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
          "--set", "fleet.cohorts[0].policy=radar-continuous",
          "--set", "fleet.cohorts[1].policy=radar-continuous",
          "--ui", "plain", "--out", folder[out].path,
        ] + arguments)
    }

    var run: RunFiles { RunFiles(folder: folder["run"]) }
  }

  private static let secret = "sesame-4711"

  private static let target = """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:1
    identity: { id: "a{phone:05}", token: { file: token } }
    register:
      once: phone
      path: /devices
      headers: { Authorization: "Bearer {token}" }
      message: { id: $id }
      keep: { session: /session }
      answer:
        - { when: { status: 201 }, is: stored }
    upload:
      path: /fixes
      headers: { Authorization: "Bearer {token}", X-Session: "{session}" }
      fixes: 20
      message: { id: $id, points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200, field: { /ok: true } }, is: stored }
      - { when: { status: 400 }, is: refused, reason: bad points }
      - { when: { status: 503 }, is: retry }
      - { when: { status: 200, field: { /accepted: "*" } }, is: partly, taken: /accepted }
    retry: { on: backoff, first: 1s, factor: 2, longest: 4s, deadline: 2s }
    readback:
      method: GET
      path: /track
      query: { id: $id }
      rows: /points
      time: /at
      timeUnit: ms
      latitude: /lat
      longitude: /lon

    """

  /// Every fix is somewhere, and in one place.
  func checkBalance(_ record: RecordFile) throws {
    let fixes = "target.fixes"
    let counts = try ["stored", "failed", "unknown", "waiting", "removed"].map {
      try record.count("\(fixes).\($0)")
    }
    let refused = try record.counts("\(fixes).refusedBy").values.reduce(0, +)
    let dropped = try record.counts("\(fixes).droppedBy").values.reduce(0, +)
    #expect(counts.reduce(0, +) + refused + dropped == (try record.count("\(fixes).handed")))
    let ledger = try ["filtered", "evicted", "refused", "outbox", "inFlight", "acknowledged"].map {
      try record.count("ledger.fixes.\($0)")
    }
    #expect(ledger.reduce(0, +) == (try record.count("ledger.fixes.generated")))
    #expect(try record.count("ledger.fixes.acknowledged") == record.count("\(fixes).stored"))
  }

  @Test(
    "what it stores is registered, sent by the rate limit, read back, and lives now",
    .needs(.python))
  func stores() async throws {
    let backend = try await Backend("ok")
    let ended = try await Seats.hold {
      try await backend.start(["--rate-limit", "100/s", "--phones", "300"]).end()
    }
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains("Verified by reading back"))
    let record = try backend.run.record
    try checkBalance(record)
    let counts = try await backend.counts()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20)
    #expect(Double(stored) == counts["fixes"])
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    // What the server says of itself.
    #expect(try record.number("target.server.coresUsed") >= 0)
    #expect(try record.number("target.server.residentBytesMax") > 1_000_000)
    // The scenario lies in March; what its phones send is of today.
    #expect(abs(counts["newestAge"] ?? .infinity) < 60)
    #expect((counts["devices"] ?? 0) > 10)
    // The ramp and the drain are the first and last of it.
    #expect((counts["requests"] ?? 0) + (counts["devices"] ?? 0) <= 100 * 6)
    // The token is in no file of the run, and nothing that was printed has it.
    for name in ["run.json", "log.txt", "summary.md", "report.html", "timeline.csv"] {
      #expect(try !backend.run.text(name).contains(Self.secret), "\(name)")
    }
    #expect(!(ended.text + ended.errorOutput).contains(Self.secret))
  }

  @Test(
    "one that says 200 and keeps every tenth fix is found out while the run is live, by its phones",
    .needs(.python))
  func loses() async throws {
    let backend = try await Backend("loses")
    let ended = try await Seats.hold {
      let load = try backend.start(seconds: 16)
      try await load.says("acme: phone ")
      load.signal(SIGINT)
      return try await load.end()
    }
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains(#/acme: phone \d+ is held with \d+ of the \d+ fixes/#))
    #expect(ended.text.contains("not there when they are read back"))
    let record = try backend.run.record
    try checkBalance(record)
    #expect(try record.verdict == "loss")
    #expect(try record.count("target.readback.missing") > 10)
    #expect(try record.count("ledger.fixes.lost") == record.count("target.readback.missing"))
  }

  @Test(
    "what is refused, failed and unanswered is counted apart", .needs(.python),
    arguments: ["400", "503-half", "closes"])
  func others(_ answers: String) async throws {
    let backend = try await Backend(answers)
    let ended = try await Seats.hold { try await backend.start().end() }
    // Its fixes are not stored: a level of service that every target has to keep.
    #expect(ended.code == 99, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains(#/stored is [0-9.]+ %, the scenario asks for 99.0 %/#))
    let record = try backend.run.record
    try checkBalance(record)
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
      #expect(ended.text.contains("the connection ended before the answer was whole"))
    }
    #expect(try record.count("ledger.fixes.lost") == 0)
  }

  @Test("Ctrl-C ends it with a report", .needs(.python))
  func interrupted() async throws {
    let backend = try await Backend("silent")
    let ended = try await Seats.hold {
      let load = try backend.start(["--set", Trial.patient[0]], seconds: 8)
      try await load.says("measure ")
      load.signal(SIGINT)
      return try await load.end()
    }
    #expect(ended.code == 130, "\(ended.text)\(ended.errorOutput)")
    let record = try backend.run.record
    try checkBalance(record)
    #expect(try record.count("target.fixes.unknown") > 0)
  }

  /// A server of http_servers.py, which does right or wrong by the path that it is asked for, and
  /// a target whose uploads it answers in every wrong way, one after the other.
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

  @Test("a server that does wrong in every way costs no account, no run and little memory")
  func strange() async throws {
    let folder = try TemporaryFolder()
    let (server, port) = try await strangeServer(in: folder)
    defer { server.signal(SIGKILL) }
    let ended = try await Seats.hold {
      try await Program.run([
        "load", "city", "--target", folder["strange.yaml"].path, "--target-url",
        "http://127.0.0.1:\(port)", "--phones", "400", "--duration", "3s",
        "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
        "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
        "--out", folder["run"].path,
      ])
    }
    // On a machine that is busy with other tests its rates may be invalid.
    #expect([98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try checkBalance(record)
    for state in ["stored", "failed", "unknown"] {
      #expect(try record.count("target.fixes.\(state)") > 0, "\(state)")
    }
    #expect(try record.count("machine.processes.generator.peakResidentBytes") < 500_000_000)
    // One clear line a kind.
    for line in [
      "ended with 413, which meets no rule: failed", "ended with 302, which meets no rule: failed",
      "was not answered: no whole answer within the time for it",
      "ended with 200, which meets no rule: failed",
      "was not answered: what came back is not HTTP",
      "was not answered: the connection ended before the answer was whole",
    ] {
      let lines = (ended.text + ended.errorOutput).split(separator: "\n")
      #expect(lines.count { $0.contains("strange: upload \(line)") } == 1, "\(line)")
    }
  }

  @Test(
    "a certificate that nobody vouches for is one line at the start",
    .needs(.openssl))
  func unreachable() async throws {
    let folder = try TemporaryFolder()
    let authority = try await Authority()
    try await authority.sign("server")
    let certificate = [
      "--cert", authority.path("server.pem"), "--key", authority.path("server.key"),
    ]
    // On a busy machine a handshake takes a second.
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

  @Test("two shards load one server from one instant on; merged, their ledger is the server's")
  func shards() async throws {
    let backend = try await Backend("ok")
    let ended = try await Seats.hold {
      let start = Date.now.addingTimeInterval(5).formatted(.iso8601)
      let shards = try (1...2).map { number in
        try backend.start(
          [
            "--shard", "\(number)/2", "--set", "run.startAt=\(start)", "--rate-limit", "400/s",
            "--phones",
            "300",
          ], out: "\(number)")
      }
      var ended: [Ended] = []
      for shard in shards { ended.append(try await shard.end()) }
      return ended
    }
    for end in ended { #expect([0, 98].contains(end.code), "\(end.text)\(end.errorOutput)") }
    let merged = try await Program.run(
      ["report", "--merge"] + ["2", "1"].map { backend.folder[$0].path }
        + ["--out", backend.folder["all"].path])
    #expect([0, 98].contains(merged.code), "\(merged.text)\(merged.errorOutput)")
    let counts = try await backend.counts()
    let record = try RunFiles(folder: backend.folder["all"]).record
    try checkBalance(record)
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20 && Double(stored) == counts["fixes"])
    #expect(try record.count("target.readback.confirmed") == stored)
    let parts = try ["1", "2"].map {
      try RunFiles(folder: backend.folder[$0]).record.count("target.fixes.stored")
    }
    #expect(parts.reduce(0, +) == stored && !parts.contains(0))
  }

  @Test(
    "over gRPC messages are of the server's own types, a lost session is renewed, and losses show",
    .needs(.grpcio), .needs(.protoc), arguments: ["forgets", "loses"])
  func overGRPC(_ answers: String) async throws {
    let folder = try TemporaryFolder()
    let schemas = Program.root.appendingPathComponent("scenarios/targets").path
    _ = try await Program.runTool(
      "protoc",
      [
        "--include_imports", "-I\(schemas)", "-o\(folder["beacon.pb"].path)",
        "grpc-example.proto",
      ])
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/beacon_server.py")
    let server = try RunningProcess(
      PythonScript.python, [script.path, folder["beacon.pb"].path, "--answers", answers])
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    let address = server.text.dropFirst("listening on ".count).dropLast()
    let ended = try await Seats.hold {
      try await Program.run([
        "load", "city", "--target", "grpc-example", "--target-url", "grpc://\(address)",
        "--phones", "1000", "--duration", "4s", "--set", "warmStart=10min",
        "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
        "--out", folder["run"].path,
      ])
    }
    #expect(ended.code == (answers == "loses" ? 97 : 0), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try checkBalance(record)
    #expect(try record.count("target.fixes.stored") > 20)
    if answers == "forgets" {
      #expect(ended.text.contains("upload ended with UNAUTHENTICATED"))
      let stored = try record.count("target.fixes.stored")
      #expect(try record.count("target.readback.confirmed") == stored)
      #expect(try record.count("traffic.connections") > 10)
    } else {
      #expect(try record.count("target.readback.missing") > 10)
    }
  }
}
