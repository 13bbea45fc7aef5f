internal import Core
internal import Foundation
internal import Synchronization
internal import Transport
internal import Uploads

/// Runs a port on its own thread. `condition` guards `table` and the flags (`@unchecked Sendable`).
final class RankService: @unchecked Sendable {
  let place: SharePlace
  private let wall: @Sendable () -> WallInstant
  private let condition = NSCondition()
  private let changed = DispatchSemaphore(value: 0)
  private var table: RankTable
  /// The number of waiting callers, for whom messages are polled more often.
  private var waiting = 0
  private var isLeaving = false
  private var hasLeft = false

  private var pauses = RankPauses()

  init<Port: RankPort>(
    wall: @escaping @Sendable () -> WallInstant, patience: WallDuration,
    open: @escaping @Sendable () throws(RankPortError) -> Port
  ) throws(RankPortError) {
    self.wall = wall
    let opening = Handover<Result<SharePlace, RankPortError>>()
    let making = Handover<RankService>()
    let thread = Thread {
      let port: Port
      do throws(RankPortError) { port = try open() } catch { return opening.give(.failure(error)) }
      opening.give(.success(SharePlace(number: port.rank, of: port.size)))
      making.take().serve(port)
    }
    thread.name = "flotilla.ranks"
    thread.start()
    place = try opening.take().get()
    table = RankTable(place, at: wall(), patience: patience)
    making.give(self)
  }

  // MARK: The run's thread

  @discardableResult
  func change<Result>(_ body: (inout RankTable) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    let result = body(&table)
    condition.broadcast()
    changed.signal()
    return result
  }

  func look<Result>(_ body: (RankTable) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body(table)
  }

  func wait<Result>(_ body: (inout RankTable) -> Result?) -> Result {
    condition.lock()
    defer { condition.unlock() }
    waiting += 1
    defer { waiting -= 1 }
    changed.signal()
    while true {
      if let result = body(&table) { return result }
      condition.wait()
    }
  }

  /// Sends the outstanding messages and leaves the port. Returns false if a process has exited.
  func leave() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    table.leave()
    isLeaving = true
    changed.signal()
    while !hasLeft { condition.wait() }
    return table.gone.isEmpty
  }

  // MARK: The port's thread

  private func serve<Port: RankPort>(_ port: Port) {
    while true {
      var isBusy = receive(port)
      condition.lock()
      let gone = table.gone
      table.tick(at: wall())
      // Callers that wait for the exited process get no message, so they are woken here.
      if table.gone != gone { wake() }
      let outbox = table.outbox
      table.outbox.removeAll()
      let isOver = isLeaving && table.mayLeave && outbox.isEmpty
      let isSound = table.gone.isEmpty
      condition.unlock()
      for (rank, message) in outbox { port.send(message.bytes, to: rank) }
      let isSending = port.isSending()
      isBusy = isBusy || !outbox.isEmpty
      if isOver, !isSending || !isSound { break }
      pause(isBusy: isBusy, isSending: isSending)
    }
    condition.lock()
    let isSound = table.gone.isEmpty
    condition.unlock()
    // Leaving waits for all processes, and an exited process would never answer.
    if isSound { port.leave() }
    condition.lock()
    hasLeft = true
    condition.broadcast()
    condition.unlock()
  }

  /// Wakes callers that wait for the table, and the run's thread.
  private func wake() {
    condition.broadcast()
    Waiter.shared.wake()
  }

  private func receive<Port: RankPort>(_ port: Port) -> Bool {
    var any = false
    while let (rank, bytes) = port.receive() {
      any = true
      let message = bytes.flatMap { RankMessage($0) }
      condition.lock()
      table.notice(rank, at: wall())
      if let message {
        table.receive(message, from: rank, at: wall())
        wake()
      }
      condition.unlock()
    }
    return any
  }

  private func pause(isBusy: Bool, isSending: Bool) {
    condition.lock()
    let isWaiting = waiting > 0 || isSending
    let isEmpty = table.outbox.isEmpty
    condition.unlock()
    if isBusy { pauses.begin() }
    guard !isBusy, isEmpty || isWaiting else { return }
    let pause = isWaiting ? pauses.next() : RankPauses.longest
    // A request from the run's thread ends the pause, and the next pauses are short.
    let asked = changed.wait(timeout: .now() + .microseconds(Int(pause.microseconds)))
    if asked == .success { pauses.begin() }
  }
}

/// The pauses between polls for messages, since MPI cannot wake a thread when a message arrives.
///
/// Each pause is twice as long as the previous pause, up to `longest`. A send, a receive or a
/// request resets the pause. Without pauses, four processes on two cores wait for each other's time
/// slices. With pauses of 50 µs, a process that waits for the last to end uses a tenth of a core.
struct RankPauses {
  private static let shortest = WallDuration(microseconds: 50)
  /// The maximum delay of a message while no caller waits.
  static let longest = WallDuration.milliseconds(4)
  private var pause = shortest

  mutating func begin() { pause = Self.shortest }

  mutating func next() -> WallDuration {
    defer { pause = min(WallDuration(microseconds: pause.microseconds * 2), Self.longest) }
    return pause
  }
}

private final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    given.signal()
  }

  func take() -> Value {
    given.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("given before") }
    return value
  }
}
