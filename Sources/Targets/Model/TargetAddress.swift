package struct TargetAddress: Equatable, Sendable {
  package let scheme: String
  /// The host, an IPv6 address without its brackets.
  package let host: String
  /// The port in the address, or else the scheme's default port.
  package let port: UInt16
  /// The path, such as `/base`; empty, or beginning with `/`.
  package let path: String
  package let hasUser: Bool

  /// Host and port, such as `127.0.0.1:80`, even if the port is the scheme's default.
  package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  package var isSocket: Bool { ["ws", "wss"].contains(scheme) }
  package var isTLS: Bool { ["https", "grpcs", "mqtts", "wss"].contains(scheme) }

  /// Parses `scheme://host:port/path`; nil for any other text, such as one with a query.
  package init?(_ url: String) {
    guard let mark = url.firstRange(of: "://"), !url.contains("?"), !url.contains("#") else {
      return nil
    }
    scheme = url[..<mark.lowerBound].lowercased()
    let rest = url[mark.upperBound...]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var path = String(rest[slash...])
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
    var authority = rest[..<slash]
    hasUser = authority.contains("@")
    if let at = authority.lastIndex(of: "@") {
      authority = authority[authority.index(after: at)...]
    }
    guard let (host, port) = Self.split(authority) else { return nil }
    guard let known = port ?? Self.standardPort(scheme), !host.isEmpty else { return nil }
    self.host = host
    self.port = known
  }

  private static func split(_ authority: Substring) -> (String, UInt16?)? {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let host = String(authority[authority.index(after: authority.startIndex)..<end])
      let rest = authority[authority.index(after: end)...]
      if rest.isEmpty { return (host, nil) }
      guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()) else { return nil }
      return (host, port)
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1 { return (String(parts[0]), nil) }
    guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
    return (String(parts[0]), port)
  }

  private static func standardPort(_ scheme: String) -> UInt16? {
    switch scheme {
    case "http", "grpc", "ws": 80
    case "https", "grpcs", "wss": 443
    case "mqtt": 1883
    case "mqtts": 8883
    case _: nil
    }
  }

  /// Whether the host is loopback (RFC 1122, 4291), private (RFC 1918, 4193), IPv6 link-local or
  /// `localhost`. Cloud metadata is not local (169.254/16, fd00:ec2::/32). Names are not resolved.
  package var isLocal: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    if parts.count == 4, bytes.count == 4 {
      switch (bytes[0], bytes[1]) {
      case (127, _), (10, _), (192, 168): return true
      case (172, 16...31): return true
      case _: return false
      }
    }
    guard host.contains(":") else { return false }
    let lower = host.lowercased()
    if lower.hasPrefix("fd00:ec2:") || lower.hasPrefix("fd00:0ec2:") { return false }
    return lower == "::1" || lower.hasPrefix("fc") || lower.hasPrefix("fd")
      || lower.hasPrefix("fe80:")
  }

  /// Masks the user and password in a text that was meant to be an address.
  static func masked(_ url: String) -> String {
    guard let mark = url.firstRange(of: "://"), let at = url.lastIndex(of: "@"),
      mark.upperBound <= at
    else { return url }
    return "\(url[..<mark.upperBound])***\(url[at...])"
  }
}
