internal import Core
internal import CUV

package enum TransportError: Error, Equatable, Sendable {
  case badAddress(host: String)
  case addressInUse(host: String, port: UInt16)
  case addressNotAvailable(host: String, port: UInt16)
  case permissionDenied(host: String, port: UInt16)
  case cannotListen(host: String, port: UInt16, reason: String)
  case cannotWrite(path: String, reason: String)
  case loopStopped
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badAddress(let host): "'\(host)' is not an address and does not resolve"
    case .addressInUse(let host, let port):
      "cannot listen on \(Endpoint(host: host, port: port)): another program uses the port; "
        + "choose another, or 0"
    case .addressNotAvailable(let host, let port):
      "cannot listen on \(Endpoint(host: host, port: port)): this machine has no such address"
    case .permissionDenied(let host, let port):
      "cannot listen on \(Endpoint(host: host, port: port)): not permitted; "
        + "ports below 1024 need privileges"
    case .cannotListen(let host, let port, let reason):
      "cannot listen on \(Endpoint(host: host, port: port)): \(reason)"
    case .cannotWrite(let path, let reason):
      "\(path): cannot be written: \(reason); choose another file"
    case .loopStopped: "the event loop has stopped"
    }
  }

  init(listen code: Int32, host: String, port: UInt16) {
    switch uv_errno_t(rawValue: code) {
    case UV_EADDRINUSE: self = .addressInUse(host: host, port: port)
    case UV_EADDRNOTAVAIL: self = .addressNotAvailable(host: host, port: port)
    case UV_EACCES, UV_EPERM: self = .permissionDenied(host: host, port: port)
    default:  // A C library's codes are no closed set.
      self = .cannotListen(host: host, port: port, reason: String(cString: uv_strerror(code)))
    }
  }
}
