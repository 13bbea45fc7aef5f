internal import Dispatch
internal import Synchronization
internal import Transport

/// A store in a PostgreSQL database, shared by several collectors. `@unchecked Sendable`, since
/// only a separate loop's thread touches the lanes, and a lock guards the reading connection.
final class PostgresStore: PostgresSource, CommitTarget, @unchecked Sendable {
  let name: String
  var isDurable: Bool { true }
  var groupsMax: Int { 2 * lanes.count }
  /// The maximum number of records; more would only delay the whole group, even on a slow disk.
  var recordsMax: Int { 1_024 }
  private let address: PostgresAddress
  private let loop: EventLoop
  private let lanes: [PostgresLane]
  private let following: PostgresFollower
  var follower: (any StoreFollower)? { following }
  /// The connection for reading; nil once the store is closed.
  private let reading: Mutex<PostgresConnection?>

  init(_ address: PostgresAddress) throws(StoreError) {
    let reading = try PostgresConnection(address)
    try PostgresSchema.checkSession(reading, address)
    try PostgresSchema.prepare(reading)
    self.address = address
    name = address.name
    self.reading = Mutex(reading)
    let loop = EventLoop(name: "flotilla.postgresql")
    let following = PostgresFollower(address)
    lanes = (0..<address.connections).map { _ in
      PostgresLane(address, on: loop, following)
    }
    self.following = following
    self.loop = loop
    // All connections open before a lane takes one, since a lane with a connection must be closed.
    var opened: [PostgresLane.Opened] = []
    for _ in lanes { opened.append(try PostgresLane.Opened(address)) }
    for (lane, opened) in zip(lanes, opened) { lane.take(opened) }
    loop.start()
  }

  func commit(_ group: consuming CommitGroup, for store: BatchStore) {
    let group = group
    loop.post { [self] in
      // If no lane has a connection, the first lane reports why.
      let lane =
        lanes.filter(\.isUp).min { $0.groupsUnderWay < $1.groupsUnderWay } ?? lanes[0]
      lane.commit(group, for: store)
    }
  }

  func close() {
    loop.sync { [self] in
      for lane in lanes { lane.close() }
    }
    loop.stopAndWait()
    reading.withLock { $0 = nil }
    following.close()
  }

  /// Opens another connection, which reads one snapshot and survives the loss of `reading`.
  func onDisk() throws(StoreError) -> any StoreSource { try PostgresReader(address) }

  func hasRead(_ group: Int64) { following.hasRead(group) }

  func read<Answer: Sendable>(
    _ body: (PostgresConnection) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    // `body` runs within the lock, which cannot return a noncopyable value.
    nonisolated(unsafe) let body = body
    return try reading.withLock { (connection) throws(StoreError) in
      guard let connection else { throw .failed(path: name, reason: "it is closed") }
      return try connection.inSnapshot(body)
    }
  }
}

/// Reads a PostgreSQL store for audit or export, without commits made after opening.
final class PostgresReader: PostgresSource {
  let name: String
  private let connection: PostgresConnection

  init(_ address: PostgresAddress) throws(StoreError) {
    connection = try PostgresConnection(address)
    name = address.name
    try PostgresSchema.check(connection)
    try connection.run(PostgresConnection.beginSnapshot)
  }

  func hasRead(_ group: Int64) {}

  func read<Answer: Sendable>(
    _ body: (PostgresConnection) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer { try body(connection) }
}

extension PostgresConnection {
  static let beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

  fileprivate func inSnapshot<Answer>(
    _ body: (PostgresConnection) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    try run(Self.beginSnapshot)
    do throws(StoreError) {
      let answer = try body(self)
      try run("COMMIT")
      return answer
    } catch {
      // ROLLBACK fails on a broken connection, which the next use reports.
      do throws(StoreError) { try run("ROLLBACK") } catch {}
      throw error
    }
  }
}
