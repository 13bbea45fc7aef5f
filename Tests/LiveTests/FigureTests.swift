import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Figures in the documentation", .live, .timeLimit(.minutes(10)))
struct FigureTests {
  @Test("figures of simulations on pages match the program's output", .needs(.python))
  func exact() async throws {
    let tool = Program.root.appendingPathComponent(".ci/figures")
    let ended = try await RunningProcess(tool, ["--check", "--program", Program.fast.path]).end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
  }
}
