internal import Figures
internal import Foundation
internal import SimulationCore
internal import Transport
internal import Uploads

/// mosquitto on the second core, for as long as this lives.
final class MQTTBenchBroker {
  private let process = Process()
  private let folder: URL
  let port: UInt16

  /// - Parameter folder: where its settings are written.
  init(in folder: URL) throws(ProgramError) {
    guard let program = MQTTBench.broker else { throw .missing(program: "mosquitto") }
    self.folder = folder.appendingPathComponent("mosquitto-\(UUID().uuidString.prefix(8))")
    do {
      port = try Self.freePort()
      try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
      // Root's would become another user.
      try """
      user \(NSUserName())
      listener \(port) 127.0.0.1
      allow_anonymous true
      log_type none
      sys_interval 0
      set_tcp_nodelay true
      """.write(
        to: self.folder.appendingPathComponent("conf"), atomically: true, encoding: .utf8)
      let command = CorePin.command(
        1, program, ["-c", self.folder.appendingPathComponent("conf").path])
      process.executableURL = URL(fileURLWithPath: command.executable)
      process.arguments = command.arguments
      process.standardInput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
    } catch {
      throw .cannotStart(program: program, why: FileErrorText.reason(error))
    }
    guard isUp() else {
      stop()
      throw .failed(program: program, status: process.terminationStatus)
    }
  }

  /// One that was free a moment ago.
  private static func freePort() throws -> UInt16 {
    let socket = try ListeningSocket(Endpoint(host: "127.0.0.1", port: 0))
    close(socket.descriptor)
    return socket.port
  }

  /// Waits until it takes a client.
  private func isUp() -> Bool {
    for _ in 0..<200 where process.isRunning {
      let settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: port))
      guard let caller = try? MQTTCaller(settings, login: { _ in MQTTLogin(client: "probe") })
      else { return false }
      defer { caller.close() }
      if caller.connect() == nil { return true }
      usleep(25_000)
    }
    return false
  }

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A process of this program that publishes, on the first core.
final class MQTTBenchProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let executable: String

  init(_ executable: String, _ part: MQTTBenchGenerator.Part) throws(ProgramError) {
    self.executable = executable
    let command = CorePin.command(0, executable, ["bench", "mqtt", "--part", part.text])
    process.executableURL = URL(fileURLWithPath: command.executable)
    process.arguments = command.arguments
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch {
      throw .cannotStart(program: executable, why: FileErrorText.reason(error))
    }
    try? output.fileHandleForWriting.close()
  }

  /// How many clients the broker took; waits for it.
  func connected() throws(ProgramError) -> Int {
    guard let count = Int(line()) else { throw .failed(program: executable, status: 1) }
    return count
  }

  func begin() { try? input.fileHandleForWriting.write(contentsOf: Data("begin\n".utf8)) }

  /// What came of it; waits for the end of what it measures.
  func figures() throws(ProgramError) -> MQTTBenchGenerator.Figures {
    let data = Data(line().utf8)
    guard let figures = try? JSONDecoder().decode(MQTTBenchGenerator.Figures.self, from: data)
    else { throw .failed(program: executable, status: 1) }
    return figures
  }

  private var rest = Data()

  private func line() -> String {
    while !rest.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      rest += more
    }
    let line = rest.prefix { $0 != 0x0A }
    rest = Data(rest.dropFirst(line.count + 1))
    // swift-format-ignore: what is no number and no JSON is none repaired, either.
    return String(decoding: line, as: UTF8.self)
  }

  /// Its input's end ends it.
  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
