internal import CPostgreSQL
internal import Core
internal import Dispatch
internal import Synchronization
internal import Transport

/// Commits groups over one connection in libpq's pipeline mode. For the loop's thread only.
///
///     group ─▶ [day's table, sync] ─▶ [run] ─▶ group ─▶ sync ─▶ … ─▶ PIPELINE_SYNC ─▶ ended
///
/// A group ends when its sync is reported, since a transaction that returned rows may still fail to
/// commit. If the connection breaks, all groups in flight are refused.
final class PostgresLane {
  /// A statement that was sent and has not ended.
  private enum Sent {
    case day(Int32)
    case group(CommitGroup, BatchStore, Answer)
  }

  /// The server's results for a group before its sync.
  private struct Answer {
    let number: Int64
    var error: StoreError?
    /// The IDs of the new batches; nil if all are new.
    var added: Set<BatchID>?
  }

  private let address: PostgresAddress
  private let loop: EventLoop
  /// The follower, which must know own sessions and groups whose outcome is unknown.
  private let follower: PostgresFollower
  private var connection: PostgresConnection?
  private var watch: SocketWatch?
  private var session: Int32 = 0
  private var groups: Int64 = 0
  private var sent: [Sent] = []
  private var knownDays: Set<Int32> = []
  private var dayProblem: StoreError?
  private var parameters = GroupParameters()
  private var isClosed = false
  private(set) var problem: StoreError?
  private let queue = DispatchQueue(label: "flotilla.postgresql.connect")

  private static let retryMilliseconds = 100

  init(_ address: PostgresAddress, on loop: EventLoop, _ follower: PostgresFollower) {
    self.address = address
    self.loop = loop
    self.follower = follower
  }

  var isUp: Bool { connection != nil }
  var groupsUnderWay: Int {
    sent.reduce(0) { count, sent in
      if case .group = sent { count + 1 } else { count }
    }
  }

  // MARK: The connection

  /// A connection with its session, which any thread may make.
  struct Opened: Sendable {
    let connection: PostgresConnection
    let session: Int32

    init(_ address: PostgresAddress, waitSeconds: Int = 10) throws(StoreError) {
      connection = try PostgresConnection(address, waitSeconds: waitSeconds)
      try PostgresSchema.check(connection)
      session = try PostgresSchema.beginSession(connection)
      let isReady =
        flotilla_pg_set_nonblocking(connection.handle, 1) == 0
        && flotilla_pg_enter_pipeline(connection.handle) == 1
      guard isReady else { throw connection.problem }
    }
  }

  func take(_ opened: Opened) {
    guard !isClosed else { return }
    let descriptor = flotilla_pg_socket(opened.connection.handle)
    watch = SocketWatch(descriptor, on: loop) { [unowned self] in ready() }
    guard watch != nil else { return lose(opened.connection.problem) }
    connection = opened.connection
    session = opened.session
    (groups, problem, knownDays, dayProblem) = (0, nil, [], nil)
    follower.hasBegun(session: session)
  }

  private func lose(_ error: StoreError) {
    watch?.close()
    (watch, connection, problem) = (nil, nil, error)
    let lost = sent
    sent = []
    follower.isUnknown(
      lost.compactMap { if case .group(_, _, let answer) = $0 { answer.number } else { nil } })
    for case .group(let group, let store, _) in lost { store.ended(group, error) }
    connectAgain()
  }

  private func connectAgain() {
    guard !isClosed else { return }
    let (address, loop) = (address, loop)
    // Only the loop's thread touches the lane.
    nonisolated(unsafe) let lane = self
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.retryMilliseconds)) {
      do throws(StoreError) {
        let opened = try Opened(address, waitSeconds: 3)
        loop.post { lane.take(opened) }
      } catch {
        loop.post {
          lane.problem = error
          lane.connectAgain()
        }
      }
    }
  }

  /// Closes the connection. Called when no group is in flight.
  func close() {
    isClosed = true
    watch?.close()
    (watch, connection) = (nil, nil)
  }

  // MARK: Sending

  func commit(_ group: consuming CommitGroup, for store: BatchStore) {
    guard let connection else {
      let error = problem ?? .unreachable(store: address.name, detail: "not connected yet")
      return store.ended(group, error)
    }
    parameters.take(group)
    groups += 1
    // The group's number begins with the session, which commits groups in the order of numbers.
    let number = Int64(session) << 32 | groups
    var isSent = true
    for (day, received) in parameters.days(notIn: knownDays) {
      knownDays.insert(day)
      sent.append(.day(day))
      isSent = isSent && send(PostgresSchema.makeDay(day, received: received), connection)
    }
    for case .run(let id, let request, let openedAtWall) in group.records {
      isSent = isSent && send(group, id, request, openedAtWall, connection)
    }
    parameters.encode(group, number: number)
    isSent = isSent && connection.send(.group, parameters.bytes, parameters.ends)
    isSent = isSent && flotilla_pg_sync(connection.handle) == 1
    sent.append(.group(group, store, Answer(number: number)))
    if isSent { flush() } else { lose(connection.problem) }
  }

  private func send(_ sql: String, _ connection: PostgresConnection) -> Bool {
    flotilla_pg_send(connection.handle, sql) == 1 && flotilla_pg_sync(connection.handle) == 1
  }

  private func send(
    _ group: borrowing CommitGroup, _ id: Range<Int>, _ request: Range<Int>,
    _ openedAtWall: WallInstant, _ connection: PostgresConnection
  ) -> Bool {
    var bytes = Array(group.bytes[id])
    bytes += group.bytes[request]
    let age = (MonotonicClock.now - openedAtWall).microseconds
    withUnsafeBytes(of: age.bigEndian) { bytes.append(contentsOf: $0) }
    let ends = [id.count, id.count + request.count, bytes.count].map { (end: $0, isBinary: true) }
    return connection.send(.run, bytes, ends)
  }

  private func flush() {
    guard let connection else { return }
    let left = flotilla_pg_flush(connection.handle)
    guard left >= 0 else { return lose(connection.problem) }
    watch?.watchWriting(left == 1)
  }

  // MARK: Receiving

  private func ready() {
    guard let connection else { return }
    guard flotilla_pg_consume(connection.handle) == 1 else { return lose(connection.problem) }
    // libpq returns one null between two statements, and a second null after the last.
    var nulls = 0
    while self.connection != nil, nulls < 2, flotilla_pg_is_busy(connection.handle) == 0 {
      guard let result = flotilla_pg_next_result(connection.handle) else {
        nulls += 1
        continue
      }
      nulls = 0
      take(PostgresResult(result), connection)
    }
    if self.connection != nil { flush() }
  }

  private func take(_ rows: borrowing PostgresResult, _ connection: PostgresConnection) {
    let status = rows.status
    guard !sent.isEmpty else {
      // A result without a statement means that the server ends the connection.
      return lose(StoreError.of(rows.handle, connection) ?? connection.problem)
    }
    guard status != FLOTILLA_PG_PIPELINE_SYNC else { return endFirst() }
    // Statements after a failed statement are aborted without a reason.
    guard status != FLOTILLA_PG_PIPELINE_ABORTED else { return }
    let error = StoreError.of(rows.handle, connection)
    switch sent[0] {
    case .day(let day):
      // The error is kept, since the group that needs this day only reports a missing partition.
      guard let error else { break }
      knownDays.remove(day)
      dayProblem = error
    case .group(let group, let store, var answer):
      answer.error = answer.error ?? error.map { dayProblem ?? $0 }
      if error == nil, rows.columns == 1, rows.count == 1, rows.integer(0, 0) == 0 {
        answer.error = .otherRun(path: address.name, found: "another", wanted: "this one")
      }
      if error == nil, rows.columns == 4, rows.count == 1 { answer.added = Self.added(rows) }
      sent[0] = .group(group, store, answer)
    }
    if let error, case .unreachable = error { lose(error) }
  }

  private static func added(_ rows: borrowing PostgresResult) -> Set<BatchID>? {
    let isAll = flotilla_pg_is_null(rows.handle, 0, 1) == 1 && rows.integer(0, 0) > 0
    guard !isAll else { return nil }
    let (phones, epochs, sequences) = (rows.words(0, 1), rows.words(0, 2), rows.words(0, 3))
    return Set(
      phones.indices.map {
        BatchID(
          phone: PhoneID(rawValue: phones[$0]), epoch: epochs[$0], sequence: sequences[$0])
      })
  }

  private func endFirst() {
    guard case .group(let group, let store, let answer) = sent.removeFirst() else { return }
    dayProblem = nil
    guard answer.error == nil else { return store.ended(group, answer.error) }
    let held = answer.added.map { GroupParameters.heldBefore(group, added: $0) } ?? []
    store.ended(group, nil, heldBefore: held)
  }
}
