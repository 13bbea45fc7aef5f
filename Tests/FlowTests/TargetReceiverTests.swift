import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite(
  "Targets of SDKs", .timeLimit(.minutes(2)), .needs(.python))
struct TargetReceiverTests {
  @Test("each target's upload is accepted and read back; a rejection is not a success")
  func trials() async throws {
    let folder = try TemporaryFolder()
    for (arguments, isTaken) in [([], true), (["--no"], false)] {
      let (server, url) = try await SDKReceivers.server(arguments)
      defer { server.signal(SIGKILL) }
      for client in SDKReceivers.clients {
        let ended = try await Program.run(
          [
            "target", "try", try SDKReceivers.file(client, in: folder), "--target-url", url,
            "--phone", "17",
          ])
        #expect(ended.code == (isTaken ? 0 : 99), "\(client.target): \(ended.text)")
        if isTaken {
          #expect(ended.text.contains("verdict    stored and read back"), "\(ended.text)")
        } else {
          #expect(ended.text.contains(client.no), "\(client.target): \(ended.text)")
        }
      }
    }
  }
}
