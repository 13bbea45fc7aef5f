internal import Core
internal import Foundation
internal import Synchronization
internal import Transport

final class ServedProcess: Sendable {
  private let process: Process
  private let name: String
  private let text = Mutex("")

  init(_ name: String, _ executable: String, _ arguments: [String]) throws(ProgramError) {
    self.name = name
    let output = Pipe()
    process = try .started(executable, arguments, core: 1, name: name, output: output)
    let descriptor = output.fileHandleForReading
    // Reads the output to its end, since the process would block on a full pipe.
    Thread.detachNewThread { [self] in
      while case let more = descriptor.availableData, !more.isEmpty {
        // swift-format-ignore: what is no text is shown as it can be.
        text.withLock { $0 += String(decoding: more, as: UTF8.self) }
        Waiter.shared.wake()
      }
    }
  }

  /// - Parameter limit: The time limit in seconds.
  func said(_ word: String, within limit: Int = 120) throws(ProgramError) -> String {
    let limit = MonotonicClock.now + .seconds(Int64(limit))
    // Polls too, since output wakes the waiter, but the end of the process does not.
    Waiter.shared.wait(until: limit, every: .milliseconds(20)) {
      text.withLock { $0.contains(word) } || !process.isRunning
    }
    let said = text.withLock { $0 }
    if said.contains(word) { return said }
    stop()
    throw .failed(program: name, status: process.isRunning ? 0 : process.terminationStatus)
  }

  var metrics: ProcessMetrics {
    .of(pid: process.processIdentifier)
      ?? .init(cpuMicroseconds: 0, residentBytes: 0, peakResidentBytes: 0)
  }

  func stop() {
    if process.isRunning { process.interrupt() }
    process.waitUntilExit()
  }
}
