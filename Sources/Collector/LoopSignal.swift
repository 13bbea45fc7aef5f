internal import Synchronization
internal import Transport

/// Lets other threads run a closure on the loop's thread. `@unchecked Sendable`, since `work` is
/// set before the signal can be raised, and called on the loop's thread only.
final class LoopSignal: @unchecked Sendable {
  private let loop: EventLoop
  private var work: () -> Void = {}

  init(on loop: EventLoop) { self.loop = loop }

  func whenRaised(_ work: @escaping () -> Void) { self.work = work }

  func raise() { loop.post { self.work() } }
}

/// A FIFO queue from other threads to the loop's thread.
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

  func put(_ item: Item) {
    items.withLock { $0.append(item) }
    signal.raise()
  }
}
