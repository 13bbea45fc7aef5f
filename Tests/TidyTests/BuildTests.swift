import Foundation
import TestSupport
import Testing

@Suite("Builds", .quick)
struct BuildTests {
  /// SwiftPM has the compiler colour what it says where the build is at a terminal; a command that
  /// differs is run again, so that `make load` there compiled all that a pipe had left.
  @Test("at a terminal and in a pipe the same commands build", arguments: ["build", "test"])
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
