package import Core
internal import CCurl
internal import CUV
internal import Foundation

/// The network in which a host is reachable. Load on farther hosts needs consent.
package enum HostReach: Int, Comparable, Sendable {
  /// The addresses 127/8 and ::1.
  case machine
  /// A private or link-local network (RFC 1918, RFC 4193 and RFC 4291, 2.5.6), except the addresses
  /// of cloud services, 169.254/16 and fd00:ec2::/32.
  case privateNetwork
  /// The Internet, or any network that is not known to be private.
  case anywhere

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// Returns the farthest reach of a host's addresses. Blocks while the host is resolved.
  package static func of(_ host: String) throws(TransportError) -> HostReach {
    try ofAddresses(of: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
  }

  fileprivate static func ofAddresses(of host: String) throws(TransportError) -> HostReach {
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &found) == 0, found != nil else {
      throw .badAddress(host: host)
    }
    defer { freeaddrinfo(found) }
    var farthest = HostReach.machine
    var next = found
    while let info = next {
      farthest = max(farthest, of(info.pointee))
      next = info.pointee.ai_next
    }
    return farthest
  }

  private static func of(_ info: addrinfo) -> HostReach {
    let bytes = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
    switch info.ai_family {
    case AF_INET:
      // The address follows family and port in both layouts, Linux's and the BSDs'.
      return of(v4: Array(bytes[4..<8]))
    case AF_INET6: return of(v6: Array(bytes[8..<24]))
    default: return .anywhere
    }
  }

  private static func of(v4 address: [UInt8]) -> HostReach {
    switch (address[0], address[1]) {
    case (127, _): .machine
    case (10, _), (172, 16...31), (192, 168): .privateNetwork
    case _: .anywhere
    }
  }

  private static func of(v6 address: [UInt8]) -> HostReach {
    let isZero = address.prefix(10).allSatisfy { $0 == 0 }
    // ::ffff:a.b.c.d is an address of version 4.
    if isZero, address[10] == 0xFF, address[11] == 0xFF { return of(v4: Array(address[12...])) }
    if address.dropLast().allSatisfy({ $0 == 0 }), address[15] == 1 { return .machine }
    let isCloud = address.prefix(4).elementsEqual([0xFD, 0x00, 0x0E, 0xC2])
    let isUniqueLocal = address[0] & 0xFE == 0xFC && !isCloud
    let isLinkLocal = address[0] == 0xFE && address[1] & 0xC0 == 0x80
    return isUniqueLocal || isLinkLocal ? .privateNetwork : .anywhere
  }
}

extension Endpoint {
  /// Returns whether all addresses of `host` are loopback. Blocks while the host is resolved.
  package static func isOnlyReachableHere(_ host: String) throws(TransportError) -> Bool {
    if host == "localhost" { return true }
    return try HostReach.ofAddresses(of: host) == .machine
  }
}
