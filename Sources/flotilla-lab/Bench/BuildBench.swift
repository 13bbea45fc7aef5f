package import Core
package import Foundation
internal import Transport

/// Measures `make build` in a fresh clone, and again without changes.
package struct BuildBench: Benchmark {
  private let source: URL
  private let folder: URL
  private let shouldStop: () -> Bool

  /// - Parameter shouldStop: called several times a second.
  package init(source: URL, folder: URL, shouldStop: @escaping () -> Bool) {
    self.source = source
    self.folder = folder
    self.shouldStop = shouldStop
  }

  package static func isSource(_ folder: URL) -> Bool {
    [".git", "Makefile"].allSatisfy {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
    }
  }

  package let name = "build"

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("processors", .count(ProcessInfo.processInfo.activeProcessorCount))]
  }

  package var bars: [BenchBar] { [BenchBar("wallSeconds", .atMost(150))] }

  /// Returns wall-clock and CPU seconds for the first build, and wall-clock seconds for the second.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let clone = folder.appendingPathComponent("build")
    defer { try? FileManager.default.removeItem(at: clone) }
    guard try run(["git", "clone", "--quiet", source.path, clone.path]) else { return [] }
    let (start, cpuBefore) = (clock(), ProcessMetrics.cpuMicrosecondsOfChildren)
    guard try run(["make", "-C", clone.path, "build"]) else { return [] }
    let (built, cpu) = (clock(), ProcessMetrics.cpuMicrosecondsOfChildren - cpuBefore)
    guard try run(["make", "-C", clone.path, "build"]) else { return [] }
    return [
      ("wallSeconds", [(built - start).seconds]), ("cpuSeconds", [Double(cpu) / 1_000_000]),
      ("againWallSeconds", [(clock() - built).seconds]),
    ]
  }

  /// Returns false if the build was stopped.
  private func run(_ words: [String]) throws(ProgramError) -> Bool {
    let process = try Process.started("/usr/bin/env", words, name: words[0])
    // Polls, since the process may exit before a handler is set.
    Waiter.shared.wait(every: .milliseconds(20)) {
      if shouldStop() { process.terminate() }
      return !process.isRunning
    }
    process.waitUntilExit()
    if shouldStop() { return false }
    guard process.terminationStatus == 0 else {
      throw .failed(program: words.joined(separator: " "), status: process.terminationStatus)
    }
    return true
  }
}
