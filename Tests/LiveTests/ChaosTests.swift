import Foundation
import LiveSupport
import Testing

@Suite("Chaos: processes are killed and the wire is harmed", .timeLimit(.minutes(10)))
struct ChaosTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a round in which collector and fleet are killed loses nothing and stores nothing twice",
    arguments: [[], ["--carrier", "grpc", "--tls"]])
  func round(carrier: [String]) async throws {
    // Seed 3: the fleet is killed as well, and the connections are shared.
    let ended = try await Seats.hold {
      try await Program.run(
        [
          "chaos", "--rounds", "1", "--seed", "3", "--phones", "400", "--seconds", "6", "--keep",
          folder["rounds"].path,
        ] + carrier, of: Program.lab)
    }
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let row = try #require(ended.text.split(separator: "\n").last)
    #expect(row.contains("3c 1f"))
    #expect(row.contains(" ok "))
  }

  @Test("a fleet that is killed goes on from its outboxes: what it was told is stored, once each")
  func fleet() async throws {
    let store = folder["store.sqlite"].path
    let (lives, ended) = try await Seats.hold {
      let collector = try Program.start([
        "collect", "--listen", "127.0.0.1:0", "--store-path", store,
      ])
      let address = try await CollectorDeathTests.address(collector)
      let first = try Program.start(load(address, out: "first"))
      try await first.says("acknowledged batches") { $0.contains(#/acked=[1-9]/#) }
      // Stopped, the collector answers nobody: what is sent now stays unanswered.
      collector.signal(SIGSTOP)
      let printed = first.text.count
      try await first.says("uploads under way") {
        $0.dropFirst(printed).contains(#/inflight=[1-9]/#)
      }
      first.signal(SIGKILL)
      _ = try await first.end()
      collector.signal(SIGCONT)
      let second = try await Program.start(load(address, out: "second")).end()
      collector.signal(SIGTERM)
      return (second, try await collector.end())
    }
    #expect([0, 98, 99].contains(lives.code), "\(lives.text)\(lives.errorOutput)")
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["second"]).record
    #expect(try record.count("ledger.batches.resent") > 0)
    #expect(try record.count("ledger.batches.lost") == 0)
    let verdict = try await Program.run(["verify", store, "--ledger", folder["state"].path])
    #expect(verdict.code == 0, "\(verdict.text)\(verdict.errorOutput)")
    #expect(verdict.text.contains("in 2 lives"))
    #expect(verdict.text.contains(#/open 0; sent again [1-9]/#))
    #expect(verdict.text.contains("lost 0, twice 0, unequal 0, never submitted 0"))
  }

  @Test("the state of another run is refused with 65, and says why")
  func otherRun() async throws {
    let first = try await Seats.hold {
      let load = try Program.start(load(nil, out: "first"))
      try await load.says("acked=")
      load.signal(SIGINT)
      return try await load.end()
    }
    #expect([98, 130].contains(first.code), "\(first.text)\(first.errorOutput)")
    let other = try await Program.run(load(nil, out: "second") + ["--seed", "8"])
    #expect(other.code == 65)
    #expect(other.errorOutput.contains("seed 3 instead of 8"))
  }

  private func load(_ address: String?, out: String) -> [String] {
    let target = address.map { ["--collector", $0] } ?? []
    return [
      "load", "chaos", "--phones", "300", "--duration", "8min", "--seed", "3", "--state",
      folder["state"].path, "--out", folder[out].path,
    ] + target
  }
}
