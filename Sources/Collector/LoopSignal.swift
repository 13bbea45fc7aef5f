internal import Transport

/// Lets other threads ask the loop's thread for one thing.
///
/// `@unchecked Sendable`: `work` is set before another thread can raise the signal, and is called
/// on the loop's thread only.
final class LoopSignal: @unchecked Sendable {
  private let loop: EventLoop
  private var work: () -> Void = {}

  init(on loop: EventLoop) { self.loop = loop }

  func whenRaised(_ work: @escaping () -> Void) { self.work = work }

  /// From any thread.
  func raise() { loop.post { self.work() } }
}
