import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("TLS with others' software", .timeLimit(.minutes(10)), .needs(.openssl))
struct TLSTests {
  private func collector(
    _ authority: Authority, _ name: String = "collector", _ options: [String] = [],
    listen: String = "127.0.0.1:0"
  ) async throws -> OwnCollector {
    try await OwnCollector(
      authority.serving(name) + ["--store", "none"] + options, listen: listen)
  }

  /// What `openssl s_client` says to a collector.
  private func client(_ collector: OwnCollector, _ words: String) async throws -> String {
    try await Shell.output(
      "openssl s_client -connect \(collector.address) \(words) </dev/null 2>&1 || true")
  }

  /// What the program says of a collector that it cannot watch; its exit code is 69.
  private func refusal(_ collector: OwnCollector, _ options: [String]) async throws -> String {
    let ended = try await Program.run(["watch", collector.address, "--once"] + options)
    #expect(ended.code == 69, "\(ended.text)\(ended.errorOutput)")
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 1, "\(ended.errorOutput)")
    return ended.errorOutput
  }

  @Test("openssl s_client speaks TLS 1.3 and 1.2 with a collector, and not 1.1")
  func versions() async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    let collector = try await collector(authority)
    let trust = "-CAfile '\(authority.path("ca.pem"))' -verify_return_error"
    for version in ["1_3", "1_2"] {
      let text = try await client(collector, "-tls\(version) \(trust)")
      #expect(text.contains("Verify return code: 0 (ok)"), "\(text)")
      #expect(text.contains("TLSv\(version.replacing("_", with: "."))"), "\(text)")
    }
    let old = try await client(collector, "-tls1_1 -cipher DEFAULT@SECLEVEL=0")
    #expect(old.contains("alert protocol version"), "\(old)")
    try await eventually("the collector has counted it") {
      try collector.metric("flotilla_tls_handshake_failures_total") == 1
        && collector.metric("flotilla_tls_handshakes_total") == 2
    }
    try await eventually("the log names it") { collector.events.contains("tls.old-version") }
  }

  @Test("a session of openssl s_client is resumed after a restart with the same ticket keys")
  func tickets() async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    try await authority.run("rand -out tickets 80")
    let keys = ["--ticket-keys", authority.path("tickets")]
    let first = try await collector(authority, "collector", keys)
    let (address, session) = (first.address, authority.path("session"))
    // It waits for the ticket: it is told to quit a second later, or more on a busy machine.
    try await Shell.run(
      "for wait in 1 3 9 27; do test -s '\(session)' || (sleep $wait; echo Q) "
        + "| openssl s_client -connect \(address) -sess_out '\(session)'; done; "
        + "test -s '\(session)'")
    first.process.signal(SIGTERM)
    #expect(try await first.process.end().code == 0)
    let second = try await collector(authority, "collector", keys, listen: address)
    let again = try await client(second, "-sess_in '\(session)'")
    #expect(again.contains("Reused, TLSv1.3"), "\(again)")
    second.process.signal(SIGTERM)
    _ = try await second.process.end()
    try await authority.run("rand -out tickets 80")
    let third = try await collector(authority, "collector", keys, listen: address)
    let other = try await client(third, "-sess_in '\(session)'")
    #expect(other.contains("New, TLSv1.3"), "\(other)")
  }

  @Test(
    "SIGHUP changes the certificate under open connections, and one that cannot be used does not")
  func reload() async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    let collector = try await collector(authority)
    try await authority.sign("collector", hosts: "DNS:renewed.example")
    collector.process.signal(SIGHUP)
    try await eventually("the collector has read it") {
      collector.events.contains("tls.reloaded")
    }
    let text = try await Shell.output(
      "openssl s_client -connect \(collector.address) </dev/null 2>/dev/null "
        + "| openssl x509 -noout -ext subjectAltName")
    #expect(text.contains("renewed.example"))
    try Data("nothing".utf8).write(to: authority.folder["collector.key"])
    collector.process.signal(SIGHUP)
    try await eventually("the collector has refused it") {
      collector.events.contains("tls.not-reloaded")
    }
    #expect(try await client(collector, "").contains("BEGIN CERTIFICATE"))
  }

  @Test("each way not to trust is one clear line")
  func refusals() async throws {
    let (authority, other) = (try await Authority(), try await Authority())
    try await authority.sign("collector")
    try await authority.sign("old", days: -1)
    try await authority.sign("elsewhere", hosts: "DNS:elsewhere.example")
    try await authority.sign("phone")
    let good = try await collector(authority)
    #expect(try await refusal(good, other.trusting()).contains("no trusted CA signed"))
    #expect(try await refusal(good, []).contains("the other side speaks TLS"))
    let old = try await collector(authority, "old")
    #expect(try await refusal(old, authority.trusting()).contains("has expired"))
    let elsewhere = try await collector(authority, "elsewhere")
    #expect(try await refusal(elsewhere, authority.trusting()).contains("for another name"))
    let strict = try await collector(
      authority, "collector", ["--client-ca", authority.path("ca.pem")])
    #expect(try await refusal(strict, authority.trusting()).contains("--client-cert"))
    let known = try await Program.run(
      ["watch", strict.address, "--once"] + authority.trusting()
        + [
          "--client-cert", authority.path("phone.pem"),
          "--client-key", authority.path("phone.key"),
        ])
    #expect(known.code == 0, "\(known.errorOutput)")
    let plain = try await OwnCollector(["--store", "none"])
    #expect(try await refusal(plain, authority.trusting()).contains("may speak no TLS"))
    let mixed = try await Program.run(
      [
        "collect", "--tls-cert", authority.path("old.pem"), "--tls-key",
        authority.path("phone.key"),
      ]
    )
    #expect(mixed.code == 65 && mixed.errorOutput.contains("is not the key of"))
    let half = try await Program.run(["collect", "--tls-cert", authority.path("old.pem")])
    #expect(half.code == 2 && half.errorOutput.contains("--tls-key"))
  }

  @Test(
    "a fleet over TLS loses nothing, resumes what it may, and leaves no key behind",
    arguments: ["flotilla", "grpc"])
  func load(carrier: String) async throws {
    let folder = try TemporaryFolder()
    let files = RunFiles(folder: folder["run"])
    let ended = try await Seats.hold {
      try await Program.run(
        ["load"] + Trial(phones: 400).options(out: files.folder)
          + ["--set", "tls.resume=80%", "--set", "run.carrier=\(carrier)"])
    }
    #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    if try OracleRule.mayRun(.sqlite) {
      let answer = try await Program.runTool(
        "sqlite3", [files.store.path, "SELECT count(*) FROM batches"])
      #expect(answer.text == "\(try record.count("ledger.batches.distinct"))\n")
    }
    let (full, resumed) = (
      try record.count("traffic.handshakes.full"), try record.count("traffic.handshakes.resumed")
    )
    #expect(full > 0 && resumed > 0)
    #expect(full + resumed <= (try record.count("traffic.connections")))
    #expect(try record.count("latency.secured.full.count") > 0)
    #expect(try record.count("latency.secured.resumed.count") > 0)
    #expect(try files.text("summary.md").contains("connect: TLS resumed"))
    #expect(try files.text("report.html").contains("TLS handshakes that resumed a session"))
    #expect(try files.text("tls/ca.pem").contains("BEGIN CERTIFICATE"))
    for secret in ["tls/collector.key", "tls/ticket-keys"] {
      #expect(!FileManager.default.fileExists(atPath: files.folder.path + "/" + secret))
    }
  }
}
