internal import Capacity
package import Core
internal import Figures
package import Foundation

/// `flotilla tune` over 48 candidates, compared with the grid of the same resolution.
package struct TuneBench: Benchmark {
  package let name = "tune"
  private let executable: String
  private let folder: URL
  private let phones: Int

  private static let scenario = "night"
  private static let axes = [
    "push.scheduler=fixed,adaptive", "push.spacing=15min..2h:6log",
    "push.silentAfter=15min..2h:4log",
  ]

  /// - Parameter folder: The folder of the search, removed at its end; `phones`: of the last rung.
  package init(executable: String, folder: URL, phones: Int) {
    self.executable = executable
    self.folder = folder
    self.phones = phones
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("scenario", .word(Self.scenario)), ("phones", .count(phones))]
  }

  package var bars: [BenchBar] { [BenchBar("shareOfGridPhoneDays", .atMost(0.5))] }

  /// Returns the phone-days of search and grid, their ratio, and the wall-clock seconds.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let folder = folder.appendingPathComponent("tune")
    defer { try? FileManager.default.removeItem(at: folder) }
    let arguments =
      ["tune", Self.scenario, "--phones", "\(phones)", "--policy", "hybrid"]
      + Self.axes.flatMap { ["--vary", $0] }
      + ["--minimize", "pushes", "--subject", "fresh>=45%", "--quiet", "--out", folder.path]
    let began = clock()
    let process = try Process.started(executable, arguments)
    process.waitUntilExit()
    let seconds = (clock() - began).seconds
    guard let record = try? TuneRecord.read(from: folder.appendingPathComponent("tune.json"))
    else { throw .failed(program: "flotilla tune", status: process.terminationStatus) }
    guard !record.isInterrupted, record.cost.grid > 0 else { return [] }
    return [
      ("candidates", [Double(record.candidates.count)]),
      ("searchPhoneDays", [record.cost.search]), ("gridPhoneDays", [record.cost.grid]),
      ("shareOfGridPhoneDays", [record.cost.search / record.cost.grid]),
      ("wallSeconds", [seconds]),
    ]
  }
}
