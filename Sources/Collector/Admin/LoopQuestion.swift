internal import Dispatch
internal import SimulationCore
internal import Synchronization
internal import Transport

/// A question to the event loop from another thread, which does not wait for ever.
///
/// While the loop owes an answer, nothing more is put into its mailbox: a loop that hangs makes
/// every question fail at once, and is asked no more than once.
final class LoopQuestion<Answer: Sendable>: Sendable {
  /// A loop that has not turned for a second does not serve: its p99 is below 10 ms at full load.
  static var limit: WallDuration { .seconds(1) }

  private struct State {
    var isOpen = false
    var answer: Answer?
  }
  private let loop: EventLoop
  private let work: @Sendable () -> Answer
  private let state = Mutex(State())

  /// - Parameter work: done on the loop's thread.
  init(to loop: EventLoop, _ work: @escaping @Sendable () -> Answer) {
    self.loop = loop
    self.work = work
  }

  /// nil: the loop did not answer in time. Never on the loop's own thread.
  func ask() -> Answer? {
    let mayAsk = state.withLock { state in
      defer { state.isOpen = true }
      return !state.isOpen
    }
    guard mayAsk else { return nil }
    let done = DispatchSemaphore(value: 0)
    loop.post { [self] in
      let answer = work()
      state.withLock { $0 = State(answer: answer) }
      done.signal()
    }
    let limit = DispatchTimeInterval.microseconds(Int(Self.limit.microseconds))
    guard done.wait(timeout: .now() + limit) == .success else { return nil }
    return state.withLock { $0.answer }
  }
}
