import Core
import Foundation
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Build benchmark", .live, .timeLimit(.minutes(10)), .needs(.git))
struct BuildBenchTests {
  /// A repository whose `make build` runs a shell line.
  private final class Repository {
    let folder: URL

    init(build line: String) throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("build-bench-\(UUID().uuidString)")
      try FileManager.default.createDirectory(
        at: source, withIntermediateDirectories: true)
      try Data("build:\n\t@\(line)\n".utf8).write(to: source.appendingPathComponent("Makefile"))
      let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
      for words in [["init", "--quiet"], ["add", "."], identity + ["commit", "-qm", "Build"]] {
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = ["git", "-C", source.path] + words
        try git.run()
        git.waitUntilExit()
        try #require(git.terminationStatus == 0)
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var source: URL { folder.appendingPathComponent("source") }

    func bench(shouldStop: @escaping () -> Bool = { false }) -> BuildBench {
      BuildBench(source: source, folder: folder, shouldStop: shouldStop)
    }
  }

  /// A second for each poll.
  private static func clock() -> () -> WallInstant {
    var seconds: Int64 = 0
    return {
      seconds += 1
      return WallInstant(microseconds: seconds * 1_000_000)
    }
  }

  @Test("a clone of the last commit is built twice and removed")
  func twice() throws {
    let repository = try Repository(
      build: "echo built >> ../lines; head -c 9000000 /dev/zero | md5sum")
    try Data("build:\n\tfalse\n".utf8).write(
      to: repository.source.appendingPathComponent("Makefile"))
    var bench = repository.bench()
    let figures = try bench.round(Self.clock())
    #expect(figures.map(\.figure) == ["wallSeconds", "cpuSeconds", "againWallSeconds"])
    #expect(figures[0].samples == [1] && figures[2].samples == [1])
    #expect(try #require(figures[1].samples.first) > 0)
    let lines = try String(
      contentsOf: repository.folder.appendingPathComponent("lines"), encoding: .utf8)
    #expect(lines == "built\nbuilt\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: repository.folder.path)
    #expect(Set(left) == ["lines", "source"])
  }

  @Test("a failed build and a missing repository are errors")
  func fails() throws {
    let repository = try Repository(build: "exit 3")
    var bench = repository.bench()
    #expect {
      try bench.round(Self.clock())
    } throws: { error in
      (error as? ProgramError)?.description.hasPrefix("make ") == true
    }
    #expect(BuildBench.isSource(repository.source))
    #expect(!BuildBench.isSource(repository.folder))
  }

  @Test("a stopped round has no figures, and its build ends")
  func stopped() throws {
    let repository = try Repository(build: "touch ../begun; exec sleep 600")
    let begun = repository.folder.appendingPathComponent("begun").path
    var bench = repository.bench { FileManager.default.fileExists(atPath: begun) }
    #expect(try bench.round(Self.clock()).isEmpty)
  }
}
