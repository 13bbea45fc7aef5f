package import Foundation

/// A folder that exists as long as this object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// Its path is short: that of a socket inside it must not exceed a hundred bytes.
  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A process that was just told to end may still write into it for an instant.
  deinit {
    for _ in 0..<200 {
      try? FileManager.default.removeItem(at: url)
      guard FileManager.default.fileExists(atPath: url.path) else { return }
      usleep(10_000)
    }
  }

  package subscript(_ name: String) -> URL { url.appendingPathComponent(name) }
}
