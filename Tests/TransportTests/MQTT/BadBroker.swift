import Core
import Foundation

/// A broker with one fault.
final class BadBroker: Sendable {
  enum Conduct: Sendable {
    /// Accepts connections and sends nothing.
    case silent
    /// Accepts clients and acknowledges nothing.
    case neverAcknowledges
    case closesAtOnce
    case closesAfterPublish
    /// Answers as a web server.
    case http
    /// Announces after CONNACK a packet of 256 MB, and keeps sending it.
    case endlessPacket
    /// Sends unsolicited packets one after another.
    case floods
    /// Sends these bytes instead of CONNACK, and closes.
    case says([UInt8])
    /// Sends CONNACK, and these bytes instead of an acknowledgement, and closes.
    case answers([UInt8])
  }

  private let descriptor: Int32
  private let conduct: Conduct
  let port: UInt16

  init(_ conduct: Conduct) {
    self.conduct = conduct
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
    let (listening, conduct) = (descriptor, conduct)
    Thread.detachNewThread {
      while case let peer = accept(listening, nil, nil), peer >= 0 {
        Thread.detachNewThread { Self.serve(peer, conduct) }
      }
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func serve(_ peer: Int32, _ conduct: Conduct) {
    defer { close(peer) }
    switch conduct {
    case .silent: drain(peer)
    case .closesAtOnce: break
    case .http:
      _ = read(peer)
      _ = write(peer, Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
      drain(peer)
    case .says(let bytes):
      _ = read(peer)
      _ = write(peer, bytes)
    case .neverAcknowledges:
      greet(peer)
      drain(peer)
    case .closesAfterPublish:
      greet(peer)
      _ = read(peer)
    case .answers(let bytes):
      greet(peer)
      _ = read(peer)
      _ = write(peer, bytes)
      shutdown(peer, Int32(SHUT_WR))
      drain(peer)
    case .endlessPacket:
      greet(peer)
      _ = write(peer, [0x30, 0xFF, 0xFF, 0xFF, 0x7F])
      while write(peer, [UInt8](repeating: 0x61, count: 65_536)) {}
    case .floods:
      greet(peer)
      let packet: [UInt8] = [0x30, 0x05, 0x00, 0x01, 0x61, 0x68, 0x69]
      while write(peer, (0..<1_000).flatMap { _ in packet }) {}
    }
  }

  private static func greet(_ peer: Int32) {
    var connect = [UInt8](repeating: 0, count: 65_536)
    let count = recv(peer, &connect, connect.count, 0)
    // The packet's head and the protocol's name are followed by its version; from 5 on CONNACK has
    // properties, here none.
    _ = write(peer, count > 8 && connect[8] == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0])
  }

  private static func read(_ peer: Int32) -> Int {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    return recv(peer, &bytes, bytes.count, 0)
  }

  private static func drain(_ peer: Int32) { while read(peer) > 0 {} }

  /// False: the client has closed.
  private static func write(_ peer: Int32, _ bytes: [UInt8]) -> Bool {
    send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) >= 0
  }
}
