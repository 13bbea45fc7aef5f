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
