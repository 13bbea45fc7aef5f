package import Core
internal import Foundation

/// The server's processes and their resources, on Linux only.
extension PostgresCluster {
  /// The process IDs, the parent's first; empty if the server does not run.
  package var processIDs: [Int32] {
    processID.map { [$0] + Self.children(of: $0) } ?? []
  }

  /// The sum over all processes, including ended ones; nil if unknown. Shared memory counts once.
  package var metrics: ProcessMetrics? {
    guard let server = processID, let own = Self.use(of: server, withEnded: true) else {
      return nil
    }
    var sum = own
    for child in Self.children(of: server) {
      guard let use = Self.use(of: child, withEnded: false) else { continue }
      sum.ticks += use.ticks
      sum.alone += use.alone
      sum.shared = max(sum.shared, use.shared)
    }
    let perSecond = max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))
    let memory = sum.alone + sum.shared
    return ProcessMetrics(
      cpuMicroseconds: sum.ticks * 1_000_000 / perSecond, residentBytes: memory,
      peakResidentBytes: memory)
  }

  static func children(of parent: Int32) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter { self.parent(of: $0) == parent }
  }

  /// Returns whether a process runs; false for an ended process, even if not yet reaped.
  static func isRunning(_ id: Int32) -> Bool {
    fields(of: id).first.map { $0 != "Z" } ?? false
  }

  private static func parent(of id: Int32) -> Int32? {
    let fields = fields(of: id)
    return fields.count > 1 && fields[0] != "Z" ? Int32(fields[1]) : nil
  }

  /// Returns the fields of `/proc/PID/stat` from the state on (proc(5)); none if unreadable. The
  /// name before the state is in parentheses and may contain any character.
  private static func fields(of id: Int32) -> [Substring] {
    let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    return text.lastIndex(of: ")").map {
      text[text.index(after: $0)...].split(separator: " ")
    } ?? []
  }

  private struct Use {
    var ticks: Int64
    var alone: Int
    var shared: Int
  }

  private static func use(of id: Int32, withEnded: Bool) -> Use? {
    let fields = fields(of: id)
    guard fields.count > 14 else { return nil }
    // Fields 11 to 14 are CPU ticks in user and kernel mode, of the process, then of its children.
    let ticks = fields[11...(withEnded ? 14 : 12)].reduce(0) { $0 + (Int64($1) ?? 0) }
    let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
    var kibibytes: [Substring: Int] = [:]
    for line in status.split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if words.count == 3 { kibibytes[words[0]] = Int(words[1]) }
    }
    func bytes(_ key: Substring) -> Int { (kibibytes[key] ?? 0) * 1_024 }
    return Use(
      ticks: ticks, alone: bytes("RssAnon:"), shared: bytes("RssFile:") + bytes("RssShmem:"))
  }
}
