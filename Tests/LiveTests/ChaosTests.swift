import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Chaos: killed processes and network faults", .live, .timeLimit(.minutes(10)))
struct ChaosTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a round with kills of collector and fleet loses nothing and stores nothing twice",
    arguments: [[], ["--carrier", "grpc", "--tls"]])
  func round(carrier: [String]) async throws {
    // Seed 3: the fleet is killed as well, and the connections are shared.
    let ended = try await Program.run(
      [
        "chaos", "--rounds", "1", "--seed", "3", "--phones", "400", "--seconds", "6", "--keep",
        folder["rounds"].path,
      ] + carrier, of: Program.lab)
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let row = try #require(ended.text.split(separator: "\n").last)
    #expect(row.contains("3c 1f"))
    #expect(row.contains(" ok "))
  }
}
