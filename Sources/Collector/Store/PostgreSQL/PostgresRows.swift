internal import Synchronization

/// Reads rows of somebody else's tables, whose columns this program does not know: each as a text
/// of JSON. It changes nothing: its session is read-only.
///
/// One connection, made with the first statement and again after it broke. Used from any thread,
/// one statement at a time.
package final class PostgresRows: Sendable {
  /// Is the address without its passwords.
  package let name: String
  private let address: PostgresAddress
  private let open = Mutex<PostgresConnection?>(nil)

  /// Makes a reader that has not connected yet.
  package init(_ address: PostgresAddress) {
    self.address = address
    name = address.name
  }

  /// The longest a statement may take, in milliseconds.
  private static let timeout = 10_000
  /// The most rows that are read: a phone's day with a fix a second has 86,400.
  private static let rowsMax = 1_000_000

  /// Runs a SELECT and returns each of its rows as an object of JSON, by the columns' names.
  package func json(_ select: String) throws(StoreError) -> [String] {
    // Nothing is connected while the lock is held: another thread would wait for ten seconds.
    let kept = open.withLock { $0 }
    let connection: PostgresConnection
    if let kept { connection = kept } else { connection = try connect() }
    let statements = select.split(separator: ";").filter { !$0.allSatisfy(\.isWhitespace) }
    guard statements.count == 1, let statement = statements.first else {
      throw .failed(path: name, reason: "the read-back has to be one statement")
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
