internal import Transport

/// Lets other threads run one closure on the loop's thread.
///
/// `@unchecked Sendable`: `work` is set before another thread can raise the signal, and is called
/// on the loop's thread only.
final class LoopSignal: @unchecked Sendable {
  private let loop: EventLoop
  private var work: () -> Void = {}

  init(on loop: EventLoop) { self.loop = loop }

  func whenRaised(_ work: @escaping () -> Void) { self.work = work }

  /// Requests the closure; may be called from any thread.
  func raise() { loop.post { self.work() } }
}
