internal import Figures
internal import Foundation
package import Transport
internal import Uploads

/// A process of this program that answers every request over HTTP at once.
final class HTTPAnswererProcess {
  private let process = Process()
  /// Its end ends the process.
  private let input = Pipe()
  let port: UInt16

  init(_ executable: String) throws(ProgramError) {
    let command = CorePin.command(1, executable, ["bench", "http", "--serve"])
    process.executableURL = URL(fileURLWithPath: command.executable)
    process.arguments = command.arguments
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch {
      throw .cannotStart(program: executable, why: FileErrorText.reason(error))
    }
    try? output.fileHandleForWriting.close()
    var line = ""
    while !line.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      // swift-format-ignore: what is no number is none repaired, either.
      line += String(decoding: more, as: UTF8.self)
    }
    guard let port = UInt16(line.dropLast()) else {
      throw .failed(program: executable, status: 1)
    }
    self.port = port
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// Runs the server of `flotilla-lab bench http` on the calling thread.
package enum HTTPBenchServer {
  /// Listens on a port of the system's choice and serves until `stop` is called.
  ///
  /// - Parameter listening: takes the port, and what stops the server from any thread.
  package static func run(
    listening: (UInt16, _ stop: @escaping @Sendable () -> Void) -> Void
  ) throws(TransportError) {
    let loop = EventLoop(name: "http server")
    let server = HTTPAnswerer(loop: loop, body: #"{"result":"ok"}"#)
    listening(try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))) { loop.stop() }
    loop.run()
    withExtendedLifetime(server) {}
  }
}
