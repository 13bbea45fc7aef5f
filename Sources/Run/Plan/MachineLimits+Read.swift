internal import Core
internal import Foundation

extension MachineLimits {
  package static func current() -> MachineLimits {
    MachineLimits(
      descriptors: ResourceLimit.descriptors.current,
      descriptorsHard: ResourceLimit.descriptors.highest,
      ports: ports(text("/proc/sys/net/ipv4/ip_local_port_range")),
      memoryBytes: min(
        availableMemory(text("/proc/meminfo")), ResourceLimit.addressSpace.current))
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  static func ports(_ range: String) -> Int {
    let ends = range.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard ends.count == 2, ends[0] <= ends[1] else { return 28_232 }
    return ends[1] - ends[0] + 1
  }

  static func availableMemory(_ meminfo: String) -> Int {
    for line in meminfo.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let words = line.split(separator: " ")
      if words.count >= 2, let kilobytes = Int(words[1]) { return kilobytes * 1_024 }
    }
    return Int(clamping: ProcessInfo.processInfo.physicalMemory)
  }
}
