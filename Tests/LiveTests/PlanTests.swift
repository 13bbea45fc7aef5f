import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("demand and plan", .live, .timeLimit(.minutes(10)))
struct PlanTests {
  private static let small = [
    "city", "--phones", "200", "--duration", "1h", "--set", "warmStart=1h", "--set",
    "run.cache=off",
    "--ui", "plain",
  ]

  @Test("an estimate from a third of the phones matches a simulation of all")
  func scaled() async throws {
    let folder = try TemporaryFolder()
    func demand(_ lived: String) async throws -> RecordFile {
      let ended = try await Program.run([
        "demand", "city", "--phones", "12000", "--duration", "1h", "--set", "warmStart=30min",
        "--lived", lived, "--ui", "none", "--out", folder[lived].path,
      ])
      #expect(ended.code == 0, "\(ended.errorOutput)")
      return try RunFiles(folder: folder[lived]).record
    }
    let part = try await demand("4000")
    let whole = try await demand("12000")
    #expect(try part.number("demand.scale") == 3)
    #expect(try whole.number("demand.scale") == 1)
    for key in ["peakSecond", "sustained.0", "sustained.1", "sustained.2"] {
      let lived = try whole.number("demand.\(key).value")
      let (low, high) = try (
        part.number("demand.\(key).low"), part.number("demand.\(key).high")
      )
      #expect(low <= lived && lived <= high, "\(key): \(lived) is not in \(low) to \(high)")
    }
    let steady = try part.number("demand.sustained.2.high")
    #expect(
      try steady < 2 * whole.number("demand.sustained.2.value"),
      "an interval up to \(steady) says nothing")
  }

  @Test(
    "a plan rejects a database with a store, which it would empty", .needs(.postgreSQL)
  )
  func taken() async throws {
    let folder = try TemporaryFolder()
    let database = try await Database.start()
    try database.run("CREATE SCHEMA flotilla")
    let ended = try await Program.run(
      ["plan"] + Self.small + [
        "--quick", "--store", database.url, "--out", folder["a"].path,
      ])
    #expect(ended.code == 65, "\(ended.errorOutput)")
    #expect(ended.errorOutput.contains("every trial would empty"), "\(ended.errorOutput)")
  }

}
