import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("fit", .quick)
struct FitTests {
  @Test("a dry run describes the log and what is missing, and writes nothing")
  func dryRun() async throws {
    let folder = try TemporaryFolder()
    try "phone,time\na,1772434800\na,1772434860\nb,1772434800\n".write(
      to: folder["small.csv"], atomically: true, encoding: .utf8)
    let ended = await flotilla([
      "fit", "--log", folder["small.csv"].path, "--dry-run", "--out", folder["fit"].path,
    ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.contains("small: log"))
    #expect(ended.text.contains("No interval between fixes: too few values: 1 of 50 required"))
    #expect(ended.text.contains("No accuracy: the log has no column 'accuracy'."))
    #expect(!FileManager.default.fileExists(atPath: folder["fit"].path))
  }

  @Test("an invalid value is reported with its line and the allowed values")
  func bad() async throws {
    let folder = try TemporaryFolder()
    let log = folder["bad.csv"].path
    try "phone,time\na,noon\nb,1772434800\n".write(
      toFile: log, atomically: true, encoding: .utf8)
    let ended = await flotilla(["fit", "--log", log])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.contains("bad.csv:2: time: 'noon' is not ISO 8601"))
    let skipped = await flotilla(["fit", "--log", log, "--skip-bad-lines", "--dry-run"])
    #expect(skipped.code == 0)
    #expect(skipped.text.contains("1 unreadable lines skipped"))
    for (words, code, says) in [
      (["fit"], 2, "--log"), (["fit", "--log", "none.csv"], 65, "none.csv: cannot be read"),
      (["fit", "--log", log, "--columns", "speed=1"], 65, "not a column of a log"),
      (["fit", "--log", log, "--utc-offset", "1"], 2, "as +01:00"),
      (["fit", "--log", log, "--name", "a b"], 2, "a name of letters"),
    ] as [([String], Int32, String)] {
      let ended = await flotilla(words)
      #expect(ended.code == code, "\(words) \(ended.errorOutput)")
      #expect(ended.errorOutput.contains(says), "\(ended.errorOutput)")
    }
  }
}
