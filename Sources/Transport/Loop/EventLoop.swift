internal import CUV
internal import Figures
internal import Foundation
package import SimulationCore
internal import Synchronization
internal import Wire

/// One libuv loop on one thread, its mailbox and its timers.
///
/// `@unchecked Sendable`: the mailbox is behind a mutex and `uv_async_send` may be called from any
/// thread; everything else is touched only on the loop's thread (asserted by `assertOnLoop`), or
/// before `start` and after the loop has ended, when no other thread is in it.
package final class EventLoop: @unchecked Sendable {
  let loop: UnsafeMutablePointer<uv_loop_t>
  private let async: UnsafeMutablePointer<uv_async_t>
  private let prepare: UnsafeMutablePointer<uv_prepare_t>
  private let check: UnsafeMutablePointer<uv_check_t>
  private let mailbox = Mutex(Mailbox())
  private let name: String
  /// The clock that the loop, its timers and its connections read.
  package let clock: TransportClock
  /// Where the streams of its connections come from.
  let network: Network
  private let isUrgent: Bool
  private let hasEnded = DispatchSemaphore(value: 0)
  private var turn: [any EndOfTurn] = []
  /// Of the turn that ends; kept for its room.
  private var ending: [any EndOfTurn] = []
  /// Memory for what its connections write.
  let outputs = OutputPool()
  /// Contexts of the codecs that messages of its connections need.
  let compressor = MessageCompressor()
  /// What the HTTP/2 sessions of its connections share; made with the first of them.
  private(set) lazy var http2 = HTTP2Context()
  /// What its secured connections share; made with the first of them.
  private(set) lazy var security = LoopSecurity(on: self)
  var pace = LoopPace()
  var alarm: Alarm?
  /// What is read of one of a server's connections before it is the others' turn.
  var bytesPerTurn = TCPStream.bytesPerTurnMax
  /// What every connection of this loop reads into; libuv calls back before it reads again.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  private struct Mailbox {
    var items: [@Sendable () -> Void] = []
    var isClosed = false
    /// From `start` or `run` to the end of `run`.
    var isRunning = false
    /// The loop's thread, while it runs.
    var thread: pthread_t?
  }

  /// - Parameters:
  ///   - isUrgent: its thread asks to be preferred (`ThreadUrgency`).
  ///   - clock: what its timers and connections read. A loop on a manual clock is not started; its
  ///     caller leads it with `runReady` and `advance`.
  ///   - network: sockets, or the memory of a test.
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
    // libuv writes without MSG_NOSIGNAL: a peer that is gone shall be an error, not the end.
    signal(SIGPIPE, SIG_IGN)
    // libuv fails here only without descriptors or memory for its own needs.
    guard uv_loop_init(loop) == 0 else { fatalError("libuv: cannot make a loop") }
    // Fails only for options that this libuv does not know; then no poll seems to sleep.
    flotilla_measure_idle_time(loop)
    let this = Unmanaged.passUnretained(self).toOpaque()
    loop.pointee.data = this
    guard uv_async_init(loop, async, { EventLoop.of($0!.pointee.loop).readMailbox() }) == 0 else {
      fatalError("libuv: cannot make a wake-up handle")
    }
    // These two cannot fail. What was written during a turn is flushed before the loop sleeps
    // (prepare) and right after its I/O callbacks (check).
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

  /// The loop that a C handle belongs to. Its `data` is set in `init` and the loop outlives its
  /// handles, since `run` returns only when all are closed.
  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  /// The instant on the loop's clock, in microseconds; may be read from any thread.
  package var now: WallInstant { clock.now }

  /// Runs the loop on a thread of its own until `stop`.
  package func start() {
    // At once, not when the thread gets going: `sync` must wait for the loop from here on.
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
    // A late caller of `sync` waits for its item; nothing else may be lost silently either.
    for item in left { item() }
    hasEnded.signal()
  }

  /// Closes every handle, connections included; `run` returns then. From any thread; more than
  /// once is harmless.
  package func stop() { post { [self] in closeHandles() } }

  /// Stops and waits. Never on the loop's own thread.
  package func stopAndWait() {
    precondition(!isOnLoop, "stopAndWait on the loop's own thread would never return")
    stop()
    hasEnded.wait()
    hasEnded.signal()
  }

  /// Is true on the loop's own thread while it runs.
  package var isOnLoop: Bool {
    mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Stops a debug build that is on another thread than the loop's.
  package func assertOnLoop() {
    assert(
      mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? true },
      "off the thread of loop '\(name)'")
  }

  /// Runs `work` on the loop's thread. Many items cost one wake-up. After `stop`, dropped.
  package func post(_ work: @escaping @Sendable () -> Void) { _ = enqueue(work) }

  /// False when the loop has ended and takes nothing more.
  private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
    mailbox.withLock { mailbox in
      guard !mailbox.isClosed else { return false }
      mailbox.items.append(work)
      // Inside the lock, so that the handle cannot be freed between the two.
      if mailbox.items.count == 1 { uv_async_send(async) }
      return true
    }
  }

  /// Runs `work` on the loop's thread and waits for it; at once if this is that thread, or if the
  /// loop has not started.
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

  /// So many connections' output waits for the end of a turn, at most: what was written is still
  /// in the cache when it goes out, and takes so many blocks of memory.
  private static let turnObjectsMax = 64

  /// Every callback from libuv's poll comes here first, but those that give memory to read into.
  func notePoll() {
    endFullTurn()
    notePace()
  }

  /// Says that the poll has returned; changes no stream, so that libuv may be about to read one.
  func notePace() {
    pace.note(pollTime: uv_now(loop), idleTime: uv_metrics_idle_time(loop), now: now)
  }

  /// Ends a turn in which much waits. Any stream may be closed or paused by that, so that nobody
  /// calls it between libuv's question for memory and its read: libuv goes on with the stream.
  func endFullTurn() {
    if turn.count >= Self.turnObjectsMax { endTurn() }
  }

  /// Whether something was posted that has not run.
  var hasMail: Bool { mailbox.withLock { !$0.items.isEmpty } }
  /// Whether something waits for the end of the turn.
  var hasTurnWork: Bool { !turn.isEmpty }

  /// Asks to be called once before the loop sleeps.
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
    uv_walk(
      loop,
      { handle, _ in
        guard let handle, uv_is_closing(handle) == 0 else { return }
        if handle.pointee.type == UV_TCP {
          // Every TCP handle of this loop is made by `TCPHandle`, which is its `data`.
          Unmanaged<TCPHandle>.fromOpaque(handle.pointee.data).takeUnretainedValue().loopEnds()
        } else {
          uv_close(handle, nil)
        }
      }, nil)
  }
}

/// Something that gathers work during a turn of the loop and does it at its end.
protocol EndOfTurn: AnyObject {
  func endOfTurn()
}

/// Sets `place` and returns what it held.
func exchange<Value>(_ place: inout Value, with value: Value) -> Value {
  let old = place
  place = value
  return old
}
