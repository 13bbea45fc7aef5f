internal import Foundation

/// Finds the reason for a failed file operation, which on Linux an underlying error has.
package enum FileErrorText {
  /// Returns the reason without a period: from underlying POSIX errors, Cocoa's code, or `errno`.
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
