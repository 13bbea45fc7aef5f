internal import Foundation

package struct ProcessMetrics: Codable, Equatable, Sendable {
  /// User and system time of all threads.
  package var cpuMicroseconds: Int64
  package var residentBytes: Int
  package var peakResidentBytes: Int

  package init(cpuMicroseconds: Int64, residentBytes: Int, peakResidentBytes: Int) {
    self.cpuMicroseconds = cpuMicroseconds
    self.residentBytes = residentBytes
    self.peakResidentBytes = peakResidentBytes
  }

  /// Returns the metrics of this process. Without `/proc`, resident memory is the peak.
  package static func current() -> ProcessMetrics {
    var usage = rusage()
    #if os(Linux)
      _ = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      let unit = 1_024  // Linux counts kibibytes, macOS bytes.
    #else
      _ = getrusage(RUSAGE_SELF, &usage)
      let unit = 1
    #endif
    let cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    let peak = Int(usage.ru_maxrss) * unit
    let status = Self.status(of: ProcessInfo.processInfo.processIdentifier)
    return ProcessMetrics(
      cpuMicroseconds: cpu, residentBytes: status?.resident ?? peak,
      peakResidentBytes: status?.peak ?? peak)
  }

  /// User and system time of all descendants that have ended and were waited for.
  package static var cpuMicrosecondsOfChildren: Int64 {
    var usage = rusage()
    #if os(Linux)
      _ = getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #else
      _ = getrusage(RUSAGE_CHILDREN, &usage)
    #endif
    return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
  }

  /// Returns another process's metrics (CPU in steps of 10 ms); nil without the process or `/proc`.
  package static func of(pid: Int32) -> ProcessMetrics? {
    guard let status = status(of: pid), let line = ProcText.read("/proc/\(pid)/stat") else {
      return nil
    }
    // The name in parentheses may contain spaces, so fields are counted after it. The first field
    // after the name is field 3 of proc(5); utime is field 14 and stime field 15.
    guard let name = line.lastIndex(of: ")") else { return nil }
    let fields = line[line.index(after: name)...].split(separator: " ")
    guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]) else {
      return nil
    }
    let ticks = Int64(sysconf(Int32(_SC_CLK_TCK)))
    return ProcessMetrics(
      cpuMicroseconds: (user + system) * 1_000_000 / max(1, ticks),
      residentBytes: status.resident, peakResidentBytes: status.peak)
  }

  private static func microseconds(_ time: timeval) -> Int64 {
    Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
  }

  /// Returns VmRSS and VmHWM in bytes; nil if either is missing.
  private static func status(of pid: Int32) -> (resident: Int, peak: Int)? {
    guard let text = ProcText.read("/proc/\(pid)/status") else { return nil }
    var found: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count == 3, let kibibytes = Int(words[1]) else { continue }
      found[words[0]] = kibibytes * 1_024
    }
    guard let resident = found["VmRSS:"], let peak = found["VmHWM:"] else { return nil }
    return (resident, peak)
  }
}
