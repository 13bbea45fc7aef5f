internal import Core
internal import CCurl
internal import CUV
internal import Foundation
internal import Wire

struct Address {
  private var storage = sockaddr_storage()
  private(set) var length: socklen_t
  let isLoopback: Bool
  /// The host and the port in HTTP's form of an authority, with localhost as 127.0.0.1.
  let authority: String

  /// Resolves the host and blocks meanwhile, unless `found` is the host's numeric address.
  init(_ endpoint: Endpoint, found: String? = nil) throws(TransportError) {
    let name = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host
    let host = found ?? name
    let port = Int32(endpoint.port)
    authority = Endpoint(host: name, port: endpoint.port).description
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    if uv_ip4_addr(host, port, &v4) == 0 {
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      isLoopback = UInt32(bigEndian: v4.sin_addr.s_addr) >> 24 == 127
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
    } else if uv_ip6_addr(host, port, &v6) == 0 {
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      isLoopback = false
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
    } else {
      var found: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, String(port), nil, &found) == 0, let first = found else {
        throw .badAddress(host: endpoint.host)
      }
      defer { freeaddrinfo(found) }
      length = first.pointee.ai_addrlen
      isLoopback = false
      let bytes = UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(length))
      withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
    }
  }

  /// Creates 127.0.0.(1 + index % 250) with any port. Each such address has all ephemeral ports.
  init(loopback index: Int) {
    var v4 = sockaddr_in()
    authority = ""
    // The call cannot fail, since the text is an address.
    uv_ip4_addr("127.0.0.\(1 + index % 250)", 0, &v4)
    length = socklen_t(MemoryLayout<sockaddr_in>.size)
    isLoopback = true
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
  }

  /// Returns whether all addresses of `host` are loopback. Blocks while the host is resolved.
  static func isOnlyReachableHere(_ host: String) throws(TransportError) -> Bool {
    if host == "localhost" { return true }
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &found) == 0, found != nil else {
      throw .badAddress(host: host)
    }
    defer { freeaddrinfo(found) }
    var next = found
    while let info = next {
      guard isLoopback(info.pointee) else { return false }
      next = info.pointee.ai_next
    }
    return true
  }

  private static func isLoopback(_ info: addrinfo) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
    switch info.ai_family {
    case AF_INET:
      // The address follows family and port in both layouts, Linux's and the BSDs'.
      return bytes[4] == 127
    case AF_INET6:
      // The address follows family, port and flow. Loopback is ::1 or ::ffff:127.x.y.z.
      let address = bytes[8..<24]
      if address.elementsEqual([UInt8](repeating: 0, count: 15) + [1]) { return true }
      return address.prefix(12).elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        && bytes[20] == 127
    default: return false
    }
  }

  var port: UInt16 {
    // The port has the same offset for both families.
    withUnsafeBytes(of: storage) { $0.loadBigEndian(UInt16.self, at: 2) }
  }

  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
    withUnsafeBytes(of: storage) { bytes in
      // The storage is as large and as aligned as any socket address.
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self))
    }
  }
}

extension Endpoint {
  package static func isOnlyReachableHere(_ host: String) throws(TransportError) -> Bool {
    try Address.isOnlyReachableHere(host)
  }
}
