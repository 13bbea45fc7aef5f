internal import Foundation

/// How long the threads of a process have been ready to run without getting a processor.
package struct ProcessorWaits: Equatable, Sendable {
  /// Nanoseconds by thread, since the thread began.
  package var threads: [Int32: UInt64]

  /// Makes the waits from nanoseconds by thread.
  package init(threads: [Int32: UInt64]) { self.threads = threads }

  /// Now; nil when the process is gone, or where there is no `/proc` or it does not say.
  ///
  /// The process's own `schedstat` is its main thread's alone, so every thread is asked.
  package static func of(pid: Int32) -> Self? {
    let folder = "/proc/\(pid)/task"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return nil
    }
    var threads: [Int32: UInt64] = [:]
    for name in names {
      // A thread may end between being listed and being asked.
      guard let thread = Int32(name), let text = ProcText.read("\(folder)/\(name)/schedstat"),
        let waited = waited(text)
      else { continue }
      threads[thread] = waited
    }
    return threads.isEmpty ? nil : Self(threads: threads)
  }

  /// Reads the waits of this process; nil where the system does not give them.
  package static func current() -> Self? { of(pid: ProcessInfo.processInfo.processIdentifier) }

  /// Seconds since `before`. Of a thread that has ended meanwhile nothing is known.
  package func seconds(since before: Self) -> Double {
    threads.reduce(0) { sum, thread in
      let start = before.threads[thread.key] ?? 0
      // The number of a thread that has ended may be another's now.
      return sum + Double(thread.value >= start ? thread.value - start : thread.value) / 1e9
    }
  }

  /// The second number: time on the processor, time waiting for one, times it got one.
  static func waited(_ schedstat: String) -> UInt64? {
    let numbers = schedstat.split(whereSeparator: \.isWhitespace)
    return numbers.count >= 2 ? UInt64(numbers[1]) : nil
  }
}

/// Processor time that everybody on this machine has used.
package enum SystemProcessors {
  /// Seconds since the machine started, over all its cores; nil where there is no `/proc`.
  package static func busySeconds() -> Double? {
    ProcText.read("/proc/stat").flatMap { text in
      busyTicks(text).map { Double($0) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }
    }
  }

  /// The first line of `/proc/stat`, proc(5): user, nice, system, idle, iowait, irq, softirq and
  /// steal. Idle and waiting for a disk are free; guests' time is in user's already. Stolen time
  /// was a processor's that the host gave to others.
  static func busyTicks(_ stat: String) -> UInt64? {
    guard let line = stat.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { UInt64($0) }
    guard ticks.count >= 8 else { return nil }
    return ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]
  }
}

/// Files that the kernel writes when they are read.
private enum ProcText {
  static func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
