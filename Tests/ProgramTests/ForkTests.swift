import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Checkpoints and forks", .quick)
struct ForkCommandTests {
  private struct Record: Decodable {
    struct Digest: Decodable, Equatable { var history: String, plan: String }
    struct Wake: Decodable { var requested: Int }
    var digest: Digest
    var wake: Wake
  }

  private static func record(_ folder: URL) throws -> Record {
    try JSONDecoder().decode(
      Record.self, from: Data(contentsOf: folder.appendingPathComponent("run.json")))
  }

  @Test("a fork continues unchanged or with other pushes, and rejects damaged files")
  func fork() async throws {
    let folder = try TemporaryFolder()
    let file = folder["half.life"].path
    let lived = await flotilla([
      "simulate", "city", "--phones", "40", "--duration", "1h", "--set", "warmStart=2h",
      "--set", "push.silentAfter=10min", "--ui", "plain", "--set", "run.cache=off", "--out",
      folder["whole"].path, "--checkpoint", file, "--at", "08:00",
    ])
    #expect([0, 99].contains(lived.code), "\(lived.errorOutput)")
    #expect(lived.text.contains("saved: \(file)"))
    let same = await flotilla(
      ["simulate", "--from", file, "--ui", "plain", "--out", folder["same"].path])
    #expect([0, 99].contains(same.code), "\(same.errorOutput)")
    #expect(same.text.contains("a checkpoint of 2026-03-02T08:00"))
    let other = await flotilla([
      "simulate", "--from", file, "--set", "push.scheduler=none", "--quiet", "--out",
      folder["other"].path,
    ])
    #expect([0, 99].contains(other.code), "\(other.errorOutput)")
    let records = try ["whole", "same", "other"].map { try Self.record(folder[$0]) }
    #expect(records[0].digest == records[1].digest && records[2].wake.requested == 0)
    #expect(records[1].wake.requested > 0 && records[2].digest.plan == records[0].digest.plan)

    let phones = await flotilla(["simulate", "--from", file, "--phones", "70"])
    #expect(phones.code == 65 && phones.errorOutput.contains("--phones 70: cannot change"))
    #expect(phones.errorOutput.split(separator: "\n").count == 1)
    let stadium = await flotilla(["simulate", "stadium", "--from", file])
    #expect(stadium.code == 65 && stadium.errorOutput.contains("a checkpoint of 'city'"))
    let readme = Program.root.appendingPathComponent("README.md").path
    let letter = await flotilla(["simulate", "--from", readme])
    #expect(letter.code == 65 && letter.errorOutput.contains("run cannot continue from this file"))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    let damaged = await flotilla(["simulate", "--from", file])
    #expect(damaged.code == 65 && damaged.errorOutput.contains("is damaged"))
    #expect(damaged.errorOutput.split(separator: "\n").count == 1)
  }

  @Test("errors name the missing options")
  func usage() async throws {
    let wrong: [([String], String)] = [
      ([], "requires SCENARIO"), (["city", "--checkpoint", "a.life"], "--at TIME, such as 12:00"),
      (["city", "--at", "12:00"], "--checkpoint FILE"),
      (["city", "--checkpoint", "a.life", "--at", "23:00"], "give a time of day between"),
      (["--from", "a.life", "--compare", "hybrid"], "--from cannot be combined with --compare"),
    ]
    for (words, sentence) in wrong {
      let ended = await flotilla(["simulate"] + words)
      #expect(ended.code == 2 && ended.errorOutput.contains(sentence), "\(ended.errorOutput)")
    }
    let none = await flotilla(["simulate", "--from", "/nowhere/a.life"])
    #expect(none.code == 65 && none.errorOutput.contains("cannot be read"))
  }
}
