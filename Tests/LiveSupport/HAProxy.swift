internal import Foundation
internal import TestSupport

/// HAProxy as a balancer of TCP connections in front of collectors: it does not read the traffic.
package final class HAProxy {
  package let process: RunningProcess
  package let address: String
  private let folder: TemporaryFolder
  /// Sends commands, one a connection (HAProxy 2.6's management guide, section 9.3).
  private let admin: UInt16

  package init(before collectors: [String]) async throws {
    folder = try TemporaryFolder()
    address = "127.0.0.1:\(try FreePort.next())"
    admin = try FreePort.next()
    let servers = collectors.enumerated().map { "  server c\($0 + 1) \($1) check inter 500ms" }
    try Data(
      """
      global
        stats socket ipv4@127.0.0.1:\(admin) level admin
      defaults
        mode tcp
        timeout connect 5s
        timeout client 1h
        timeout server 1h
      frontend fleet
        bind \(address)
        default_backend collectors
      backend collectors
        balance roundrobin
        option redispatch
      \(servers.joined(separator: "\n"))

      """.utf8
    ).write(to: folder["haproxy.cfg"])
    process = try RunningProcess(
      URL(fileURLWithPath: Oracle.haproxy.path ?? "haproxy"),
      ["-db", "-f", folder["haproxy.cfg"].path])
    try await eventually("HAProxy works") {
      (try? ask("show info").contains("Pid")) == true
    }
  }

  deinit { process.signal(SIGTERM) }

  private func ask(_ command: String) throws -> String {
    let socket = try Socket(port: admin)
    socket.send(Array("\(command)\n".utf8))
    return String(decoding: socket.readAll(), as: UTF8.self)
  }

  /// Takes a collector, counted from 1, out of service and cuts its connections.
  ///
  /// - Returns: the number of connections that it had.
  package func remove(_ number: Int) throws -> Int {
    _ = try ask("set server collectors/c\(number) state maint")
    let connections = try figure("scur", of: number)
    _ = try ask("shutdown sessions server collectors/c\(number)")
    return connections
  }

  /// The number of connections of a collector so far.
  package func connections(to number: Int) throws -> Int { try figure("stot", of: number) }

  private func figure(_ name: String, of number: Int) throws -> Int {
    let lines = try ask("show stat").split(separator: "\n")
    func fields(_ line: Substring) -> [Substring] {
      line.split(separator: ",", omittingEmptySubsequences: false)
    }
    let column = lines.first.flatMap { fields($0).firstIndex { $0 == name } }
    let row = lines.first { $0.hasPrefix("collectors,c\(number),") }
    return column.flatMap { column in row.flatMap { Int(fields($0)[column]) } } ?? 0
  }
}
