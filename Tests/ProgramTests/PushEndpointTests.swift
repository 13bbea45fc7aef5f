import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Push endpoint and passwords", .quick)
struct PushEndpointTests {
  @Test(
    "invalid options give one line with a fix",
    arguments: [
      ([], 2, "requires --topic TOPIC"),
      (["--topic", "a", "--auth", "KEY:file"], 2, "is not any, or TEAM:KEYID:FILE"),
      (["--topic", "a", "--auth", "T:K:/nowhere.p8"], 65, "/nowhere.p8: cannot be used"),
      (["--topic", "a", "--listen", "0.0.0.0:0"], 2, "set your team's keys"),
      (["--topic", "a", "--clear", "--ca-out", "x"], 2, "--clear uses no certificate"),
      (["--topic", "a", "--tokens-out", "/nowhere/t"], 73, "/nowhere/t: cannot be written"),
      (["--topic", "a", "--tls-cert", "/nowhere", "--tls-key", "/nowhere"], 65, "cannot be used"),
      (["--topic", "a", "--tls-cert", "/nowhere"], 2, "--tls-key"),
    ] as [([String], Int32, String)])
  func wrong(arguments: [String], code: Int32, text: String) async throws {
    let ended = await flotilla(["push-endpoint"] + arguments)
    #expect(ended.code == code, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.errorOutput.contains(text), "\(ended.errorOutput)")
    #expect(ended.errorOutput.split(separator: "\n").count == 1)
  }

  @Test("errors and records have no passwords, and errors no escape characters")
  func passwords() async throws {
    let folder = try TemporaryFolder()
    for words in [
      ["verify", "host=x password=s3cret user=y"],
      ["load", "city", "--set", "collector.url=http://u:s3cret@h:1"],
      ["scenario", "check", "a\u{1B}[31mb\u{9B}2J"],
      ["export", folder["x"].path, "--out", "postgresql://u:s3cret@h/x"],
    ] {
      let ended = await flotilla(words)
      let text = ended.text + ended.errorOutput
      #expect(ended.code != 0 && !text.contains("s3cret"), "\(text)")
      let controls: Set<Unicode.Scalar> = ["\u{1B}", "\u{9B}"]
      #expect(!text.unicodeScalars.contains { controls.contains($0) }, "\(text)")
    }
    let simulated = await flotilla(
      [
        "simulate", "city", "--phones", "10", "--duration", "30min", "--set", "run.cache=off",
        "--set", "slo={ lost: 0 }", "--out", folder["run"].path, "--set",
        #"question="is <script>x</script> at http://u:s3cret@h ?""#,
      ])
    #expect(simulated.code == 0, "\(simulated.errorOutput)")
    let record = try String(
      contentsOf: folder["run"].appendingPathComponent("run.json"), encoding: .utf8)
    let command = try #require(record.firstRange(of: #""command""#)).upperBound
    #expect(record[command...].contains(#"http://u:***@h"#) || !record.contains("s3cret"))
    let summary = try String(
      contentsOf: folder["run"].appendingPathComponent("summary.md"), encoding: .utf8)
    #expect(!summary.contains("<script>"))
  }
}
