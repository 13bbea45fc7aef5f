import Foundation
import LiveSupport
import Testing

/// One seed is one world, however it is lived.
@Suite("Digests across engines, speeds and threads", .timeLimit(.minutes(10)))
struct DigestTests {
  let folder: TemporaryFolder
  let trial = Trial(phones: 400, duration: "12min")

  init() throws { folder = try TemporaryFolder() }

  private func live(
    _ command: String, _ trial: Trial, _ name: String, _ extra: [String]
  ) async throws -> RecordFile {
    try await Seats.hold {
      let out = folder[name]
      let ended = try await Program.run([command] + trial.options(out: out) + extra)
      #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      return try RunFiles(folder: out).record
    }
  }

  @Test(
    "the world of a live run is that of the simulation, and its inputs reproduce its behaviour",
    arguments: [(speed: 120, threads: 2), (speed: 240, threads: 1)])
  func liveWorld(speed: Int, threads: Int) async throws {
    var trial = trial
    trial.speed = speed
    let run = try await live("load", trial, "load", ["--threads", "\(threads)"])
    let free = try await live("simulate", self.trial, "free", ["--threads", "2"])
    #expect(try run.string("digest.plan") == free.string("digest.plan"))
    #expect(try run.string("digest.plan").count == 16)
    for threads in 1...2 {
      let again = try await live(
        "simulate", trial, "again-\(threads)",
        ["--inputs", folder["load"].path, "--threads", "\(threads)"])
      #expect(try again.string("digest.plan") == run.string("digest.plan"))
      #expect(try again.string("digest.history") == run.string("digest.history"))
    }
  }
}
