internal import CUV
internal import Foundation

/// A resolved socket address.
struct Address {
  private var storage = sockaddr_storage()
  private(set) var length: socklen_t
  let isLoopback: Bool

  /// Numeric addresses are taken as they are; names are resolved, blocking, once.
  init(_ endpoint: Endpoint) throws(TransportError) {
    let host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host
    let port = Int32(endpoint.port)
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

  /// 127.0.0.(1 + index), any port: a further set of ephemeral ports towards one destination.
  init(loopback index: Int) {
    var v4 = sockaddr_in()
    // Cannot fail: the text is an address.
    uv_ip4_addr("127.0.0.\(1 + index % 250)", 0, &v4)
    length = socklen_t(MemoryLayout<sockaddr_in>.size)
    isLoopback = true
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
  }

  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
    withUnsafeBytes(of: storage) { bytes in
      // The storage is as large and as aligned as any socket address.
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self))
    }
  }
}
