internal import Core
internal import Foundation

package enum ProcessTuning {
  /// Raises the limit of descriptors: a connection needs one on each side, and children inherit the
  /// limit.
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

  /// Returns freed memory to the system, so that the next round does not reuse it and seem to need
  /// nothing.
  package static func trimHeap() {
    #if os(Linux)
      // In <malloc.h>, which no module has. A C library without it keeps what was freed.
      guard let trim = dlsym(nil, "malloc_trim") else { return }
      // malloc_trim(3): int malloc_trim(size_t pad).
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }
}
