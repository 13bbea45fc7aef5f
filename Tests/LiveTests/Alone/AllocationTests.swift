import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("Memory asked for on the hot path", .timeLimit(.minutes(10)))
  struct AllocationTests {
    @Test(
      "a collector that knows its phones asks for no memory to take a batch",
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
      // What goes on beside the batches, an audit a second and the like, is some 0.2 of it.
      #expect(try #require(Double(text), "\(ended.text)") < 0.5)
      // It does count: to start a process takes thousands.
      #expect(counter.count > 1_000)
    }
  }
}
