import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Allocations of a fleet", .live, .timeLimit(.minutes(10)))
struct FleetAllocationTests {
  /// Some hours of a working day, without pushes: the server records each of those.
  private static let hours = [
    "metropolis", "--duration", "6h", "--set", "warmStart=1h", "--set", "push.scheduler=none",
  ]

  /// Calls of malloc while the fleet runs unobserved: a forecast, which has neither progress nor a
  /// report.
  private func allocations(phones: Int) async throws -> UInt64 {
    let folder = try TemporaryFolder()
    let counter = try await AllocationCounter(in: folder)
    let process = try RunningProcess(
      AllocationCounter.program,
      ["load"] + Self.hours + ["--phones", "\(phones)", "--set", "run.threads=2", "--dry-run"],
      environment: counter.environment)
    let ended = try await process.end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return counter.count
  }

  /// Deliveries of that many phones to their apps in these hours.
  private func fixes(phones: Int) async throws -> Int {
    let folder = try TemporaryFolder()
    let process = try RunningProcess(
      AllocationCounter.program,
      ["simulate"] + Self.hours + [
        "--phones", "\(phones)", "--quiet", "--ui", "none", "--out", folder["run"].path,
      ])
    let ended = try await process.end()
    // Without pushes a fleet may miss its SLOs: 99.
    #expect([0, 99].contains(ended.code), "\(ended.errorOutput)")
    return try RunFiles(folder: folder["run"]).record.count("ledger.fixes.generated")
  }

  @Test(
    "simulated phones allocate nothing per fix",
    .needs(.glibc), .needs(.optimisedProgram), .needs(.compiler))
  func fleet() async throws {
    // Both fleets have the cost of the program and of each simulated minute.
    let few = try await allocations(phones: 500)
    let many = try await allocations(phones: 2_000)
    let fixes = try await fixes(phones: 1_500)
    #expect(fixes > 50_000)
    let more = Double(many) - Double(few)
    // Tables grow with a fleet, rarely and in proportion.
    #expect(more / Double(fixes) < 0.01, "\(more) allocations more for \(fixes) fixes more")
    // The counter works: starting a process takes thousands.
    #expect(few > 1_000)
  }
}
