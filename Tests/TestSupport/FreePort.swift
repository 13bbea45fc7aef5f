internal import Foundation
internal import Synchronization

/// Ports for servers that a test starts, and may start again.
package enum FreePort {
  /// Why there is none.
  package struct FreePortError: Error, CustomStringConvertible {
    package let description = "no port is free below those of outgoing connections"
  }

  /// Returns a port of 127.0.0.1 without a listener, which no connection uses as its own.
  ///
  /// Ports that the system chooses do not work here: between the choice and the server's start, and
  /// whenever the server is down, any outgoing connection may use the same port, and the server
  /// finds
  /// its address in use.
  package static func next() throws -> UInt16 {
    for _ in 0..<1_000 {
      let port = place.withLock { place in
        place = place + 1 < range.upperBound ? place + 1 : range.lowerBound
        return place
      }
      if isFree(port) { return port }
    }
    throw FreePortError()
  }

  /// Below the ports of outgoing connections (Linux: 32,768 to 60,999, unless it was set).
  private static let range: Range<UInt16> = {
    let file = "/proc/sys/net/ipv4/ip_local_port_range"
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    let first = text?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt16($0) } ?? 32_768
    return first > 11_000 ? 10_000..<first : 10_000..<65_535
  }()

  /// The last port returned: no test gets another's before it has used it, and other programs begin
  /// elsewhere.
  private static let place = Mutex(range.lowerBound + UInt16(Int(getpid()) * 97 % range.count))

  private static func isFree(_ port: UInt16) -> Bool {
    #if os(Linux)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
