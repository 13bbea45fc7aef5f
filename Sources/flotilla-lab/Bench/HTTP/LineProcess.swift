internal import Core
internal import Foundation
package import Transport

/// A child process that exchanges lines with this process, and ends when its input is closed.
final class LineProcess {
  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private let executable: String
  private var rest = Data()

  init(_ executable: String, _ arguments: [String], core: Int) throws(ProgramError) {
    self.executable = executable
    process = try .started(
      executable, arguments, core: core, input: input, output: output, hidesErrors: false)
    try? output.fileHandleForWriting.close()
  }

  func next<Value>(_ read: (String) -> Value?) throws(ProgramError) -> Value {
    while !rest.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      rest += more
    }
    let line = rest.prefix { $0 != 0x0A }
    rest = Data(rest.dropFirst(line.count + 1))
    // swift-format-ignore: what is no number and no JSON is none repaired, either.
    guard let value = read(String(decoding: line, as: UTF8.self)) else {
      throw .failed(program: executable, status: 1)
    }
    return value
  }

  func write(_ line: String) {
    try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// Runs the server of `flotilla-lab bench http` on the calling thread.
package enum HTTPBenchServer {
  /// - Parameter listening: Takes the port, and a function that stops the server from any thread.
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
