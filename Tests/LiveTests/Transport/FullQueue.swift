import Foundation
import Testing

/// A listening socket with a full queue of connections: a connecting client waits.
final class FullQueue {
  private let listener: Int32
  private var waiting: [Int32] = []
  let port: UInt16

  var url: String { "http://127.0.0.1:\(port)/" }

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var code: Int32 = -1
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        code = bind(listener, place, length)
        if code == 0 { code = listen(listener, 0) }
        if code == 0 { code = getsockname(listener, place, &length) }
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    try #require(code == 0)
    // A queue of zero accepts one, and one more whose handshake it does not finish.
    for _ in 0..<3 {
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      waiting.append(descriptor)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          _ = connect(descriptor, place, length)
        }
      }
    }
  }

  deinit { for descriptor in waiting + [listener] { close(descriptor) } }
}
