import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("TLS with OpenSSL", .live, .timeLimit(.minutes(10)), .needs(.openssl))
struct TLSTests {
  private func collector(
    _ authority: Authority, _ name: String = "collector", _ options: [String] = []
  ) async throws -> OwnCollector {
    try await OwnCollector(authority.serving(name) + ["--store", "none"] + options)
  }

  /// Error for a collector that it cannot watch; its exit code is 69.
  private func refusal(_ collector: OwnCollector, _ options: [String]) async throws -> String {
    let ended = try await Program.run(["watch", collector.address, "--once"] + options)
    #expect(ended.code == 69, "\(ended.text)\(ended.errorOutput)")
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 1, "\(ended.errorOutput)")
    return ended.errorOutput
  }

  @Test("each TLS error is one clear line")
  func refusals() async throws {
    let (authority, other) = (try await Authority(), try await Authority())
    try await authority.sign("collector")
    try await authority.sign("old", days: -1)
    try await authority.sign("elsewhere", hosts: "DNS:elsewhere.example")
    try await authority.sign("phone")
    let good = try await collector(authority)
    #expect(try await refusal(good, other.trusting()).contains("no trusted CA signed"))
    #expect(try await refusal(good, []).contains("the peer uses TLS"))
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
    #expect(try await refusal(plain, authority.trusting()).contains("may not use TLS"))
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
}
