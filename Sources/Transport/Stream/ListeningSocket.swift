// The header declares the fields of an address if it is loaded first.
package import Core
internal import CCurl
internal import CUV
internal import Foundation
internal import Wire

/// A listening TCP socket for a library with its own event loop, which must close `descriptor`.
package struct ListeningSocket: Sendable {
  package let descriptor: Int32
  /// The bound port, chosen by the system for 0.
  package let port: UInt16

  /// For few, short-lived clients.
  private static let backlog: Int32 = 16

  /// Opens, binds and listens; throws if the host does not resolve, the port is taken or not
  /// permitted, or no descriptor is left.
  package init(_ endpoint: Endpoint) throws(TransportError) {
    let address = try Address(endpoint)
    let family = address.withPointer { Int32($0.pointee.sa_family) }
    #if os(Linux)
      let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Self.error(endpoint) }
    var yes: Int32 = 1
    // Lets a restart reuse its port; cannot fail on such a socket.
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard address.withPointer({ bind(descriptor, $0, address.length) }) == 0,
      listen(descriptor, Self.backlog) == 0
    else {
      let error = Self.error(endpoint)
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    port = Self.port(of: descriptor)
  }

  private static func error(_ endpoint: Endpoint) -> TransportError {
    // libuv's codes are the negated codes of the system.
    TransportError(listen: -errno, host: endpoint.host, port: endpoint.port)
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      getsockname(descriptor, address, &length)
      // The port has the same offset for both families.
      return UnsafeRawBufferPointer(bytes).loadBigEndian(UInt16.self, at: 2)
    }
  }
}
