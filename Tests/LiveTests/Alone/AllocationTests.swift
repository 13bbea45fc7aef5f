import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("Allocations on the hot path", .live, .timeLimit(.minutes(10)))
  struct AllocationTests {
    @Test(
      "a collector allocates nothing per batch of a known phone",
      .needs(.glibc), .needs(.optimisedProgram), .needs(.compiler), .needs(.pythonPackages),
      .needs(.protoc))
    func collector() async throws {
      let folder = try TemporaryFolder()
      let counter = try await AllocationCounter(in: folder)
      let ended = try await PythonScript.run(
        "allocations.py", ["--count", counter.file.path], of: AllocationCounter.program,
        environment: counter.environment)
      #expect(ended.code == 0, "\(ended.errorOutput)")
      let text = ended.text.trimmingCharacters(in: .whitespacesAndNewlines)
      // Other work, such as one audit per second, is about 0.2 per batch.
      #expect(try #require(Double(text), "\(ended.text)") < 0.5)
      // The counter works: starting a process takes thousands.
      #expect(counter.count > 1_000)
    }
  }
}
