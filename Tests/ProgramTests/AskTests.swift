import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("One position on request", .quick)
struct AskTests {
  @Test("wrong usage exits with 2, a port without a collector with 69")
  func wrong() async throws {
    for words in [
      ["127.0.0.1:7070"], ["127.0.0.1:7070", "--phone", "-1"], ["nowhere", "--phone", "1"],
      ["127.0.0.1:7070", "--phone", "1", "--deadline", "500ms"],
      ["127.0.0.1:7070", "--phone", "1", "--deadline", "30"],
      ["127.0.0.1:7070", "--phone", "1", "--accuracy", "fine"],
    ] {
      let ended = await flotilla(["ask"] + words)
      #expect(ended.code == 2 && ended.text.isEmpty, "\(words)")
      #expect(ended.errorOutput.hasPrefix("flotilla: "), "\(ended.errorOutput)")
    }
    let port = try FreePort.next()
    let nobody = await flotilla(["ask", "127.0.0.1:\(port)", "--phone", "1"])
    #expect(nobody.code == 69 && nobody.errorOutput.contains("no collector answers"))
  }

  @Test("explain prints each gate of a request, and rejects a time outside the run")
  func explained() async throws {
    let words = [
      "explain", "city", "--phones", "60", "--duration", "2h", "--phone", "17", "--set",
      "warmStart=1h",
    ]
    let ended = await flotilla(words + ["--ask", "08:30", "--deadline", "10min"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let lines = ended.text.split(separator: "\n")
    #expect(lines.count >= 4)
    #expect(lines[1] == "Asked at 2026-03-02T08:30:00 for a position within 10min.")
    #expect(
      lines.last?.hasPrefix("Answered after ") == true
        || lines.last?.hasPrefix("No position within 10min: ") == true)
    let outside = await flotilla(words + ["--ask", "12:00"])
    #expect(outside.code == 2 && outside.errorOutput.contains("--ask"))
  }

  @Test("explain takes the folder of a run for its scenario, and writes a page of the day")
  func explainedRun() async throws {
    let folder = try TemporaryFolder()
    let settings = [
      "--phones", "60", "--duration", "1h", "--set", "warmStart=1h", "--set", "slo={ lost: 0 }",
    ]
    let run = await flotilla(
      ["simulate", "city", "--out", folder.url.path, "--seed", "9"] + settings)
    #expect(run.code == 0, "\(run.errorOutput)")
    let page = folder["day.html"]
    let ended = await flotilla([
      "explain", folder.url.path, "--phone", "7", "--html", page.path,
    ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let named = await flotilla(["explain", "city", "--phone", "7", "--seed", "9"] + settings)
    #expect(ended.text == named.text)
    let html = try String(contentsOf: page, encoding: .utf8)
    let first = try #require(ended.text.split(separator: "\n").first)
    #expect(html.contains("<h1>Phone 7</h1>") && html.contains(first))
  }
}
