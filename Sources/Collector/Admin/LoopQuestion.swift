internal import Core
internal import Dispatch
internal import Synchronization
internal import Transport

/// Asks the event loop from another thread, which waits for a limited time. While a question is
/// open, `ask` returns nil at once, so that a hung loop delays only one caller.
final class LoopQuestion<Answer: Sendable>: Sendable {
  /// The timeout. A loop without an answer for a second is hung, since the p99 of answers is below
  /// 10 ms at full load.
  static var limit: WallDuration { .seconds(1) }

  private struct State {
    var isOpen = false
    var answer: Answer?
  }
  private let loop: EventLoop
  private let work: @Sendable () -> Answer
  private let state = Mutex(State())

  /// - Parameter work: runs on the loop's thread.
  init(to loop: EventLoop, _ work: @escaping @Sendable () -> Answer) {
    self.loop = loop
    self.work = work
  }

  /// Returns the answer, or nil at the timeout. Must not be called on the loop's thread.
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
