internal import Core
internal import Foundation

package enum ProcessTuning {
  /// Raises the limit of open files for this process and its children.
  package static func raiseOpenFiles() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  package static var openFiles: Int {
    ResourceLimit.descriptors.current
  }

  #if os(Linux)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif

  /// Returns freed memory to the system. Otherwise the next round would appear to need none.
  package static func trimHeap() {
    #if os(Linux)
      // No module includes <malloc.h>, so `malloc_trim` is looked up. Not every C library has it.
      guard let trim = dlsym(nil, "malloc_trim") else { return }
      // malloc_trim(3): int malloc_trim(size_t pad).
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }
}
