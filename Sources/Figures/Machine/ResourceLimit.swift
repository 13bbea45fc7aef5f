internal import Foundation

/// What the system lets this process have of a resource (`ulimit`), as it inherited it.
package enum ResourceLimit {
  /// Counts the files that it may have open at once: sockets are among them.
  case descriptors
  /// Counts the bytes of its address space.
  case addressSpace

  /// The present limit; what the system does not report counts as unlimited.
  package var current: Int { Int(clamping: value.rlim_cur) }
  /// The limit to which the process may raise its own.
  package var highest: Int { Int(clamping: value.rlim_max) }

  private var value: rlimit {
    var limit = rlimit(rlim_cur: .max, rlim_max: .max)
    #if os(Linux)
      let resource =
        switch self {
        case .descriptors: RLIMIT_NOFILE
        case .addressSpace: RLIMIT_AS
        }
      _ = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    #else
      let resource =
        switch self {
        case .descriptors: RLIMIT_NOFILE
        case .addressSpace: RLIMIT_AS
        }
      _ = getrlimit(resource, &limit)
    #endif
    return limit
  }
}
