import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Terminal", .needs(.tmux), .timeLimit(.minutes(2)))
struct TerminalTests {
  @Test("starts, resizes, freezes and quits, and restores the terminal")
  func session() async throws {
    try await Dashboard.session("xterm-256color", (80, 24, 200, 60))
  }
}
