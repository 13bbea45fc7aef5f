import Core
import Foundation
import LiveSupport
import TestSupport
import Testing
import Transport

@Suite("--web", .quick)
struct WebTests {
  private static let loads = [
    "load city --phones 10", "collect --store none --listen 127.0.0.1:0",
  ]

  @Test("an address that other machines reach needs a token", arguments: loads)
  func token(words: String) async {
    let ended = await flotilla("\(words) --web 0.0.0.0:0")
    ended.expectOneLine(2, "--web 0.0.0.0:0", "needs a token", "FLOTILLA_WEB_TOKEN")
  }

  @Test("a token that a cookie could not carry is refused")
  func badToken() async {
    let words = Self.loads[0].split(separator: " ").map(String.init) + ["--web", "127.0.0.1:0"]
    let ended = await flotilla(words, environment: ["FLOTILLA_WEB_TOKEN": "short"])
    ended.expectOneLine(2, "FLOTILLA_WEB_TOKEN", "16 to 128")
  }

  @Test("a port that is taken ends it with 73 and says what to do", arguments: loads)
  func taken(words: String) async throws {
    let other = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "")
    let address = other.address.dropFirst("http://".count).dropLast()
    let ended = await flotilla("\(words) --web \(address)")
    other.close()
    ended.expectOneLine(73, "--web", String(address), "choose another, or 0")
  }

  @Test("a recorded run is shown by the same rules")
  func recorded() async throws {
    let folder = try TemporaryFolder()
    let run = folder["run"].path
    _ = await flotilla(
      ["simulate"] + Trial(phones: 20).options(out: folder["run"]) + ["--ui", "none"])
    let watch = ["watch", run, "--speed", "10000", "--ui", "plain", "--web"]
    (await flotilla(watch + ["0.0.0.0:0"])).expectOneLine(2, "--web 0.0.0.0:0", "needs a token")
    let ended = await flotilla(watch + ["127.0.0.1:0"])
    #expect(ended.code == 0 && ended.text.hasPrefix("web      http://127.0.0.1:"))
  }

  @Test("the token is in neither the record's scenario nor its command")
  func secret() async throws {
    let folder = try TemporaryFolder()
    let token = "0123456789abcdef-secret"
    let ended = await flotilla(
      ["simulate"] + Trial(phones: 20).options(out: folder["run"])
        + ["--set", "run.webToken=\(token)", "--ui", "none"])
    #expect([0, 98, 99].contains(ended.code), "\(ended.errorOutput)")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder["run"].path) {
      let data = try Data(contentsOf: folder["run"].appendingPathComponent(name))
      #expect(data.range(of: Data(token.utf8)) == nil, "\(name)")
    }
  }
}
