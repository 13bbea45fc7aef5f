import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("Unauthenticated clients at a collector", .live, .timeLimit(.minutes(10)))
  struct UnauthenticatedClientTests {
    /// A thousand for some seconds here; `unauthenticated.py` by itself makes it ten thousand for a
    /// minute.
    @Test(
      "1,000 slow connections and invalid bytes do not affect other phones",
      .needs(.pythonPackages), .needs(.protoc))
    func unknownPeers() async throws {
      let ended = try await PythonScript.run(
        "unauthenticated.py", ["--connections", "1000", "--seconds", "5"])
      #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    }
  }
}
