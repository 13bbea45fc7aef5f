internal import Core
internal import Foundation

/// Figures of the process and its disk, read on the admin port's thread.
struct MachineMetrics: Sendable {
  var cpuSeconds = 0.0
  var residentBytes = 0
  var openDescriptors = 0
  var maxDescriptors = 0
  /// The size of the store's file; nil if there is no store or no known size.
  var storeBytes: Int?
  var walBytes: Int?
  var freeBytes: Int?

  static func now(store: StoreFiles?) -> MachineMetrics {
    var metrics = MachineMetrics()
    let usage = ProcessMetrics.current()
    metrics.cpuSeconds = Double(usage.cpuMicroseconds) / 1e6
    metrics.residentBytes = usage.residentBytes
    metrics.openDescriptors = countDescriptors()
    metrics.maxDescriptors = ResourceLimit.descriptors.current
    guard let store else { return metrics }
    metrics.storeBytes = size(store.path)
    // A missing log counts as 0, since SQLite removes the log when the last connection closes.
    metrics.walBytes = size(store.log) ?? 0
    metrics.freeBytes = freeBytes(at: store.path)
    return metrics
  }

  /// Returns the number of the process's open files; 0 if unknown.
  static func countDescriptors() -> Int {
    #if os(Linux)
      let path = "/proc/self/fd"
    #else
      let path = "/dev/fd"
    #endif
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // The entries ".", ".." and the descriptor of this listing do not count.
    return max(0, count - 3)
  }

  private static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }
}
