package struct PostgresAddress: Equatable, Sendable {
  /// The address with its password, which must never be shown.
  package let url: String
  package let connections: Int

  /// Two connections keep the server busy while a third of the time goes to the disk. With four
  /// connections, a disk whose fsync takes 5 ms commits as much.
  package static let connectionsUsual = 2
  /// More connections have no benefit on any measured disk.
  package static let connectionsRange = 1...4

  package init?(_ text: String, connections: Int = Self.connectionsUsual) {
    guard Self.schemes.contains(where: text.hasPrefix) else { return nil }
    url = text
    self.connections = connections
  }

  private static let schemes = ["postgresql://", "postgres://"]
  private static let secrets = ["password", "sslpassword", "passfile", "sslkey"]

  /// The address without its passwords.
  package var name: String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let (scheme, rest) = (url[..<start], url[start...])
    let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var place = halves.first.map(String.init) ?? ""
    // The last at sign ends the password, which may contain unencoded at signs.
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

  /// Connects once to report errors early, and changes nothing.
  package func probe() throws(StoreError) {
    let connection = try PostgresConnection(self, waitSeconds: 5)
    try PostgresSchema.checkSession(connection, self)
    try PostgresSchema.probe(connection)
  }

  var choosesDurability: Bool { url.contains("synchronous_commit") }
}

/// Functions for measurements that have a database to themselves and leave it empty.
extension PostgresAddress {
  package func holdsStore() throws(StoreError) -> Bool {
    try PostgresConnection(self).query(
      "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'flotilla')"
    ).integer(0, 0) != 0
  }

  package func removeStore() throws(StoreError) {
    try PostgresConnection(self).run("DROP SCHEMA IF EXISTS flotilla CASCADE")
  }

  /// Returns the disk size of the store's tables and indexes, in bytes.
  package func storedBytes() throws(StoreError) -> Int64 {
    try PostgresConnection(self).query(
      """
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int8 FROM pg_class
      WHERE relnamespace = 'flotilla'::regnamespace AND relkind = 'r'
      """
    ).integer(0, 0)
  }
}
