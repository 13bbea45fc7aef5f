import Foundation
import TestSupport
import Testing

@Suite("Builds", .quick)
struct BuildTests {
  /// SwiftPM enables compiler colours on a terminal, and a different command line rebuilds
  /// everything.
  @Test("builds on a terminal and in a pipe use the same commands", arguments: ["build", "test"])
  func colours(_ target: String) throws {
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/make")
    make.arguments = ["-n", target]
    make.currentDirectoryURL = SourceTree.root
    let output = Pipe()
    make.standardOutput = output
    try make.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    make.waitUntilExit()
    let builds = text.split(separator: "\n").filter { $0.contains("swift build") }
    #expect(builds.count == 1)
    #expect(builds.allSatisfy { $0.contains("--no-color-diagnostics") }, "\(text)")
  }
}
