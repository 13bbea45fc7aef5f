internal import Foundation

package enum ResourceLimit {
  /// The number of open files, sockets included.
  case descriptors
  /// The bytes of address space.
  case addressSpace

  /// The soft limit; `Int.max` if unlimited or unknown.
  package var current: Int { Int(clamping: value.rlim_cur) }
  /// The hard limit.
  package var highest: Int { Int(clamping: value.rlim_max) }

  private var value: rlimit {
    var limit = rlimit(rlim_cur: .max, rlim_max: .max)
    let resource =
      switch self {
      case .descriptors: RLIMIT_NOFILE
      case .addressSpace: RLIMIT_AS
      }
    #if os(Linux)
      _ = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    #else
      _ = getrlimit(resource, &limit)
    #endif
    return limit
  }
}
