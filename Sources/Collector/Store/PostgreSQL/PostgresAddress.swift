/// Is the address of a PostgreSQL database, as libpq reads it, and its name in messages.
package struct PostgresAddress: Equatable, Sendable {
  /// Is the whole address, with the password that it may hold. It is never shown.
  package let url: String
  /// Counts the connections that commit.
  package let connections: Int

  /// Two connections keep the server busy while a third of the time goes to the disk; with four a
  /// disk whose fsync takes 5 ms commits as much (`reference`: 1.4 of the measured parts).
  package static let connectionsUsual = 2
  /// Bounds the connections that commit; more gain nothing on any disk that was measured.
  package static let connectionsRange = 1...4

  /// Makes the address from a URL; nil where the text is none of PostgreSQL's.
  package init?(_ text: String, connections: Int = Self.connectionsUsual) {
    guard Self.schemes.contains(where: text.hasPrefix) else { return nil }
    url = text
    self.connections = connections
  }

  private static let schemes = ["postgresql://", "postgres://"]
  private static let secrets = ["password", "sslpassword", "passfile", "sslkey"]

  /// Is the address without its passwords.
  package var name: String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let (scheme, rest) = (url[..<start], url[start...])
    let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var place = halves.first.map(String.init) ?? ""
    // The last one: a password may hold an at sign that nobody has encoded.
    if let at = place.lastIndex(of: "@") {
      let user = place[..<at].split(separator: ":", maxSplits: 1).first ?? ""
      place = String(user) + place[at...]
    }
    let options = halves.count < 2 ? [] : halves[1].split(separator: "&")
    let shown = options.filter { option in
      !Self.secrets.contains { option.lowercased().hasPrefix("\($0)=") }
    }
    return scheme + place + (shown.isEmpty ? "" : "?" + shown.joined(separator: "&"))
  }

  /// Connects once, to say early why a store could not be opened there. Nothing is changed.
  package func probe() throws(StoreError) {
    let connection = try PostgresConnection(self, waitSeconds: 5)
    try PostgresSchema.checkSession(connection, self)
    try PostgresSchema.probe(connection)
  }

  /// Is true where the address itself says how a commit is to be made durable.
  var choosesDurability: Bool { url.contains("synchronous_commit") }
}
