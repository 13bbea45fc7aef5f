import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  /// Benches whose rounds are programs of their own.
  @Suite("Benchmarks of whole programs", .live, .timeLimit(.minutes(10)))
  struct ProgramBenchTests {
    private func row(_ arguments: [String], _ bench: String) async throws -> [String: Any] {
      let ended = try await Program.run(["bench"] + arguments + ["--json"], of: Program.lab)
      #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
      let rows = try JSONSerialization.jsonObject(with: ended.output) as? [[String: Any]]
      return try #require(rows?.first { $0["bench"] as? String == bench })
    }

    private func median(_ row: [String: Any], _ figure: String) -> Double {
      (row[figure] as? [String: Double])?["median"] ?? -1
    }

    @Test("bench kept adds the results of several generators and collectors")
    func kept() async throws {
      let row = try await row(
        ["kept", "--connections", "41", "--pairs", "2", "--rate", "101", "--seconds", "1"], "kept")
      #expect(row["connections"] as? Int == 41 && row["collectors"] as? Int == 2)
      // Two rates that differ by one are sent; a second may have some more or fewer.
      #expect(abs(median(row, "batchesPerSecond") - 101) < 15)
      #expect(median(row, "serverBytesPerConnection") > 100)
      #expect(median(row, "clientBytesPerConnection") > 100)
      #expect(median(row, "failed") == 0)
    }

    @Test("bench tune reports the search's share of the grid's phone-days")
    func tune() async throws {
      let row = try await row(["tune", "--phones", "40", "--rounds", "1"], "tune")
      let (search, grid) = (median(row, "searchPhoneDays"), median(row, "gridPhoneDays"))
      #expect(search > 0 && median(row, "candidates") == 48)
      #expect(abs(median(row, "shareOfGridPhoneDays") - search / grid) < 1e-9)
    }

    @Test("bench files reads a GPX file and a log that it has written")
    func files() async throws {
      let row = try await row(
        ["files", "--quick", "--rows", "20000", "--rounds", "1"], "files")
      #expect(median(row, "gpxSeconds") > 0 && median(row, "fitSeconds") > 0)
    }

    @Test("bench web reads every row of an open page, and compares the generator's lag")
    func web() async throws {
      let row = try await row(
        ["web", "--phones", "3000", "--seconds", "8", "--rounds", "1"], "web")
      #expect(median(row, "rowsMissing") == 0)
      #expect(median(row, "openGeneratorCores") > 0 && median(row, "closedGeneratorCores") > 0)
    }

    @Test("bench second-run finds the first run in the cache")
    func secondRun() async throws {
      let row = try await row(
        ["second-run", "--quick", "--phones", "300", "--rounds", "1"], "second-run")
      #expect(median(row, "fromCache") == 1)
      #expect(median(row, "secondWarmStartWallSeconds") < median(row, "firstWarmStartWallSeconds"))
    }
  }
}
