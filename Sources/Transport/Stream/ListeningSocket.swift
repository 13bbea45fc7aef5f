// CCurl comes before CUV, since only then its header declares the fields of an address.
package import Core
internal import CCurl
internal import CUV
internal import Foundation
internal import Wire

/// A listening TCP socket for a library with its own event loop, which must close `descriptor`.
package struct ListeningSocket: Sendable {
  package let descriptor: Int32
  /// The bound port, which the system chooses if the endpoint's port is 0.
  package let port: UInt16

  /// The limit of pending connections, enough for few, short-lived clients.
  private static let backlog: Int32 = 16

  /// Opens a socket, binds it and listens. Throws if the host does not resolve, if the port is
  /// taken or not permitted, or if no descriptor is left.
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
    // The option lets a restart reuse the port. The call cannot fail on a TCP socket.
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
