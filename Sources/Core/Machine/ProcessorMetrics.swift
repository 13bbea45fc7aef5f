internal import Foundation

/// The time that the threads of a process were ready to run without a processor.
package struct ProcessorWaits: Equatable, Sendable {
  /// The nanoseconds that each thread has waited since it began, by thread id.
  package var threads: [Int32: UInt64]

  package init(threads: [Int32: UInt64]) { self.threads = threads }

  /// Returns the current waits of every thread, since a process's `schedstat` covers only its main
  /// thread. Returns nil if the process is gone or the system does not report waits.
  package static func of(pid: Int32) -> Self? {
    let folder = "/proc/\(pid)/task"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return nil
    }
    var threads: [Int32: UInt64] = [:]
    for name in names {
      // A thread may end after it was listed and before it is read.
      guard let thread = Int32(name), let text = ProcText.read("\(folder)/\(name)/schedstat"),
        let waited = waited(text)
      else { continue }
      threads[thread] = waited
    }
    return threads.isEmpty ? nil : Self(threads: threads)
  }

  package static func current() -> Self? { of(pid: ProcessInfo.processInfo.processIdentifier) }

  /// Returns the seconds waited since `before`, without threads that have ended.
  package func seconds(since before: Self) -> Double {
    threads.reduce(0) { sum, thread in
      let start = before.threads[thread.key] ?? 0
      // A new thread may have the id of an ended thread.
      return sum + Double(thread.value >= start ? thread.value - start : thread.value) / 1e9
    }
  }

  /// Parses the second of three numbers: time running, time waiting (both in ns), times scheduled.
  static func waited(_ schedstat: String) -> UInt64? {
    let numbers = schedstat.split(whereSeparator: \.isWhitespace)
    return numbers.count >= 2 ? UInt64(numbers[1]) : nil
  }
}

package enum SystemProcessors {
  package static func busySeconds() -> Double? {
    ProcText.read("/proc/stat").flatMap { text in
      busyTicks(text).map { Double($0) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }
    }
  }

  /// Parses the first line of `/proc/stat`, proc(5): user, nice, system, idle, iowait, irq, softirq
  /// and steal. Stolen time counts as busy, idle and iowait do not. User time includes guest time.
  static func busyTicks(_ stat: String) -> UInt64? {
    guard let line = stat.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { UInt64($0) }
    guard ticks.count >= 8 else { return nil }
    return ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]
  }
}

enum ProcText {
  static func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
