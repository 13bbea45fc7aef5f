import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Builds by make", .timeLimit(.minutes(2)))
struct BuildTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs `lines` between two builds, and returns the number of times that the program was built.
  private func builds(around lines: String) async throws -> Int {
    let text = """
      set -e; cd '\(folder.url.path)'; mkdir -p .build/release Sources
      touch Package.swift Sources/a.swift Sources/b.swift
      make='echo >>log; echo >.build/release/program; chmod +x .build/release/program'
      build() { '\(Program.root.path)/.ci/build' program sh -c "$make"; }
      build; \(lines); build; wc -l <log
      """
    let ended = try await Program.runTool("bash", ["-c", text])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return try #require(Int(ended.text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @Test("a program that nothing has changed is not built again")
  func unchanged() async throws {
    #expect(try await builds(around: "true") == 1)
  }

  @Test(
    "a program is built again after a change",
    arguments: [
      "touch Sources/a.swift", "rm Sources/b.swift", "touch Sources/new.swift",
      "touch Package.swift", #"make="$make; true""#, "echo >.build/release/program",
      "rm .build/release/program", "export FLOTILLA_ROOM=Core",
    ])
  func changed(change: String) async throws {
    #expect(try await builds(around: change) == 2, "\(change)")
  }

  @Test("a build that failed is repeated, also if it left the program of an earlier one")
  func failed() async throws {
    let lines = #"touch Sources/a.swift; good=$make; make='false'; build || true; make=$good"#
    #expect(try await builds(around: lines) == 2)
  }
}
