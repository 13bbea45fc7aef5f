import Foundation
import Wire

@testable import Transport

/// A peer on a system socket: reads wait for the server, and for nothing else.
final class SocketPeer {
  private let descriptor: Int32
  private var isOpen = true

  init(_ port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Calling it more than once is harmless: the number may be another's by then.
  func close() {
    if isOpen { Foundation.close(descriptor) }
    isOpen = false
  }

  /// Closes with RST.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// A closed peer gives an error, not a SIGPIPE: the loops ignore that.
  func send(_ encode: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    encode(&buffer)
    let bytes = buffer.copyBytes()
    _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// All frames until the server closes, or until that many have come.
  func answers(_ most: Int = .max) -> [Frames.Answer] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while Frames.answers(in: received).count < most,
      case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0
    {
      received += buffer[..<count]
    }
    return Frames.answers(in: received)
  }
}
