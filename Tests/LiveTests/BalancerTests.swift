import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite(
  "nginx between a fleet and two collectors", .live, .timeLimit(.minutes(10)), .needs(.nginx),
  .needs(.openssl), .needs(.postgreSQL))
struct BalancerTests {
  let folder: TemporaryFolder
  let authority: Authority

  init() async throws {
    folder = try TemporaryFolder()
    authority = try await Authority()
    try await authority.sign("collector", hosts: "IP:127.0.0.1,DNS:localhost")
  }

  private func load(by nginx: Nginx) throws -> RunningProcess {
    var trial = Trial.endless
    trial.phones = 1_000
    return try Program.start(
      ["load"] + trial.options(out: folder["run"])
        + authority.trusted()
        + [
          "--collector", nginx.address, "--set", "run.carrier=grpc", "--set", "tls.resume=50%",
          "--set", "run.state=\(folder["state"].path)",
        ])
  }

  @Test(
    "gRPC over TLS: nginx is reloaded and a collector killed, nothing is lost or stored twice",
    arguments: ["grpc", "grpcs"])
  func killed(scheme: String) async throws {
    let database = try await Database.start()
    let options =
      ["--store", database.url] + (scheme == "grpcs" ? authority.serving("collector") : [])
    let first = try await OwnCollector(options)
    let second = try await OwnCollector(options)
    let nginx = try await Nginx(
      authority, "collector", scheme: scheme, before: [first.address, second.address])
    let load = try load(by: nginx)
    try await eventually("both collectors serve uploads", soFar: load.text) {
      try first.metric("flotilla_batches_accepted_total") > 0
        && second.metric("flotilla_batches_accepted_total") > 0
    }
    try await nginx.reload()
    // Stopped first, so that uploads are in flight when it is killed.
    second.process.signal(SIGSTOP)
    let printed = load.text.count
    try await load.says("uploads under way") {
      $0.dropFirst(printed).contains(#/inflight=([5-9]|[1-9]\d)/#)
    }
    second.process.signal(SIGKILL)
    _ = try await second.process.end()
    try await nginx.reload()
    let before = try first.metric("flotilla_batches_accepted_total")
    try await eventually("the other one serves all", soFar: load.text) {
      try first.metric("flotilla_batches_accepted_total") > before + 20
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect(nginx.calls(of: first.address) > 20 && nginx.calls(of: second.address) > 0)
    let passedOn = nginx.passedOn
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    // The fleet resends what the collector had read; nginx passes to the other one what it could
    // not send, because a stopped collector does not answer its TLS.
    #expect(try record.count("errors.retries") + passedOn > 0)
    #expect(try record.count("traffic.handshakes.full") > 0)
    let verdict = try await Program.run([
      "verify", database.url, "--ledger", folder["state"].path,
    ])
    #expect(verdict.code == 0, "\(verdict.text)\(verdict.errorOutput)")
    #expect(verdict.text.contains("lost 0, twice 0, unequal 0, never submitted 0"))
  }
}

@Suite(
  "HAProxy between a fleet and two collectors", .live, .timeLimit(.minutes(10)), .needs(.haproxy),
  .needs(.postgreSQL))
struct ConnectionBalancerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func load(by balancer: HAProxy, carrier: String) throws -> RunningProcess {
    var trial = Trial.endless
    trial.phones = 1_000
    return try Program.start(
      ["load"] + trial.options(out: folder["run"]) + [
        "--set", "network.deadline=4s", "--collector", balancer.address, "--set",
        "run.carrier=\(carrier)",
        "--set", "run.state=\(folder["state"].path)",
      ])
  }

  /// The collector is stopped first, so that uploads are in flight when it is taken out; it
  /// continues afterwards and stores what it had, while the same batches come to the other one.
  private func takeOut(
    _ collector: OwnCollector, of balancer: HAProxy, during load: RunningProcess
  ) async throws {
    collector.process.signal(SIGSTOP)
    let printed = load.text.count
    try await load.says("uploads under way") {
      $0.dropFirst(printed).contains(#/inflight=([5-9]|[1-9]\d)/#)
    }
    #expect(try balancer.remove(2) > 0)
    collector.process.signal(SIGCONT)
  }

  @Test(
    "a collector is removed with its connections: nothing is lost or stored twice",
    arguments: ["flotilla", "grpc"])
  func takenOut(carrier: String) async throws {
    let database = try await Database.start()
    let options = ["--store", database.url]
    let first = try await OwnCollector(options)
    let second = try await OwnCollector(options)
    let balancer = try await HAProxy(before: [first.address, second.address])
    let load = try load(by: balancer, carrier: carrier)
    try await eventually("both collectors serve uploads", soFar: load.text) {
      try first.metric("flotilla_batches_accepted_total") > 0
        && second.metric("flotilla_batches_accepted_total") > 0
    }
    try await takeOut(second, of: balancer, during: load)
    let passed = try balancer.connections(to: 2)
    let before = try first.metric("flotilla_batches_accepted_total")
    try await eventually("the other one serves all", soFar: load.text) {
      try first.metric("flotilla_batches_accepted_total") > before + 100
    }
    #expect(try balancer.connections(to: 2) == passed)
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    #expect(try record.count("errors.retries") > 0)
    let verdict = try await Program.run([
      "verify", database.url, "--ledger", folder["state"].path,
    ])
    #expect(verdict.code == 0, "\(verdict.text)\(verdict.errorOutput)")
    #expect(verdict.text.contains("lost 0, twice 0, unequal 0, never submitted 0"))
  }
}
