import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("TLS with OpenSSL", .timeLimit(.minutes(2)), .needs(.openssl))
struct TLSTests {
  private func collector(
    _ authority: Authority, _ options: [String], listen: String = "127.0.0.1:0"
  ) async throws -> OwnCollector {
    try await OwnCollector(
      authority.serving("collector") + ["--store", "none"] + options, listen: listen)
  }

  /// Returns the output of `openssl s_client` with a collector.
  private func client(_ collector: OwnCollector, _ words: String) async throws -> String {
    try await Shell.output(
      "openssl s_client -connect \(collector.address) \(words) </dev/null 2>&1 || true")
  }

  @Test("openssl s_client speaks TLS 1.3 and 1.2, resumes its session, and sees a new certificate")
  func client() async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    try await authority.run("rand -out tickets 80")
    let keys = ["--ticket-keys", authority.path("tickets")]
    let first = try await collector(authority, keys)
    try await expectVersions(first, authority)
    let (address, session) = (first.address, authority.path("session"))
    // Quits when it has the ticket.
    try await Shell.run(
      "(for n in $(seq 600); do test -s '\(session)' && break; sleep 0.1; done; echo Q) | "
        + "openssl s_client -connect \(address) -sess_out '\(session)'; test -s '\(session)'")
    try await first.stop()
    let second = try await collector(authority, keys, listen: address)
    let again = try await client(second, "-sess_in '\(session)'")
    #expect(again.contains("Reused, TLSv1.3"), "\(again)")
    try await second.stop()
    try await authority.run("rand -out tickets 80")
    let third = try await collector(authority, keys, listen: address)
    let other = try await client(third, "-sess_in '\(session)'")
    #expect(other.contains("New, TLSv1.3"), "\(other)")
    try await expectReload(third, authority)
  }

  /// TLS 1.3 and 1.2 work, 1.1 does not.
  private func expectVersions(_ collector: OwnCollector, _ authority: Authority) async throws {
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

  /// SIGHUP changes the certificate, unless the new one is invalid.
  private func expectReload(_ collector: OwnCollector, _ authority: Authority) async throws {
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

  @Test(
    "a fleet over TLS loses nothing, resumes sessions, and leaves no keys",
    arguments: [("flotilla", "columns"), ("grpc", "rows-gzip")])
  func load(carrier: String, encoding: String) async throws {
    let folder = try TemporaryFolder()
    let files = RunFiles(folder: folder["run"])
    let trial = Trial.short(
      phones: 600, "tls.resume=80%", "run.carrier=\(carrier)", "encoding=\(encoding)")
    let ended = try await Program.run(["load"] + trial.options(out: files.folder))
    ended.expectRun()
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    try await files.expectExported()
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
