import Foundation
import LiveSupport
import Testing

/// A seed gives the same world at any speed, on any number of threads, simulated or live.
@Suite("Digests across engines, speeds and threads", .timeLimit(.minutes(2)))
struct DigestTests {
  private struct Made {
    let folder: TemporaryFolder
    let ended: Ended
    var files: RunFiles { RunFiles(folder: folder["load"]) }
  }

  private static let trial = Trial(
    phones: 200, speed: 240, duration: "6min", settings: ["warmStart=1h"])

  private static let run = Task {
    let folder = try TemporaryFolder()
    let words = ["--set", "run.threads=2", "--set", "run.twin=true", "--ui", "json"]
    return Made(
      folder: folder,
      ended: try await Program.run(["load"] + trial.options(out: folder["load"]) + words))
  }

  @Test("a live run has the world of the simulation, and its inputs reproduce its behaviour")
  func liveWorld() async throws {
    let made = try await Self.run.value
    made.ended.expectRun()
    let run = try made.files.record
    func simulate(_ trial: Trial, _ name: String, _ extra: [String]) async throws -> RecordFile {
      let out = made.folder[name]
      let ended = try await Program.run(["simulate"] + trial.options(out: out) + extra)
      #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      return try RunFiles(folder: out).record
    }
    var slower = Self.trial
    slower.speed = 120
    let free = try await simulate(slower, "free", ["--set", "run.threads=2"])
    #expect(try run.string("digest.plan") == free.string("digest.plan"))
    #expect(try run.string("digest.plan").count == 16)
    for threads in 1...2 {
      let again = try await simulate(
        Self.trial, "again-\(threads)",
        ["--inputs", made.files.folder.path, "--set", "run.threads=\(threads)"])
      #expect(try again.string("digest.plan") == run.string("digest.plan"))
      #expect(try again.string("digest.history") == run.string("digest.history"))
    }
  }

  @Test("run.twin reports the difference; --ui json prints one object per line")
  func twin() async throws {
    let made = try await Self.run.value
    let record = try made.files.record
    let alike = try record.number("agreement.phonesAlike")
    #expect(alike >= 0 && alike <= 1)
    #expect(try record.count("agreement.uploadsLive") >= 0)
    #expect(try record.count("agreement.uploadsSimulated") > 0)
    #expect(made.ended.errorOutput.contains("of the phones behaved identically in both"))
    #expect(try made.files.text("report.html").contains("Live run and simulation compared"))
    var types: [String] = []
    for line in made.ended.text.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      types.append(try #require((object as? [String: Any])?["type"] as? String))
    }
    #expect(types.contains("interval"))
    #expect(types.last == "end")
  }
}
