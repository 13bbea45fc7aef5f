// CCurl comes first, since only then its header declares the fields of an address.
internal import CCurl
internal import CUV
internal import Core
internal import Foundation

/// The addresses of a host, resolved on libuv's threads, cached and used on the loop's thread only.
package final class HostName {
  private let loop: EventLoop
  private let host: String
  private var addresses: [String] = []
  private var turn = 0
  private var knownAt = WallInstant.distantPast
  private var waiting: [(String?) -> Void] = []
  private var isAsking = false

  private static let keptFor = WallDuration.seconds(60)

  /// - Parameter host: a name, or a numeric address.
  package init(_ host: String, on loop: EventLoop) {
    self.loop = loop
    // The whole program uses 127.0.0.1 for localhost, without a lookup.
    self.host = host == "localhost" ? "127.0.0.1" : host
  }

  /// Passes a numeric address to `then`, now or later. Passes nil if the name does not resolve.
  package func address(_ then: @escaping (String?) -> Void) {
    if !addresses.isEmpty, loop.now - knownAt < Self.keptFor {
      return then(addresses[turn % addresses.count])
    }
    waiting.append(then)
    guard !isAsking else { return }
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    if uv_ip4_addr(host, 0, &v4) == 0 || uv_ip6_addr(host, 0, &v6) == 0 {
      return answer([host])
    }
    ask()
  }

  /// Records that an address failed. The next request gets another address if the host has more.
  package func noteRefused(_ address: String) {
    guard addresses.count > 1, addresses[turn % addresses.count] == address else { return }
    turn += 1
  }

  private func answer(_ found: [String]) {
    isAsking = false
    turn = 0
    addresses = found
    knownAt = loop.now
    for then in exchange(&waiting, with: []) { then(found.first) }
  }

  private func ask() {
    isAsking = true
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    // The request retains this object until the system answers, even if the clients are closed.
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if os(Linux)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    let code = uv_getaddrinfo(
      loop.loop, request,
      { request, _, found in
        guard let request else { return }
        let name = Unmanaged<HostName>.fromOpaque(request.pointee.data).takeRetainedValue()
        request.deallocate()
        defer { uv_freeaddrinfo(found) }
        name.loop.notePoll()
        name.answer(HostName.texts(found))
      }, host, nil, &hints)
    guard code != 0 else { return }
    // The name is invalid, so no request was started.
    Unmanaged<HostName>.fromOpaque(request.pointee.data).release()
    request.deallocate()
    answer([])
  }

  private static func texts(_ found: UnsafeMutablePointer<addrinfo>?) -> [String] {
    var texts: [String] = []
    var next = found
    while let info = next {
      next = info.pointee.ai_next
      var text = [CChar](repeating: 0, count: 64)
      guard uv_ip_name(info.pointee.ai_addr, &text, text.count) == 0 else { continue }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      // swift-format-ignore: numbers, dots and colons.
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    return texts
  }
}
