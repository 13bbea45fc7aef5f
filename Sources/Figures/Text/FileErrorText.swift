internal import Foundation

/// Why a file operation failed, in the system's own words.
///
/// Foundation on Linux says "The operation could not be completed" and a code; the reason lies
/// below, as an error of POSIX.
package enum FileErrorText {
  /// Returns the reason below an error, found through its underlying errors and Cocoa's codes, as a
  /// phrase without a period.
  package static func reason(_ error: any Error) -> String {
    var current: NSError? = error as NSError
    while let found = current {
      if found.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(found.code))) }
      current = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: return "No such file or directory"
    case .fileReadNoPermission?, .fileWriteNoPermission?: return "Permission denied"
    case .fileWriteOutOfSpace?: return "No space left on device"
    case .fileWriteVolumeReadOnly?: return "Read-only file system"
    default: return errno == 0 ? "it failed" : String(cString: strerror(errno))
    }
  }
}
