/// A host and port as the user wrote them.
package struct Endpoint: Hashable, Codable, Sendable, CustomStringConvertible {
  /// A name, or an IPv4 or IPv6 address.
  package var host: String
  /// The port; 0 lets the system choose a port to listen on.
  package var port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:7070`, `collector.local:7070` or `[::1]:7070`.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.contains(where: { "/@".contains($0) }) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// Host and port joined by a colon, with brackets around an IPv6 address.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
