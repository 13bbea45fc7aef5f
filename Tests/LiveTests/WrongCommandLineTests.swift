import Foundation
import LiveSupport
import Testing

@Suite("Mistakes get one clear answer", .timeLimit(.minutes(10)))
struct WrongCommandLineTests {
  private func expectOneAnswer(_ text: String, _ words: [String]) {
    #expect(text.split(separator: "\n").count == 1, "\(text)")
    for word in words { #expect(text.contains(word), "\(text)") }
    // Not the words of a framework.
    #expect(!text.contains("Error Domain") && !text.contains("CocoaError"), "\(text)")
  }

  @Test("a port in use ends in 73")
  func portInUse() async throws {
    let folder = try TemporaryFolder()
    let first = try Program.start(["collect", "--listen", "127.0.0.1:0", "--store", "none"])
    let address = try await CollectorDeathTests.address(first)
    let second = try await Program.run(
      ["collect", "--listen", address, "--store-path", folder["second.sqlite"].path])
    #expect(second.code == 73)
    expectOneAnswer(second.errorOutput, [address, "another program uses the port"])
    first.signal(SIGINT)
    #expect(try await first.end().code == 0)
  }

  @Test("a store that belongs to a live collector is not taken by a second one")
  func storeInUse() async throws {
    let folder = try TemporaryFolder()
    let store = folder["store.sqlite"].path
    let first = try Program.start(["collect", "--listen", "127.0.0.1:0", "--store-path", store])
    try await first.says("\n")
    let second = try await Program.run(
      ["collect", "--listen", "127.0.0.1:0", "--store-path", store])
    #expect(second.code == 73)
    expectOneAnswer(second.errorOutput, [store])
  }
}
