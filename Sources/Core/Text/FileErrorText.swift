internal import Foundation

/// The system's reason for a failed file operation, on Linux in an underlying POSIX error.
package enum FileErrorText {
  /// Returns a phrase without a period, found through underlying errors and Cocoa's codes.
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
