import Capacity
import Core
import Figures
@testable import Report

/// A page of each kind, for tests of what all pages have in common.
enum ReportPages: String, CaseIterable {
  case run, plan, givenPlan, demand, runs, policies, sweep, grid, tune, sensitivity, fit, overload
  case reconnect

  func html(_ libraries: PageLibraries = .installed) throws -> String {
    try Self.html(record, libraries)
  }

  var record: any StoredRecord {
    get throws {
      let given = Ratio(value: 2_500, low: 2_500, high: 2_500)
      return switch self {
      case .run: RunFixture.live { $0.storm = [RunFixture.storm] }.record
      case .plan: PlanFixture.record()
      case .givenPlan: PlanFixture.record(.init(source: .given, perCore: given))
      case .demand: PlanFixture.record(nil)
      case .runs: try ComparisonFixture.comparison(try ComparisonFixture.run(1.2))
      case .policies: PoliciesFixture.record(3)
      case .sweep: SweepFixture.record(("push.silentAfter", ["1", "2", "3", "4"]))
      case .grid: SweepFixture.record(("a.x", ["1", "2", "3"]), ("a.y", ["p", "q"]))
      case .tune: TuneFixture.record
      case .sensitivity: SensitivityFixture.record
      case .fit: try FitFixture.record(isSimulated: true)
      case .overload: OverloadFixture.record
      case .reconnect: ReconnectFixture.record
      }
    }
  }

  private static let live = RunFixture.live()
  private static let comparedFiles = Result {
    [try ComparisonFixture.run(), try ComparisonFixture.run(1.2)]
  }

  /// With the other files of the fixtures.
  static func html(_ record: any StoredRecord, _ libraries: PageLibraries) throws -> String {
    switch record {
    case let record as RunRecord:
      var files = live
      files.record = record
      return reportHTML(files, libraries)
    case let record as RunComparison:
      return record.report(try comparedFiles.get()).html(libraries)
    case let record as any Reported: return record.report.html(libraries)
    case let record as OverloadRecord: return record.report.html(libraries)
    case let record as ReconnectRecord: return record.report.html(libraries)
    case _: preconditionFailure("no page of \(type(of: record))")
    }
  }
}
