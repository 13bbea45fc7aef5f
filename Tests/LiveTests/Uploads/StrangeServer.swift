import Foundation
import TestSupport
import Testing

@testable import UploadsSupport

/// A server of http_servers.py, whose behaviour depends on the path.
final class StrangeServer {
  let url: String
  private let child: Child
  private let folder: RigFolder

  struct StartError: Error {}

  init() throws {
    let python = try #require(Oracle.python.path)
    folder = try RigFolder()
    let script = Machine.root.appendingPathComponent("Tests/LiveTests/Python/http_servers.py")
    let output = folder.url.appendingPathComponent("port")
    child = try Child(python, [script.path, "--stay"], output: output)
    for _ in 0..<10_000 {
      let said = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      if said.hasSuffix("\n") {
        url = "http://127.0.0.1:\(said.dropLast())"
        return
      }
      usleep(2_000)
    }
    throw StartError()
  }

  deinit { child.end(SIGKILL) }

  /// Writes a file next to the server's, until it ends.
  func file(_ name: String, _ text: String) throws -> URL { try folder.file(name, text) }
}
