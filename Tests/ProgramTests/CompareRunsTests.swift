import Foundation
import FoundationXML
import LiveSupport
import TestSupport
import Testing

@Suite("Comparison of runs", .quick)
struct CompareRunsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func simulate(_ name: String, _ settings: [String] = []) async {
    var trial = Trial(phones: 40, duration: "3h")
    trial.settings = ["warmStart=1h"] + settings
    _ = await flotilla(["simulate"] + trial.options(out: folder[name]) + ["--ui", "none"])
  }

  @Test("a policy with silent phones is a regression: exit code 99, in JUnit XML and CSV")
  func regression() async throws {
    await simulate("a")
    await simulate("again")
    await simulate("b", ["fleet.cohorts[0].policy=significant-change"])
    let (a, again, b) = (folder["a"].path, folder["again"].path, folder["b"].path)
    let same = await flotilla(["report", a, again, "--fail-on-regression"])
    #expect(same.code == 0)
    #expect(same.text.contains("Paired by time"))
    #expect(same.text.contains("none worse by more than 5.0 %"))
    let junit = folder["junit.xml"]
    let worse = await flotilla([
      "report", b, "--baseline", a, "--fail-on-regression", "--junit", junit.path,
      "--csv", folder["c.csv"].path, "--out", folder["out"].path,
    ])
    #expect(worse.code == 99 && worse.errorOutput.isEmpty)
    #expect(worse.text.contains("\n  fresh, reachable "))
    #expect(worse.text.contains("fleet.cohorts.commuters.policy: hybrid → significant-change"))
    for name in ["report.html", "summary.md", "comparison.csv", "comparison.json"] {
      #expect(
        FileManager.default.fileExists(atPath: folder["out"].appendingPathComponent(name).path))
    }
    let cases = try XMLDocument(contentsOf: junit).nodes(forXPath: "//testcase[failure]/@name")
    #expect(cases.contains { $0.stringValue?.contains("fresh-reachable") == true })
    let tolerant = await flotilla([
      "report", a, again, b, "--tolerance", "10",
    ])
    #expect(tolerant.code == 0 && tolerant.text.contains("C against A"))
  }

  @Test(
    "comparison options with a single run, and invalid runs, are errors",
    arguments: [
      ("--junit x.xml", 2, "give two runs, or --baseline RUN"),
      ("--fail-on-regression", 2, "give two runs, or --baseline RUN"),
      ("nowhere", 65, "run.json: cannot read the run record"),
      ("nowhere --tolerance much", 2, "'much' is not a share"),
    ])
  func refused(words: String, code: Int32, message: String) async throws {
    let ended = await flotilla("report \(folder.url.path) \(words)")
    #expect(ended.code == code)
    #expect(ended.errorOutput.contains(message), "\(ended.errorOutput)")
  }
}
