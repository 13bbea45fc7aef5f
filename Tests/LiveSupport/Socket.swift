internal import Foundation
internal import Testing

/// A TCP connection to a port of this machine, byte by byte.
package final class Socket {
  private let descriptor: Int32

  /// Waits at most ten seconds for input.
  package init(port: UInt16) throws {
    #if os(Linux)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeBytes(of: address) {
      connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
    }
    guard code == 0 else { throw RefusedError(port: port) }
  }

  deinit { close(descriptor) }

  package struct RefusedError: Error { var port: UInt16 }

  package func send(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }

  /// Everything until the other side closes.
  package func readAll() -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { return all }
      all += piece[..<count]
    }
  }
}

/// One answer of a web server on this machine.
package struct Page {
  package let code: Int
  package let head: String
  package let body: String

  /// HTTP/1.0, so that the answer ends where the connection does.
  package init(_ path: String, method: String = "GET", port: UInt16, headers: [String] = []) throws
  {
    let socket = try Socket(port: port)
    let lines = ["\(method) \(path) HTTP/1.0", "Host: 127.0.0.1"] + headers + ["", ""]
    socket.send(Array(lines.joined(separator: "\r\n").utf8))
    let text = String(decoding: socket.readAll(), as: UTF8.self)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    head = String(parts[0])
    body = parts.count > 1 ? String(parts[1]) : ""
    code = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

/// A collector that a test has started by itself.
package final class OwnCollector {
  package let process: RunningProcess
  package let address: String
  package let port: UInt16
  package let admin: UInt16

  /// - Parameters:
  ///   - options: in addition to the listen address.
  ///   - limits: a line of shell that is run before it.
  package init(
    _ options: [String], listen: String = "127.0.0.1:0", limits: String = ":"
  ) async throws {
    process = try RunningProcess(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "\(limits); exec \"$0\" \"$@\"", Program.url.path]
        + ["collect", "--listen", listen, "--admin", "127.0.0.1:0", "--ui", "none"] + options)
    try await process.says("admin on http")
    let lines = process.text.split(separator: "\n")
    address = String(lines[0].dropFirst("listening on ".count))
    port = Self.port(lines[0])
    admin = Self.port(lines[1])
  }

  /// Ends it, cleanly.
  package func stop(_ signal: Int32 = SIGTERM) async throws {
    process.signal(signal)
    let ended = try await process.end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
  }

  private static func port(_ line: Substring) -> UInt16 {
    line.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
  }

  package func page(_ path: String, headers: [String] = []) throws -> Page {
    try Page(path, port: admin, headers: headers)
  }

  /// The sum of a metric's series.
  package func metric(_ name: String) throws -> Double {
    let lines = try page("/metrics").body.split(separator: "\n")
    return lines.filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
      .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
  }

  /// Log lines by event.
  package var events: [String] {
    process.errorOutput.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      return words.count > 2 ? String(words[2]) : nil
    }
  }

  /// A field of the last line of that event.
  package func field(_ name: String, of event: String) -> Int? {
    let line = process.errorOutput.split(separator: "\n").last { $0.contains(" \(event) ") }
    let word = line?.split(separator: " ").first { $0.hasPrefix("\(name)=") }
    return word.flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}
