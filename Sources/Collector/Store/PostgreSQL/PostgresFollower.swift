internal import Dispatch

/// Follows a PostgreSQL store over the connection that also holds the sweeper's lock, so that a
/// lost lock is noticed. `@unchecked Sendable`, since only `queue` touches mutable state.
final class PostgresFollower: StoreFollower, @unchecked Sendable {
  private let address: PostgresAddress
  private let queue = DispatchQueue(label: "flotilla.postgresql.follow")
  private var connection: PostgresConnection?
  private var isSweeper = false
  private var isClosed = false
  /// The number of the last group read from each other session, keyed by session.
  private var marks: [Int64: Int64] = [:]
  private var ownSessions: Set<Int64> = []
  private var unknown: Set<Int64> = []

  init(_ address: PostgresAddress) { self.address = address }

  // MARK: Reports

  func hasRead(_ group: Int64) {
    queue.async { [self] in note(group) }
  }

  private func note(_ group: Int64) {
    marks[group >> 32] = max(marks[group >> 32] ?? 0, group)
    unknown.remove(group)
  }

  func hasBegun(session: Int32) { queue.async { [self] in _ = ownSessions.insert(Int64(session)) } }

  /// Notes groups of this collector that may or may not have been committed.
  func isUnknown(_ groups: [Int64]) { queue.async { [self] in unknown.formUnion(groups) } }

  func close() {
    queue.sync { (connection, isClosed) = (nil, true) }
  }

  // MARK: Polling

  func look(
    reads: Bool, maySweep: Bool, _ done: @escaping @Sendable (StoreUpdate) -> Void
  ) {
    queue.async { [self] in
      do throws(StoreError) {
        done(try update(reads: reads, maySweep: maySweep))
      } catch {
        (connection, isSweeper) = (nil, false)
        done(StoreUpdate(problem: error))
      }
    }
  }

  private func update(reads: Bool, maySweep: Bool) throws(StoreError) -> StoreUpdate {
    guard !isClosed else { throw .failed(path: address.name, reason: "it is closed") }
    let connection = try connected()
    if isSweeper != maySweep {
      let lock = "\(PostgresSchema.lockClass), \(PostgresSchema.Lock.sweeper.rawValue)"
      let function = maySweep ? "pg_try_advisory_lock" : "pg_advisory_unlock"
      let isDone = try connection.query("SELECT \(function)(\(lock))").integer(0, 0) != 0
      isSweeper = maySweep && isDone
    }
    var update = StoreUpdate(run: try connection.storedRun(), isSweeper: isSweeper)
    guard reads || isSweeper else { return update }
    let rows = try connection.query(unread)
    for row in 0..<rows.count {
      note(rows.integer(row, 0))
      update.logs.append(Array(rows.bytes(row, 1)))
    }
    return update
  }

  private func connected() throws(StoreError) -> PostgresConnection {
    if let connection { return connection }
    let opened = try PostgresConnection(address, waitSeconds: 3)
    try PostgresSchema.check(opened)
    // The limits shorten the time for which a collector keeps the lock after its machine
    // disappears, or while a statement hangs.
    try opened.run(
      """
      SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
      SET tcp_user_timeout = 5000; SET statement_timeout = '8s'
      """)
    connection = opened
    return opened
  }

  /// Selects the groups not read yet; a session commits its groups in the order of their numbers.
  private var unread: String {
    let marks = (marks.map { "(\($0.key), \($0.value))" } + ["(-1, 0)"]).joined(separator: ", ")
    func list(_ numbers: Set<Int64>) -> String {
      (numbers.map { "\($0)" } + ["-1"]).joined(separator: ", ")
    }
    return """
      SELECT g.grp, g.log FROM flotilla.sessions s
        LEFT JOIN (VALUES \(marks)) AS m(session, last) ON m.session = s.session
        JOIN flotilla.groups g ON g.grp > coalesce(m.last, s.session::int8 << 32)
          AND g.grp < (s.session::int8 + 1) << 32
      WHERE s.session NOT IN (\(list(ownSessions)))
      UNION ALL
      SELECT grp, log FROM flotilla.groups WHERE grp IN (\(list(unknown)))
      """
  }
}
