internal import Synchronization

/// Reads rows of a target's tables as JSON, in read-only statements that any thread may run.
package final class PostgresRows: Sendable {
  package let name: String
  private let address: PostgresAddress
  private let open = Mutex<PostgresConnection?>(nil)

  package init(_ address: PostgresAddress) {
    self.address = address
    name = address.name
  }

  /// The statement timeout, in milliseconds.
  private static let timeout = 10_000
  /// The maximum number of rows; a phone's day with one fix per second has 86,400.
  private static let rowsMax = 1_000_000

  /// Runs a SELECT and returns each row as a JSON object, by column name.
  package func json(_ select: String) throws(StoreError) -> [String] {
    // Connects outside the lock, for which another thread could otherwise wait ten seconds.
    let kept = open.withLock { $0 }
    let connection: PostgresConnection
    if let kept { connection = kept } else { connection = try connect() }
    let statements = select.split(separator: ";").filter { !$0.allSatisfy(\.isWhitespace) }
    guard statements.count == 1, let statement = statements.first else {
      throw .failed(path: name, reason: "the read-back must be a single statement")
    }
    do throws(StoreError) {
      let rows = try connection.query(
        "SELECT row_to_json(r)::text FROM (\(statement)) r LIMIT \(Self.rowsMax)")
      open.withLock { $0 = connection }
      return (0..<rows.count).map { rows.text($0, 0) }
    } catch {
      open.withLock { $0 = nil }
      throw error
    }
  }

  private func connect() throws(StoreError) -> PostgresConnection {
    let connection = try PostgresConnection(address, waitSeconds: 5)
    try connection.run(
      "SET default_transaction_read_only = on; SET statement_timeout = \(Self.timeout)")
    return connection
  }
}
