internal import CUV
package import Core
internal import Foundation
internal import Synchronization
internal import Wire

/// A libuv loop on one thread, with a mailbox and timers. `@unchecked Sendable`: a mutex guards the
/// mailbox, and any thread may call `uv_async_send`. All other state is touched only on the loop's
/// thread (`assertOnLoop`), before `start` or after the end.
package final class EventLoop: @unchecked Sendable {
  let loop: UnsafeMutablePointer<uv_loop_t>
  private let async: UnsafeMutablePointer<uv_async_t>
  private let prepare: UnsafeMutablePointer<uv_prepare_t>
  private let check: UnsafeMutablePointer<uv_check_t>
  private let mailbox = Mutex(Mailbox())
  private let name: String
  package let clock: TransportClock
  let network: Network
  private let isUrgent: Bool
  private let hasEnded = DispatchSemaphore(value: 0)
  private var turn: [any EndOfTurn] = []
  private var ending: [any EndOfTurn] = []
  let outputs = OutputPool()
  let compressor = MessageCompressor()
  private(set) lazy var http2 = HTTP2Context()
  private(set) lazy var security = LoopSecurity(on: self)
  private var madeWebSockets: WebSocketContext?
  var webSockets: WebSocketContext {
    if let madeWebSockets { return madeWebSockets }
    let made = WebSocketContext(on: self)
    madeWebSockets = made
    return made
  }
  var pace = LoopPace()
  var alarm: Alarm?
  /// The most bytes read per server connection and turn, for fairness.
  var bytesPerTurn = TCPStream.bytesPerTurnMax
  /// The read buffer, shared by all connections since libuv delivers one read before the next read.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  private struct Mailbox {
    var items: [@Sendable () -> Void] = []
    var isClosed = false
    /// Whether the loop is between the call of `start` or `run` and the end of `run`.
    var isRunning = false
    var thread: pthread_t?
  }

  /// - Parameter isUrgent: whether the loop's thread requests a higher priority (`ThreadUrgency`).
  /// - Parameter clock: with a manual clock call `runReady` and `advance` instead of `start`.
  package init(
    name: String, isUrgent: Bool = false, clock: TransportClock = .monotonic,
    network: Network = .sockets
  ) {
    self.name = name
    self.clock = clock
    self.network = network
    self.isUrgent = isUrgent
    loop = .allocate(capacity: 1)
    async = .allocate(capacity: 1)
    prepare = .allocate(capacity: 1)
    check = .allocate(capacity: 1)
    // libuv writes without MSG_NOSIGNAL. Ignoring SIGPIPE makes a write to a closed connection an
    // error instead of the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // `uv_loop_init` fails only without descriptors or memory.
    guard uv_loop_init(loop) == 0 else { fatalError("libuv: cannot make a loop") }
    // The call fails only if libuv lacks the option, and then no poll appears to sleep.
    flotilla_measure_idle_time(loop)
    let this = Unmanaged.passUnretained(self).toOpaque()
    loop.pointee.data = this
    guard uv_async_init(loop, async, { EventLoop.of($0!.pointee.loop).readMailbox() }) == 0 else {
      fatalError("libuv: cannot make a wake-up handle")
    }
    // A turn's output is flushed before the loop sleeps (prepare) and after I/O callbacks (check).
    uv_prepare_init(loop, prepare)
    uv_prepare_start(prepare) {
      let this = EventLoop.of($0!.pointee.loop)
      this.endTurn()
      this.pace.willPoll()
    }
    uv_check_init(loop, check)
    uv_check_start(check) { EventLoop.of($0!.pointee.loop).endTurn() }
    alarm = Alarm(loop: self)
  }

  deinit {
    let isRunning = mailbox.withLock { $0.isRunning }
    precondition(!isRunning, "an event loop was dropped while it ran; stop it first")
    if !mailbox.withLock({ $0.isClosed }) {
      closeHandles()
      uv_run(loop, UV_RUN_DEFAULT)
    }
    uv_loop_close(loop)
    async.deallocate()
    prepare.deallocate()
    check.deallocate()
    loop.deallocate()
    readBuffer.deallocate()
  }

  /// Returns the event loop of a libuv loop, which `init` stores in `data`. The loop outlives its
  /// handles, since `run` returns only when all handles are closed.
  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  /// The current instant on the loop's clock, which any thread may read.
  package var now: WallInstant { clock.now }

  /// Runs the loop on a new thread until `stop`.
  package func start() {
    // `isRunning` is set before the thread starts, since `sync` must wait for the loop from now on.
    mailbox.withLock { $0.isRunning = true }
    let thread = Thread { [self] in run() }
    thread.name = name
    thread.start()
  }

  /// Runs the loop on the caller's thread until `stop`.
  package func run() {
    if isUrgent { ThreadUrgency.raise() }
    mailbox.withLock { mailbox in
      mailbox.isRunning = true
      mailbox.thread = pthread_self()
    }
    uv_run(loop, UV_RUN_DEFAULT)
    let left = mailbox.withLock { mailbox in
      mailbox.isClosed = true
      mailbox.isRunning = false
      mailbox.thread = nil
      return exchange(&mailbox.items, with: [])
    }
    // The remaining items run too, since a late caller of `sync` waits for its item.
    for item in left { item() }
    hasEnded.signal()
  }

  /// Closes all handles and connections, so that `run` returns. Any thread may call `stop`.
  package func stop() { post { [self] in closeHandles() } }

  /// Stops the loop and waits for its end. Must not be called on the loop's thread.
  package func stopAndWait() {
    precondition(!isOnLoop, "stopAndWait on the loop's own thread would never return")
    stop()
    hasEnded.wait()
    hasEnded.signal()
  }

  package var isOnLoop: Bool {
    mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  package func assertOnLoop() {
    assert(
      mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? true },
      "off the thread of loop '\(name)'")
  }

  /// Runs `work` on the loop's thread, or drops it after the loop's end. Items share a wake-up.
  package func post(_ work: @escaping @Sendable () -> Void) { _ = enqueue(work) }

  private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
    mailbox.withLock { mailbox in
      guard !mailbox.isClosed else { return false }
      mailbox.items.append(work)
      // The wake-up is sent inside the lock, so that the handle cannot be freed before.
      if mailbox.items.count == 1 { uv_async_send(async) }
      return true
    }
  }

  /// Runs `work` on the loop's thread and waits for its result. Runs `work` directly if the caller
  /// is on that thread or the loop does not run.
  package func sync<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
    let mayRunHere = mailbox.withLock { !$0.isRunning }
    if mayRunHere || isOnLoop { return work() }
    let value = Awaited<Value>()
    guard enqueue({ value.set(work()) }) else { return work() }
    guard let value = value.wait().first else { fatalError("sync ended without a value") }
    return value
  }

  private func readMailbox() {
    notePoll()
    let items = mailbox.withLock { exchange(&$0.items, with: []) }
    for item in items { item() }
  }

  /// The limit of connections with output per turn, which bounds memory and favours the CPU cache.
  private static let turnObjectsMax = 64

  /// Notes the end of a poll. All callbacks of a poll but buffer allocation begin with `notePoll`.
  func notePoll() {
    endFullTurn()
    notePace()
  }

  /// Records that the poll has returned. No stream changes, since libuv may be about to read one.
  func notePace() {
    pace.note(pollTime: uv_now(loop), idleTime: uv_metrics_idle_time(loop), now: now)
  }

  /// Ends an overfull turn, which may close or pause any stream. Must not be called between libuv's
  /// buffer allocation and the read into that buffer.
  func endFullTurn() {
    if turn.count >= Self.turnObjectsMax { endTurn() }
  }

  var hasMail: Bool { mailbox.withLock { !$0.items.isEmpty } }
  var hasTurnWork: Bool { !turn.isEmpty }

  func atEndOfTurn(_ object: any EndOfTurn) {
    assertOnLoop()
    turn.append(object)
  }

  private func endTurn() {
    guard !turn.isEmpty else { return }
    swap(&turn, &ending)
    for object in ending { object.endOfTurn() }
    ending.removeAll(keepingCapacity: true)
  }

  private func closeHandles() {
    if case .memory(let network) = network { network.loopEnds() }
    alarm?.close()
    alarm = nil
    madeWebSockets?.close()
    for handle in handles.subtracting(madeWebSockets?.handles ?? []) {
      let handle = handle.assumingMemoryBound(to: uv_handle_t.self)
      guard uv_is_closing(handle) == 0 else { continue }
      if handle.pointee.type == UV_TCP {
        // `TCPHandle` makes every TCP handle of this loop, and sets `data` to itself.
        Unmanaged<TCPHandle>.fromOpaque(handle.pointee.data).takeUnretainedValue().loopEnds()
      } else {
        uv_close(handle, nil)
      }
    }
  }

  var handles: Set<UnsafeMutableRawPointer> {
    var found: Set<UnsafeMutableRawPointer> = []
    withUnsafeMutablePointer(to: &found) { found in
      uv_walk(
        loop,
        { handle, found in
          guard let handle else { return }
          found?.assumingMemoryBound(to: Set<UnsafeMutableRawPointer>.self).pointee
            .insert(UnsafeMutableRawPointer(handle))
        }, found)
    }
    return found
  }
}

protocol EndOfTurn: AnyObject {
  func endOfTurn()
}

func exchange<Value>(_ place: inout Value, with value: Value) -> Value {
  let old = place
  place = value
  return old
}
