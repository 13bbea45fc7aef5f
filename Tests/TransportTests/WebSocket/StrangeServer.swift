import COpenSSL
import Core
import Foundation
import Synchronization

/// A server that answers the upgrade of a WebSocket, and each message, with given bytes.
final class StrangeServer: Sendable {
  enum Conduct: Sendable {
    /// Accepts connections and sends nothing.
    case silent
    case closesAtOnce
    /// Sends these bytes instead of the upgrade.
    case says(String)
    /// Upgrades with a wrong `Sec-WebSocket-Accept`.
    case wrongAccept
    /// Upgrades, sends the first bytes at once, and the others after the client's first message.
    case opens(saying: [UInt8] = [], answering: [UInt8] = [])
    /// Upgrades, and sends the bytes without end.
    case floods([UInt8])
  }

  private let descriptor: Int32
  let port: UInt16
  private let seen = Seen()

  private final class Seen: Sendable {
    let requests = Mutex<[String]>([])
  }

  /// The requests for upgrades.
  var requests: [String] { seen.requests.withLock(\.self) }

  init(_ conduct: Conduct) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { [descriptor] address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = listen(descriptor, 128)
        _ = getsockname(descriptor, $0, &length)
      }
      return UInt16(bigEndian: address.pointee.sin_port)
    }
    let (listening, seen) = (descriptor, seen)
    Thread.detachNewThread {
      while case let peer = accept(listening, nil, nil), peer >= 0 {
        Thread.detachNewThread {
          Self.serve(peer, conduct) { request in seen.requests.withLock { $0.append(request) } }
        }
      }
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func serve(_ peer: Int32, _ conduct: Conduct, _ note: (String) -> Void) {
    defer { close(peer) }
    if case .closesAtOnce = conduct { return }
    let request = String(decoding: read(peer), as: UTF8.self)
    note(request)
    switch conduct {
    case .silent, .closesAtOnce: break
    case .says(let text): _ = write(peer, Array(text.utf8))
    case .wrongAccept: _ = write(peer, Array(upgrade(accepting: "AAAA").utf8))
    case .opens(let first, let answer):
      _ = write(peer, Array(upgrade(accepting: acceptance(of: request)).utf8) + first)
      _ = read(peer)
      _ = write(peer, answer)
    case .floods(let bytes):
      _ = write(peer, Array(upgrade(accepting: acceptance(of: request)).utf8))
      let many = (0..<max(1, 65_536 / bytes.count)).flatMap { _ in bytes }
      while write(peer, many) {}
    }
    while !read(peer).isEmpty {}
  }

  private static func upgrade(accepting text: String) -> String {
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(text)\r\n\r\n"
  }

  /// RFC 6455, 4.2.2.
  private static func acceptance(of request: String) -> String {
    let line = request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
    let text = (line?.dropFirst(19) ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    var hash = [UInt8](repeating: 0, count: 20)
    SHA1(Array(text.utf8), text.utf8.count, &hash)
    return Data(hash).base64EncodedString()
  }

  private static func read(_ peer: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(peer, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  /// False: the client has closed.
  private static func write(_ peer: Int32, _ bytes: [UInt8]) -> Bool {
    send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) >= 0
  }
}

extension [UInt8] {
  /// A frame of a server, with a short payload.
  static func frame(_ opcode: UInt8, _ text: String, isLast: Bool = true) -> [UInt8] {
    [(isLast ? 0x80 : 0) | opcode, UInt8(text.utf8.count)] + Array(text.utf8)
  }
}
