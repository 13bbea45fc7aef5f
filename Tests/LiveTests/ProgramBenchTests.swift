import Foundation
import LiveSupport
import TestSupport
import Testing

/// Benches whose rounds are programs of their own.
@Suite("Benchmarks of whole programs", .live, .timeLimit(.minutes(10)))
struct ProgramBenchTests {
  @Test("bench kept adds the results of several generators and collectors")
  func kept() async throws {
    let row = try await BenchProgram.row(
      ["kept", "--connections", "41", "--pairs", "2", "--rate", "101", "--seconds", "1"], "kept")
    #expect(row["connections"] as? Int == 41 && row["collectors"] as? Int == 2)
    // Two rates that differ by one are sent; a second may have some more or fewer.
    #expect(abs(BenchProgram.median(row, "batchesPerSecond") - 101) < 15)
    #expect(BenchProgram.median(row, "serverBytesPerConnection") > 100)
    #expect(BenchProgram.median(row, "clientBytesPerConnection") > 100)
    #expect(BenchProgram.median(row, "failed") == 0)
  }

  @Test("bench web reads every row of an open page, and compares the generator's lag")
  func web() async throws {
    let row = try await BenchProgram.row(
      ["web", "--phones", "3000", "--seconds", "8", "--rounds", "1"], "web")
    #expect(BenchProgram.median(row, "rowsMissing") == 0)
    #expect(
      BenchProgram.median(row, "openGeneratorCores") > 0
        && BenchProgram.median(row, "closedGeneratorCores") > 0)
  }

  @Test("bench second-run finds the first run in the cache")
  func secondRun() async throws {
    let row = try await BenchProgram.row(
      ["second-run", "--quick", "--phones", "300", "--rounds", "1"], "second-run")
    #expect(BenchProgram.median(row, "fromCache") == 1)
    #expect(
      BenchProgram.median(row, "secondWarmStartWallSeconds")
        < BenchProgram.median(row, "firstWarmStartWallSeconds"))
  }
}
