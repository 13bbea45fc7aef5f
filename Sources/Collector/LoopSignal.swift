internal import Synchronization
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

/// Takes what other threads put in, and hands it over on the loop's thread in the same order.
final class LoopInbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  private let signal: LoopSignal

  init(on loop: EventLoop) { signal = LoopSignal(on: loop) }

  func whenFilled(_ take: @escaping (Item) -> Void) {
    signal.whenRaised { [unowned self] in
      let filled = items.withLock { items in
        defer { items = [] }
        return items
      }
      for item in filled { take(item) }
    }
  }

  /// Puts an item in; may be called from any thread.
  func put(_ item: Item) {
    items.withLock { $0.append(item) }
    signal.raise()
  }
}
