internal import Core
internal import Foundation
internal import Transport
internal import Uploads

/// mosquitto on the second core, for the lifetime of this object.
final class MQTTBenchBroker {
  private let process: Process
  private let folder: URL
  let port: UInt16

  init(in folder: URL) throws(ProgramError) {
    guard let program = MQTTBench.broker else { throw .missing(program: "mosquitto") }
    self.folder = folder.appendingPathComponent("mosquitto-\(UUID().uuidString.prefix(8))")
    let settings = self.folder.appendingPathComponent("conf")
    do {
      port = try Self.freePort()
      try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
      // Names the user, since mosquitto would leave root for another user.
      try """
      user \(NSUserName())
      listener \(port) 127.0.0.1
      allow_anonymous true
      log_type none
      sys_interval 0
      set_tcp_nodelay true
      """.write(to: settings, atomically: true, encoding: .utf8)
    } catch {
      throw .cannotStart(program: program, why: FileErrorText.reason(error))
    }
    process = try .started(
      program, ["-c", settings.path], core: 1, input: FileHandle.nullDevice)
    guard isUp() else {
      stop()
      throw .failed(program: program, status: process.terminationStatus)
    }
  }

  private static func freePort() throws -> UInt16 {
    let socket = try ListeningSocket(Endpoint(host: "127.0.0.1", port: 0))
    close(socket.descriptor)
    return socket.port
  }

  private func isUp() -> Bool {
    for _ in 0..<200 where process.isRunning {
      let settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: port))
      guard let caller = try? MQTTCaller(settings, login: { _ in MQTTLogin(client: "probe") })
      else { return false }
      defer { caller.close() }
      if caller.connect() == nil { return true }
      Waiter.shared.pause(.milliseconds(25))
    }
    return false
  }

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
