internal import Foundation

/// Finds programs of the machine.
package enum ProgramPath {
  /// Returns the path of a program that the shell would find; nil: there is none.
  package static func find(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
