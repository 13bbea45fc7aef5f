package import Foundation

/// A mosquitto of one test, and its subscribers.
package final class Broker {
  /// One way in: the lines below its `listener`.
  package struct Door: Sendable {
    package let lines: [String]

    /// Everybody may connect.
    package static let open = Door(["allow_anonymous true"])
    /// Everybody may connect over WebSocket. mosquitto starts only with another door beside it.
    package static let webSocket = Door(open.lines + ["protocol websockets"])

    package init(_ lines: [String]) { self.lines = lines }

    /// Over TLS, with a server certificate.
    ///
    /// - Parameter clients: the CA that must have signed a client's certificate, whose name is the
    ///   user's;
    ///   nil: none is required.
    package static func secured(certificate: String, key: String, clients: String? = nil) -> Door {
      var lines = ["allow_anonymous true", "certfile \(certificate)", "keyfile \(key)"]
      if let clients {
        lines += [
          "cafile \(clients)", "require_certificate true", "use_identity_as_username true",
        ]
      }
      return Door(lines)
    }
  }

  package enum BrokerError: Error, CustomStringConvertible {
    case silent(waitedFor: String, log: String)
    package var description: String {
      switch self {
      case .silent(let what, let log): "mosquitto never said '\(what)'; its log: \(log)"
      }
    }
  }

  package let folder: URL
  /// The port of each door.
  package let ports: [UInt16]
  private var child: Child?
  private var subscribers: [Subscriber] = []

  /// Starts it.
  ///
  /// - Parameter passwords: user and password of everybody who may connect by a door whose lines
  ///   name
  ///   `passwords`.
  package init(
    _ doors: [Door] = [.open], passwords: [(user: String, password: String)] = [],
    settings: [String] = []
  ) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    ports = try doors.map { _ in try FreePort.next() }
    if !passwords.isEmpty {
      let text = passwords.map { "\($0.user):\($0.password)\n" }.joined()
      try text.write(
        to: folder.appendingPathComponent("passwords"), atomically: true, encoding: .utf8)
      // Packs the passwords in place.
      try Child(
        Machine.program("mosquitto_passwd") ?? "mosquitto_passwd",
        ["-U", folder.appendingPathComponent("passwords").path]
      ).wait()
    }
    var lines = ["per_listener_settings true", "log_type all", "max_queued_messages 0"] + settings
    // As root it would become another user, who may not read the folder.
    if getuid() == 0 { lines.append("user root") }
    for (door, port) in zip(doors, ports) {
      lines.append("listener \(port) 127.0.0.1")
      lines += door.lines.map { $0.replacing("@", with: folder.path) }
    }
    try lines.joined(separator: "\n").write(
      to: folder.appendingPathComponent("conf"), atomically: true, encoding: .utf8)
    try start()
  }

  deinit {
    subscribers.forEach { $0.child.end(SIGTERM) }
    child?.end(SIGTERM)
    try? FileManager.default.removeItem(at: folder)
  }

  package var port: UInt16 { ports[0] }
  package var pid: Int32 { child?.pid ?? 0 }

  /// Starts it again at the same address.
  package func start() throws {
    child = try Child(
      Oracle.mosquitto.path ?? "mosquitto", ["-c", folder.appendingPathComponent("conf").path],
      errors: folder.appendingPathComponent("log"))
    try says(" running")
  }

  /// Kills it, as a machine that loses power.
  package func kill() { child?.end(SIGKILL) }

  /// Its output since its last start.
  package var log: String {
    (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
  }

  /// Waits until it has printed this.
  package func says(_ text: String) throws { try says(text) { $0.contains(text) } }

  /// Waits until its output satisfies a condition.
  package func says(_ what: String, _ isSaid: (String) -> Bool) throws {
    for _ in 0..<6_000 {
      let log = log
      if isSaid(log) { return }
      // After such a line it ends.
      if log.contains(": Error: ") { break }
      usleep(10_000)
    }
    throw BrokerError.silent(waitedFor: what, log: log)
  }

  /// Subscribes with mosquitto_sub, and returns when the broker has accepted it.
  ///
  /// - Parameter door: the number of the door, which has to be an open one.
  package func subscribe(to topic: String = "#", door: Int = 0) throws -> Subscriber {
    let name = "subscriber-\(subscribers.count)"
    let subscriber = try Subscriber(name, topic, port: ports[door], in: folder)
    subscribers.append(subscriber)
    try says("Sending SUBACK to \(name)")
    return subscriber
  }
}

/// A running mosquitto_sub, and its messages.
package final class Subscriber {
  /// One received message.
  package struct Message: Hashable, Sendable {
    package let topic: String
    package let qos: Int
    package let isRetained: Bool
    package let body: String

    package init(topic: String, qos: Int, isRetained: Bool, body: String) {
      self.topic = topic
      self.qos = qos
      self.isRetained = isRetained
      self.body = body
    }
  }

  fileprivate let child: Child
  private let file: URL

  fileprivate init(_ name: String, _ topic: String, port: UInt16, in folder: URL) throws {
    file = folder.appendingPathComponent(name)
    child = try Child(
      Oracle.mosquittoClients.path ?? "mosquitto_sub",
      [
        "-h", "127.0.0.1", "-p", "\(port)", "-i", name, "-V", "mqttv311", "-q", "2", "-t", topic,
        "-F", "%t\t%q\t%r\t%p",
      ], output: file)
  }

  /// All messages so far, in order.
  package var messages: [Message] {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 4, let qos = Int(parts[1]) else { return nil }
      return Message(
        topic: String(parts[0]), qos: qos, isRetained: parts[2] == "1", body: String(parts[3]))
    }
  }

  /// Waits until that many messages have come, and returns all.
  package func messages(_ count: Int) throws -> [Message] {
    for _ in 0..<6_000 {
      let found = messages
      if found.count >= count { return found }
      usleep(10_000)
    }
    throw Broker.BrokerError.silent(waitedFor: "\(count) messages", log: "\(messages)")
  }
}
